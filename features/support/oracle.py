"""The oracle: what a directory tree really holds, seen with system calls alone.

It shares no code with the product, so that a mistake there cannot hide here. Two pictures of a
tree are equal if and only if everything that a snapshot promises to bring back is equal.
"""

import errno
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass, fields
from hashlib import sha256

KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}
ATTRIBUTES = ("user.", "system.posix_acl_")
BLOCK = 1 << 20


@dataclass(frozen=True)
class LiveSnapshot:
    """Everything that counts about one path."""

    kind: str
    mode: int | None = None  # permission bits; links have none of their own
    content: str | bytes | None = None  # hash of a file's bytes, or the text of a link
    mtime: int | None = None  # of regular files, in nanoseconds
    attributes: tuple[tuple[str, bytes], ...] = ()
    links: frozenset[bytes] = frozenset()  # every path of the tree that is the same file


def picture(root, *, without=()):
    """Maps every path below a directory, and the directory itself as b"", to what is there.

    `without` names paths (bytes) that are not looked at, nor what lies below them.
    """
    walk = _Walk(frozenset(without))
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        walk.found[b""] = LiveSnapshot("directory", _bits(os.fstat(fd)), attributes=_attributes(fd))
        walk.directory(fd, b"")
    finally:
        os.close(fd)
    return walk.grouped()


def differences(first, second):
    """Tells in words what differs between two pictures, path by path."""
    told = []
    for path in sorted(first.keys() | second.keys()):
        shown = os.fsdecode(path) or "."
        if path not in second:
            told.append(f"{shown}: only in the first ({first[path].kind})")
        elif path not in first:
            told.append(f"{shown}: only in the second ({second[path].kind})")
        else:
            told += [f"{shown}: {line}" for line in _unequal(first[path], second[path])]
    return told


def assert_same(first, second):
    """Fails with every difference between two pictures."""
    found = differences(first, second)
    assert not found, "\n".join(["the trees differ:", *found[:40]])


class _Walk:
    def __init__(self, without):
        self._without = without
        self._inodes = {}
        self.found = {}

    def directory(self, fd, path):
        for text in os.listdir(fd):
            name = os.fsencode(text)
            inner = path + b"/" + name if path else name
            if inner not in self._without:
                self._entry(fd, name, inner)

    def grouped(self):
        for paths in self._inodes.values():
            if len(paths) > 1:
                for path in paths:
                    seen = self.found[path]
                    self.found[path] = LiveSnapshot(*_values(seen)[:-1], frozenset(paths))
        return self.found

    def _entry(self, parent, name, path):
        found = os.lstat(name, dir_fd=parent)
        kind = KINDS[stat.S_IFMT(found.st_mode)]
        if kind == "file":
            with _opened(parent, name, found, os.O_RDONLY) as fd:
                self.found[path] = LiveSnapshot(
                    kind, _bits(found), _hash(fd), found.st_mtime_ns, _attributes(fd)
                )
            self._inodes.setdefault((found.st_dev, found.st_ino), []).append(path)
        elif kind == "directory":
            with _opened(parent, name, found, os.O_RDONLY | os.O_DIRECTORY) as fd:
                self.found[path] = LiveSnapshot(kind, _bits(found), attributes=_attributes(fd))
                self.directory(fd, path)
        elif kind == "link":
            self.found[path] = LiveSnapshot(kind, content=os.readlink(name, dir_fd=parent))
        else:
            self.found[path] = LiveSnapshot(kind, _bits(found))


@contextmanager
def _opened(parent, name, found, flags):
    """Opens what its own mode may forbid; the mode is as before when this ends."""
    forbidden = False
    try:
        fd = os.open(name, flags | os.O_NOFOLLOW, dir_fd=parent)
    except PermissionError:
        forbidden = True
        os.chmod(name, _bits(found) | 0o700, dir_fd=parent)
        fd = os.open(name, flags | os.O_NOFOLLOW, dir_fd=parent)
    try:
        yield fd
    finally:
        os.close(fd)
        if forbidden:
            os.chmod(name, _bits(found), dir_fd=parent)


def _hash(fd):
    """Hashes the size and every block that is not all zeros, so that holes cost no time."""
    size = os.fstat(fd).st_size
    digest = sha256(size.to_bytes(8, "big"))
    at = _next_data(fd, 0, size)
    while at < size:
        block = os.pread(fd, BLOCK, at)
        if block.strip(b"\0"):
            digest.update(at.to_bytes(8, "big") + block)
        at = _next_data(fd, at + BLOCK, size)
    return digest.hexdigest()


def _next_data(fd, at, size):
    """Where the block starts that holds the next data at or after an offset."""
    if at >= size:
        return size
    try:
        found = os.lseek(fd, at, os.SEEK_DATA)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return size
        return at
    return found - found % BLOCK


def _attributes(fd):
    try:
        names = os.listxattr(fd)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return ()
        raise
    kept = sorted(name for name in names if name.startswith(ATTRIBUTES))
    return tuple((name, os.getxattr(fd, name)) for name in kept)


def _bits(found):
    return stat.S_IMODE(found.st_mode)


def _values(seen):
    return [getattr(seen, field.name) for field in fields(seen)]


def _unequal(first, second):
    if first.kind != second.kind:
        return [f"{first.kind} became {second.kind}"]
    return [
        f"{field.name} {_shown(field.name, old)} became {_shown(field.name, new)}"
        for field, old, new in zip(fields(first), _values(first), _values(second), strict=True)
        if old != new
    ]


def _shown(name, value):
    if name == "mode":
        return f"{value:04o}"
    if name == "links":
        return sorted(value)
    return value
