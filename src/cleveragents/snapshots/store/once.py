"""Objects that an act has read of a store: each is read once, while all of them are small.

Going back verifies what it will place, reads back what will go, and places: three times the same
directories, and each of these with all that it is a difference to. Only what came from the disk and
matched its hash is remembered, never what was just written: that is read back from where it lies.
Of what is large, no more is remembered than that it is intact.
"""

from collections.abc import Generator
from contextlib import contextmanager
from threading import local

REMEMBERED_BYTES = 16 << 20
LARGEST = 1 << 20  # bytes of one object; a chunk of a large file is read again where it is used


class Once(local):
    """The objects that this thread has read within a block."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] | None = None
        self._room = 0
        self._intact: set[bytes] = set()

    @contextmanager
    def block(self) -> Generator[None]:
        """Remembers until the block ends."""
        outer = self._known, self._room, self._intact
        self._known, self._room, self._intact = {}, REMEMBERED_BYTES, set()
        try:
            yield
        finally:
            self._known, self._room, self._intact = outer

    def get(self, identity: bytes) -> bytes | None:
        """Returns an object that was read before."""
        return None if self._known is None else self._known.get(identity)

    def keep(self, identity: bytes, data: bytes) -> None:
        """Remembers an object that was read; those that were read first go if there is no room."""
        if self._known is None:
            return
        if len(data) > LARGEST:
            self._intact.add(identity)
            return
        self._known[identity] = data
        self._room -= len(data)
        while self._room < 0:
            self._room += len(self._known.pop(next(iter(self._known))))

    def wants(self, data: bytes) -> bool:
        """Tells whether it is of use to know that an object is stored intact."""
        return self._known is not None and len(data) > LARGEST

    def lost(self) -> dict[bytes, bool]:
        """Tells of large objects whether they are lost: none of those that were read before is."""
        return dict.fromkeys(self._intact, False)
