"""Looks at a directory that is somebody else's, and at work: no single path stops the look.

What cannot be read, keeps changing, or is gone when it is to be read is left out and noted. Nothing
is borrowed: no mode is changed to read anything.
"""

import os
from collections.abc import Sequence

from cleveragents.counting import size as told_size
from cleveragents.records import frozen
from cleveragents.snapshots.tree import looks
from cleveragents.snapshots.tree.content import CHUNK, PutVersion
from cleveragents.snapshots.tree.hindrance import Hindrance
from cleveragents.snapshots.tree.manifest import Entry, Version
from cleveragents.snapshots.tree.node import Node
from cleveragents.snapshots.tree.reading import FileReader, Moved, same_moment
from cleveragents.snapshots.tree.scan import Excluded, Scanner, Unwatch, Watch
from cleveragents.snapshots.tree.tree import Sink, Tree

ROUNDS = 2  # a file of one piece is read; of a large one the first change is enough to give up


@frozen
class Bounds:
    """How much one look at a live directory may take in; None: however much there is."""

    file_bytes: int | None = None  # a larger file is left out
    new_files: int | None = None  # since the last look; beyond it one is given up: `TooMuchNew`
    new_bytes: int | None = None

    @property
    def of_a_file(self) -> "Bounds":
        """Those of a look that is the first: all is new to it."""
        return Bounds(self.file_bytes)


class TooMuchNew(Exception):
    """More has come since the last look than one may take in; what it has read is known then."""


class LiveScanner(Scanner):
    """A scanner that goes on."""

    def __init__(
        self,
        tree: Tree,
        sink: Sink,
        excluded: Excluded,
        *,
        bounds: Bounds,
        watch: Watch,
        unwatch: Unwatch,
    ) -> None:
        self._store = _Store(sink)
        super().__init__(
            tree,
            self._store,
            excluded,
            borrow=False,
            root_mode=None,
            watch=watch,
            unwatch=unwatch,
        )
        self._bounds = bounds
        self._missing: set[tuple[Node, bytes]] = set()
        self._new_files = self._new_bytes = 0
        self._reader = _LiveReader(self._store)

    def _miss(self, fd: int, name: bytes, node: Node, error: Hindrance | OSError) -> None:
        if error is self._store.error:
            raise error
        self._forget(node, name)
        self._missing.add((node, name))
        if self._stat(fd, name, node) is not None:  # else it is gone, as a look finds all the time
            self._note(node, name, error)

    def _note(self, node: Node, name: bytes, error: Hindrance | OSError) -> None:
        is_own = isinstance(error, Hindrance)
        why = error.why if is_own else f"it cannot be read: {error.strerror}"
        self._tree.left_out[node.inner(name)] = why

    def _is_of_a_path(self, error: OSError) -> bool:
        return error is not self._store.error

    def _is_read(self, node: Node, name: bytes, found: os.stat_result) -> bool:
        return (node, name) not in self._missing and super()._is_read(node, name, found)

    def _stat(self, fd: int, name: bytes, node: Node) -> os.stat_result | None:
        try:
            return super()._stat(fd, name, node)
        except OSError as error:
            self._note(node, name, error)
            return None

    def _differing(self, fd: int, node: Node) -> list[bytes]:
        try:
            return super()._differing(fd, node)
        except OSError:  # of one of the names: each is looked at for itself
            return [*{*looks.names_in(fd), *node.names()}]

    def _file(self, parent: int, name: bytes, found: os.stat_result, node: Node) -> None:
        most = self._bounds.file_bytes
        if most is not None and found.st_size > most:
            self._forget(node, name)
            self._missing.add((node, name))
            self._tree.left_out[node.inner(name)] = f"it is larger than {told_size(most)}"
            return
        if node.known(name) is None:
            self._count(found.st_size)
        super()._file(parent, name, found, node)

    def _count(self, size: int) -> None:
        self._new_files += 1
        self._new_bytes += size
        files, much = self._bounds.new_files, self._bounds.new_bytes
        if files is not None and self._new_files > files:
            raise TooMuchNew
        if much is not None and self._new_bytes > much:
            raise TooMuchNew


class _LiveReader(FileReader):
    """Gives a file that somebody writes to up at once: who writes without pause never ends."""

    def _rounds(self, size: int) -> int:
        return ROUNDS if size <= CHUNK else 1

    def _putting(self, fd: int, before: os.stat_result) -> PutVersion:
        def put(data: bytes, version: Version | None) -> bytes:
            if not same_moment(before, os.fstat(fd)):
                raise Moved
            return self._sink.put(data, version)

        return put


class _Store:
    """A sink that remembers its own failure: that is of no path, and stops the look."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self.stores = sink.stores
        self.error: OSError | None = None

    def put(self, data: bytes, version: Version | None = None, /) -> bytes:
        """Hands an object on."""
        try:
            return self._sink.put(data, version)
        except OSError as error:
            self.error = error
            raise

    def pieces(self, entry: Entry) -> Sequence[bytes]:
        """Returns what the sink says."""
        return self._sink.pieces(entry)
