"""Fills a new directory of ours with a stored tree, from a directory near where that has the same.

Files are made where they stay, not beside and renamed as a restore does: nobody works here yet, and
what is half made is made anew. Whoever writes to the directory near meanwhile, each chunk that is
taken from there is compared with what is stored. What a file is recognised by is noted as it is
placed, so that nobody has to read it again.
"""

import os
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from itertools import starmap
from pathlib import Path

from cleveragents.errors import Gone
from cleveragents.snapshots.tree import attributes, beneath, giving_up, signature
from cleveragents.snapshots.tree.content import CHUNK, Read, write_file
from cleveragents.snapshots.tree.manifest import Entry, decode
from cleveragents.snapshots.tree.node import Node
from cleveragents.snapshots.tree.signature import PACKED, UNTRUSTED, Signature
from cleveragents.snapshots.tree.tree import Tree
from cleveragents.snapshots.write.restore import NEW, make_special, settle

_PERMISSIONS = 0o777
_INHERITED = "system.posix_acl_default"
_PROBE = "probe"
_TICK_SECONDS = 0.01  # the clock of most file systems moves every 1 to 10 ms


@contextmanager
def nearby(path: Path) -> Generator[int | None]:
    """Opens a directory to take files from; None if it is gone or closed: the store has them."""
    try:
        fd, _ = beneath.open_root(path, borrow=False)
    except (Gone, OSError):
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)


class Filling:
    """Fills directories, which are empty; `staging` is one of ours on the same file system."""

    def __init__(self, staging: int, read: Read) -> None:
        self._staging = staging
        self._read = read
        self._tree = Tree()
        self._linked: dict[bytes, bytes] = {}  # names in staging of files with several, by group
        self._inherits = False

    def fill(self, target: int, entry: Entry, near: int | None) -> Tree:
        """Makes everything below a directory, and the directory itself what an entry says.

        Returns what is known of it then.
        """
        tree = self._tree = Tree()
        self._inherits = _INHERITED in attributes.names(target)
        try:
            self._directory(target, tree.root, entry, near)
        finally:
            for name in self._linked.values():
                os.unlink(name, dir_fd=self._staging)
            self._linked.clear()
        return tree

    def doubt_latest(self, trees: Iterable[Tree]) -> None:
        """Lets files be read once more that were placed just before the file system's clock moved.

        What is written to them at that very moment would not be told by their times.
        """
        time.sleep(_TICK_SECONDS)
        now = divmod(self._now_ns(), 10**9)
        for node in (node for tree in trees for node in tree.nodes()):
            rows = (row if row[3:5] < now else UNTRUSTED for row in node.expected())
            node.signatures = b"".join(starmap(PACKED.pack, rows))

    def _now_ns(self) -> int:
        """Asks the file system for its time."""
        fd = os.open(_PROBE, NEW, 0o600, dir_fd=self._staging)
        try:
            return os.fstat(fd).st_ctime_ns
        finally:
            os.close(fd)
            os.unlink(_PROBE, dir_fd=self._staging)

    def _directory(self, target: int, node: Node, entry: Entry, near: int | None) -> None:
        packed = self._read(entry.content)
        rows: list[bytes] = []
        for name, inner in decode(packed).items():
            giving_up.look()
            row = UNTRUSTED
            if inner.is_file and not inner.link:  # as nearly all are
                row = self._file(target, name, inner, near)
                self._tree.files += 1
            elif inner.is_dir:
                self._subdirectory(target, node, name, inner, near)
            elif inner.is_file:
                self._link(target, name, inner, near)
                self._tree.files += 1
            else:
                make_special(name, target, inner, self._read)
            rows.append(PACKED.pack(*row))
        settle(target, entry)
        node.take(entry, packed, b"".join(rows), os.fstat(target).st_ino)
        node.mark_stored()  # what changes in it is kept as a difference

    def _subdirectory(
        self, target: int, node: Node, name: bytes, entry: Entry, near: int | None
    ) -> None:
        child = node.children[name] = Node(node.inner(name), node)
        os.mkdir(name, 0o700, dir_fd=target)
        fd = os.open(name, beneath.DIRECTORY, dir_fd=target)
        try:
            inner = _opened(name, beneath.DIRECTORY, near)
            try:
                self._directory(fd, child, entry, inner)
            finally:
                _close(inner)
        finally:
            os.close(fd)

    def _link(self, target: int, name: bytes, entry: Entry, near: int | None) -> None:
        """Makes one name of a file that has several; modes may have closed where others are."""
        if entry.link in self._linked:
            first = self._linked[entry.link]
            os.link(first, name, src_dir_fd=self._staging, dst_dir_fd=target)
            return
        self._file(target, name, entry, near)
        first = b"linked-%d" % len(self._linked)
        os.link(name, first, src_dir_fd=target, dst_dir_fd=self._staging)
        self._linked[entry.link] = first

    def _file(self, target: int, name: bytes, entry: Entry, near: int | None) -> Signature:
        """Makes a file; returns what it is recognised by, if it is what it shall be."""
        fd = os.open(name, NEW, entry.mode & _PERMISSIONS, dir_fd=target)
        try:
            other = _opened(name, beneath.READING, near)
            try:
                write_file(fd, entry, self._read, other)
            finally:
                _close(other)
            if entry.xattrs or self._inherits:
                attributes.replace(fd, entry.xattrs)
            os.utime(fd, ns=(entry.mtime_ns, entry.mtime_ns))
            found = os.fstat(fd)
            if found.st_mode != entry.mode:
                os.fchmod(fd, entry.permissions)
                found = os.fstat(fd)
        finally:
            os.close(fd)
        same = found.st_mode == entry.mode and found.st_mtime_ns == entry.mtime_ns
        # What is written piece by piece has its name all the while: who wrote to it, too, before
        # its times were set would not be noticed by them.
        return signature.of(found) if same and entry.size <= CHUNK else UNTRUSTED


def _opened(name: bytes, flags: int, near: int | None) -> int | None:
    """Opens what has the same name near; None if there is nothing of the kind."""
    if near is None:
        return None
    try:
        return os.open(name, flags, dir_fd=near)
    except OSError:  # gone, closed or another kind by now: the store has it
        return None


def _close(fd: int | None) -> None:
    if fd is not None:
        os.close(fd)
