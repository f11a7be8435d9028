"""What an act has read of a store: it reads an object once, while all of them are small.

Going back verifies what it will place, reads back what will go, and places: three times the same
directories, and each of these with all that it is a difference to. Only what came from the disk and
matched its hash is remembered, never what was just written: that is read back from where it lies.
"""

from collections.abc import Generator
from contextlib import contextmanager
from threading import local

REMEMBERED_BYTES = 16 << 20
LARGEST = 1 << 20  # bytes of one object; chunks of large files are read again


class Once(local):
    """The objects that this thread has read within a block."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] | None = None
        self._room = 0

    @contextmanager
    def block(self) -> Generator[None]:
        """Remembers until the block ends."""
        outer = self._known, self._room
        self._known, self._room = {}, REMEMBERED_BYTES
        try:
            yield
        finally:
            self._known, self._room = outer

    def get(self, identity: bytes) -> bytes | None:
        """Returns an object that was read before."""
        return None if self._known is None else self._known.get(identity)

    def keep(self, identity: bytes, data: bytes) -> None:
        """Remembers an object that was read; those that were read first go if there is no room."""
        if self._known is None or len(data) > LARGEST:
            return
        self._known[identity] = data
        self._room -= len(data)
        while self._room < 0:
            self._room += len(self._known.pop(next(iter(self._known))))
