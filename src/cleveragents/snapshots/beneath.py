"""Opens what lies beneath a directory, never following a link, by held descriptors only.

Paths are never resolved twice: each component is opened relative to the descriptor of the one
before it with O_NOFOLLOW, so a link planted or swapped in meanwhile is refused, not followed.
"""

import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from cleveragents.errors import Refused

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A FIFO put in place of a file must not block us, a terminal must not adopt us.
READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@contextmanager
def root_directory(path: str | os.PathLike[str]) -> Generator[int]:
    """Opens the root itself, which must be a directory and no link to one."""
    fd, _ = open_root(path, borrow=False)
    try:
        yield fd
    finally:
        os.close(fd)


def open_root(path: str | os.PathLike[str], *, borrow: bool) -> tuple[int, int | None]:
    """Opens a root; returns its descriptor and the mode to put back if it had to be changed.

    With `borrow` an owner may enter even if the root's mode forbids it.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        raise Refused(f"{os.fspath(path)} is gone, or something else took its place")
    try:
        return os.open(path, DIRECTORY), None
    except PermissionError:
        if not borrow:
            raise
    parent, name = os.path.split(os.path.abspath(path))
    above = os.open(parent, DIRECTORY)
    try:
        mode = grant(above, os.fsencode(name), stat.S_IRWXU)
    finally:
        os.close(above)
    return os.open(path, DIRECTORY), mode


@contextmanager
def directory(root: int, path: bytes) -> Generator[int]:
    """Opens the directory at a path beneath the root (empty: the root itself)."""
    fd = os.dup(root)
    try:
        for name in names(path):
            inner = os.open(name, DIRECTORY, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd
    finally:
        os.close(fd)


def read_file(root: int, path: bytes) -> bytes:
    """Returns the bytes of a file; an owner may read what its mode forbids at present."""
    head, name = split(path)
    with directory(root, head) as parent:
        try:
            fd = os.open(name, READING, dir_fd=parent)
        except PermissionError:
            with borrowed(parent, name, stat.S_IRUSR):
                fd = os.open(name, READING, dir_fd=parent)
        with os.fdopen(fd, "rb") as file:
            return file.read()


def read_link(root: int, path: bytes) -> bytes:
    """Returns the text of a link."""
    head, name = split(path)
    with directory(root, head) as parent:
        return os.fsencode(os.readlink(name, dir_fd=parent))


def grant(parent: int, name: bytes, bits: int) -> int:
    """Gives the owner permission bits on an entry; returns the mode to put back later."""
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        mode = stat.S_IMODE(os.fstat(handle).st_mode)
        # fchmod refuses O_PATH descriptors; their /proc name is the same inode, never a link.
        os.chmod(f"/proc/self/fd/{handle}", mode | bits)
        return mode
    finally:
        os.close(handle)


@contextmanager
def borrowed(parent: int, name: bytes, bits: int) -> Generator[None]:
    """Grants the bits for a while and puts the mode back, even on error."""
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        mode = grant(parent, name, bits)
        try:
            yield
        finally:
            os.chmod(f"/proc/self/fd/{handle}", mode)
    finally:
        os.close(handle)


def names(path: bytes) -> list[bytes]:
    """The components of a path."""
    return path.split(b"/") if path else []


def split(path: bytes) -> tuple[bytes, bytes]:
    """Splits a path into its directory and its last name."""
    head, _, name = path.rpartition(b"/")
    return head, name


def above(path: bytes) -> Iterator[bytes]:
    """Yields the directories above a path, the outermost first."""
    at = path.find(b"/")
    while at >= 0:
        yield path[:at]
        at = path.find(b"/", at + 1)
