"""Scans a directory into a manifest, entry by entry, exactly as it is."""

import errno
import os
import stat
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol

from cleveragents.errors import Failed, Refused
from cleveragents.snapshots import beneath
from cleveragents.snapshots.content import store_file
from cleveragents.snapshots.manifest import Directory, Entry

MAX_DEPTH = 200  # one descriptor is held per level
RACY_NS = 2_000_000_000  # an entry younger than this may change again without a trace
READ_ROUNDS = 3
XATTRS_KEPT = ("user.", "system.posix_acl_")
XATTRS_UNTOLD = ("security.selinux", "security.apparmor")  # set by the system, not by a step

EXCLUDED = "excluded"

Excluded = Callable[[bytes], bool]  # told the path from the root


# What earlier scans read and stored, by path; trusted by inode, size, links and times alone.
StatCache = dict[bytes, tuple[tuple[int, ...], Entry]]


class Sink(Protocol):
    """Takes the objects a scan finds and tells their ids."""

    def put(self, data: bytes) -> bytes: ...
    def put_directory(self, directory: Directory) -> bytes: ...


@dataclass(frozen=True)
class Scan:
    """The manifest of a directory, and what was seen on the way."""

    root: Entry
    files: int
    not_captured: list[tuple[bytes, str]]  # path and why it could not or should not be taken
    read: StatCache
    cache: StatCache

    def remember(self) -> None:
        """Lets later scans skip what this one read; call it only once that is stored."""
        self.cache.update(self.read)


def scan(
    path: str | os.PathLike[str],
    sink: Sink,
    *,
    excluded: Excluded,
    cache: StatCache,
    borrow: bool = True,
) -> Scan:
    """Walks the directory and hands every object that is not in the cache to the sink.

    With `borrow` an owner reads what its own mode forbids (the mode is put back at once);
    without it such an entry is refused.
    """
    with beneath.root_directory(path) as fd:
        walk = _Walk(sink, excluded, cache, device=os.fstat(fd).st_dev, borrow=borrow)
        root = walk.directory(fd, b"", 0)
        walk.settle_links()
        return Scan(walk.encoded(root), walk.files, walk.not_captured, walk.read, cache)


@dataclass
class _Node:
    """A directory while the walk goes on; link groups are known only at its end."""

    own: Entry
    entries: Directory
    children: "dict[bytes, _Node]"


@dataclass(frozen=True)
class _Linked:
    """The names of one inode that the walk has met."""

    count: int  # how many names it has anywhere
    members: list[tuple[bytes, _Node, bytes]]  # path, and where its entry is


class _Walk:
    """One walk, and what must be known across its directories."""

    def __init__(
        self, sink: Sink, excluded: Excluded, cache: StatCache, *, device: int, borrow: bool
    ) -> None:
        self._sink = sink
        self._excluded = excluded
        self._cache = cache
        self._borrow = borrow
        self._device = device
        self._trusted_before_ns = time.time_ns() - RACY_NS
        self._links: dict[int, _Linked] = {}  # by inode
        self.files = 0
        self.read: StatCache = {}
        self.not_captured: list[tuple[bytes, str]] = []

    def directory(self, fd: int, path: bytes, depth: int) -> _Node:
        if depth > MAX_DEPTH:
            raise Refused(f"{shown(path)}: directories are nested deeper than {MAX_DEPTH}")
        node = _Node(Entry(os.fstat(fd).st_mode, xattrs=self._xattrs(fd, path)), {}, {})
        for text in os.listdir(fd):
            name = os.fsencode(text)
            inner = path + b"/" + name if path else name
            if self._excluded(inner):
                self._leave_out(inner, EXCLUDED)
            else:
                self._entry(fd, name, inner, node, depth)
        return node

    def settle_links(self) -> None:
        """Marks files that share an inode with the path of the first of them."""
        for linked in self._links.values():
            first = min(path for path, _, _ in linked.members)
            if len(linked.members) < linked.count:
                self._leave_out(first, "its hard links outside; it would be restored as a copy")
            if len(linked.members) > 1:
                for _, node, name in linked.members:
                    node.entries[name] = node.entries[name]._replace(link=first)

    def encoded(self, node: _Node) -> Entry:
        """Stores the directory objects, children before parents; returns the entry for this one."""
        for name, child in node.children.items():
            node.entries[name] = self.encoded(child)
        return node.own._replace(content=self._sink.put_directory(node.entries))

    def _entry(self, parent: int, name: bytes, path: bytes, node: _Node, depth: int) -> None:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            node.entries[name] = self._file(parent, name, path, found)
            if found.st_nlink > 1:
                linked = self._links.setdefault(found.st_ino, _Linked(found.st_nlink, []))
                linked.members.append((path, node, name))
        elif stat.S_ISDIR(found.st_mode):
            self._subdirectory(parent, name, path, node, depth)
        elif stat.S_ISLNK(found.st_mode):
            text = os.readlink(name, dir_fd=parent)
            node.entries[name] = Entry(found.st_mode, content=self._sink.put(text))
        elif stat.S_ISFIFO(found.st_mode):
            node.entries[name] = Entry(found.st_mode)
        elif stat.S_ISSOCK(found.st_mode):
            self._leave_out(path, "a socket cannot be restored")
        else:
            raise Refused(
                f"{shown(path)} is a device",
                hints=["remove it, or leave it out with sandbox.checkpoint.exclude"],
            )

    def _subdirectory(self, parent: int, name: bytes, path: bytes, node: _Node, depth: int) -> None:
        with ExitStack() as stack:
            fd = self._opened(stack, parent, name, path, beneath.DIRECTORY, stat.S_IRWXU)
            if os.fstat(fd).st_dev != self._device:
                self._leave_out(path, "another file system is mounted there")
                return
            child = self.directory(fd, path, depth + 1)
        # Borrowed bits were on while we looked; the mode that counts is the one put back.
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        child.own = child.own._replace(mode=mode)
        node.children[name] = child

    def _file(self, parent: int, name: bytes, path: bytes, found: os.stat_result) -> Entry:
        self.files += 1
        signature, known = self._cache.get(path, ((), None))
        if known and signature == _signature(found) and found.st_ctime_ns < self._trusted_before_ns:
            return known
        with ExitStack() as stack:
            fd = self._opened(stack, parent, name, path, beneath.READING, stat.S_IRUSR)
            entry = self._read_file(fd, path)
        settled = os.stat(name, dir_fd=parent, follow_symlinks=False)
        entry = entry._replace(mode=settled.st_mode)
        self.read[path] = (_signature(settled), entry)
        return entry

    def _read_file(self, fd: int, path: bytes) -> Entry:
        """Reads a file that must not change meanwhile; a moving one is read again."""
        for _ in range(READ_ROUNDS):
            before = os.fstat(fd)
            if not stat.S_ISREG(before.st_mode):
                break
            content = store_file(fd, before.st_size, self._sink.put)
            xattrs = self._xattrs(fd, path)
            if _signature(os.fstat(fd)) == _signature(before):
                return Entry(
                    before.st_mode, before.st_size, before.st_mtime_ns, content, xattrs=xattrs
                )
        raise Failed(
            f"{shown(path)} keeps changing while it is read",
            hints=["stop what writes to it, or leave it out with sandbox.checkpoint.exclude"],
        )

    def _opened(
        self, stack: ExitStack, parent: int, name: bytes, path: bytes, flags: int, bits: int
    ) -> int:
        try:
            fd = os.open(name, flags, dir_fd=parent)
        except PermissionError as error:
            owner = os.stat(name, dir_fd=parent, follow_symlinks=False).st_uid
            if not self._borrow or owner != os.geteuid():
                raise Refused(
                    f"no permission to read {shown(path)}",
                    hints=["make it readable for you, or leave it out"],
                ) from error
            stack.enter_context(beneath.borrowed(parent, name, bits))
            fd = os.open(name, flags, dir_fd=parent)
        stack.callback(os.close, fd)
        return fd

    def _xattrs(self, fd: int, path: bytes) -> tuple[tuple[bytes, bytes], ...]:
        try:
            names = os.listxattr(fd)
        except OSError as error:
            if error.errno in (errno.ENOTSUP, errno.ENOSYS):
                return ()
            raise
        kept = sorted(name for name in names if name.startswith(XATTRS_KEPT))
        for name in names:
            if name not in kept and name not in XATTRS_UNTOLD:
                self._leave_out(path, f"extended attribute {name}")
        return tuple((os.fsencode(name), os.getxattr(fd, name)) for name in kept)

    def _leave_out(self, path: bytes, why: str) -> None:
        self.not_captured.append((path, why))


def _signature(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_ino, found.st_size, found.st_ctime_ns, found.st_mtime_ns, found.st_nlink)


def shown(path: bytes) -> str:
    """A path as people read it."""
    return os.fsdecode(path) or "."
