"""A pack that is being written: it leaves out what is stored, and keeps little of the rest."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from cleveragents.errors import Damaged
from cleveragents.snapshots.store import joining
from cleveragents.snapshots.store.compression import difference
from cleveragents.snapshots.store.joining import Root
from cleveragents.snapshots.store.pack import DIFFERENCE, REVISION, Pack, PackWriter
from cleveragents.snapshots.tree import content
from cleveragents.snapshots.tree.manifest import Entry, Version, object_id

DIFFERENCES_IN_A_ROW = 32  # of directories
REVISIONS_IN_A_ROW = 16  # of files: what is damaged is damaged in all that follow in the row
WORTH_A_DIFFERENCE = 1024  # bytes; what is smaller is kept whole, for itself
WORTH_A_REVISION = 4096  # the same for files: reading one means reading all before it in the row
SHARE = 4  # of a file, a difference that is to be worth it is at most this part


class Stored(Protocol):
    """The objects that the store has already."""

    def read(self, identity: bytes) -> bytes: ...
    def bases(self, identity: bytes) -> Sequence[bytes] | None: ...
    def confirm(self, identity: bytes, data: bytes) -> None: ...
    def add(self, path: Path) -> Pack: ...


class NewPack:
    """A pack being written that leaves out what the store already holds."""

    stores = True

    def __init__(self, store: Stored, writer: PackWriter) -> None:
        self._store = store
        self._writer = writer

    def put(self, data: bytes, version: Version | None = None, /) -> bytes:
        """Stores an object unless it is there already; returns its id.

        What changed little since an earlier version is kept as a difference to it, unless that
        is one too many in a row: all of them are needed to read it.
        """
        identity = object_id(data)
        if identity in self._writer:
            return identity
        if self._store.bases(identity) is not None:
            self._store.confirm(identity, data)
            return identity
        if version is None or not self._add_difference(identity, data, version):
            self._writer.add(identity, data)
        return identity

    def pieces(self, entry: Entry) -> Sequence[bytes]:
        """Returns what a file consists of in the store, if it is worth to keep a difference."""
        if entry.size < WORTH_A_REVISION:
            return ()
        try:
            return content.pieces(entry, self._store.read)
        except Damaged:
            return ()  # then it is kept whole

    def _add_difference(self, identity: bytes, data: bytes, version: Version) -> bool:
        bases = self._store.bases(version.identity)
        if bases is None:
            return False
        if version.data is None:
            few = len(bases) < REVISIONS_IN_A_ROW
            return few and self._add_revision(identity, data, version.identity)
        if len(version.data) < WORTH_A_DIFFERENCE or len(bases) >= DIFFERENCES_IN_A_ROW:
            return False
        found = difference(data, version.data)
        self._writer.add_stored(identity, DIFFERENCE, version.identity + found)
        return True

    def _add_revision(self, identity: bytes, data: bytes, base: bytes) -> bool:
        """Keeps a file as the difference to an earlier one, if that is little of it."""
        try:
            found = difference(data, self._store.read(base))
        except Damaged:
            return False
        if len(found) * SHARE > len(data):
            return False
        self._writer.add_stored(identity, REVISION, base + found)
        return True

    def put_root(self, data: bytes) -> bytes:
        """Stores the record of a snapshot, whatever other packs hold; returns its id.

        So no pack is empty, and the age of the pack is that of the latest wish to keep it.
        """
        identity = object_id(data)
        self._writer.add(identity, data)
        return identity

    def seal(self, root: bytes) -> int:
        """Makes everything durable; returns the bytes that were added."""
        return self._store.add(self._writer.seal(root)).size

    def seal_all(self, roots: Iterable[bytes]) -> None:
        """Makes the records of several snapshots durable at once."""
        moment = time.time()
        joining.seal(self._writer, [Root(root, moment, 0) for root in roots], ())

    def discard(self) -> None:
        """Throws away what was written."""
        self._writer.discard()
