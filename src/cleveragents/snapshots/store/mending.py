"""Stores lost objects again where identical content is still to be had; nothing is replaced."""

import mmap
from collections.abc import Collection, Iterator
from pathlib import Path

from cleveragents.errors import Damaged
from cleveragents.snapshots.store.pack import Pack, PackWriter, Read, from_front
from cleveragents.snapshots.tree.content import WholeSink
from cleveragents.snapshots.tree.manifest import Version, object_id


class Mender(WholeSink):
    """A pack of objects that were lost; what is offered and not among them is let go."""

    stores = True  # a tree hands it everything it has

    def __init__(self, writer: PackWriter, wanted: Collection[bytes]) -> None:
        self._writer = writer
        self._wanted = wanted
        self.healed = 0

    def put(self, data: bytes, version: Version | None = None, /) -> bytes:  # noqa: ARG002 - a sink
        """Takes an object if it is one of the lost; returns its id."""
        identity = object_id(data)
        if identity in self._wanted and identity not in self._writer:
            self._writer.add(identity, data)
            self.healed += 1
        return identity

    def search(self, packs: Path, read: Read) -> None:
        """Takes what can still be read, from the front, of packs whose index is damaged."""
        for path in sorted(packs.glob("*.pack")):
            for data in _without_index(path, read):
                self.put(data)

    def seal(self, root: bytes) -> None:
        """Makes what was found durable, in the name of a snapshot that needs it."""
        if self.healed:
            self._writer.seal(root)

    def discard(self) -> None:
        """Throws away what was not finished."""
        self._writer.discard()


def _without_index(path: Path, read: Read) -> Iterator[bytes]:
    try:
        Pack(path)
    except Damaged:
        with path.open("rb") as file:
            if path.stat().st_size:  # nothing cannot be mapped
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                    yield from from_front(data, read)
