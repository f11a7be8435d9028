"""Opens what lies beneath a directory, never following a link, by held descriptors only.

Paths are never resolved twice: each component is opened relative to the descriptor of the one
before it with O_NOFOLLOW, so a link planted or swapped in meanwhile is refused, not followed.
"""

import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

from cleveragents.errors import Gone
from cleveragents.snapshots.tree import tree_path

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A FIFO put in place of a file must not block us, a terminal must not adopt us.
READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

Opens = Callable[[int, bytes], int]  # a name in an open directory


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

    With `borrow` an owner may enter and search it even if the root's mode forbids that.
    """
    if os.path.islink(path) or not os.path.isdir(path):
        raise Gone(
            f"{os.fspath(path)} is gone, or something else took its place",
            hints=["put it back where it was, or mount its disk, then try again"],
        )
    try:
        return open_directory(None, os.fsencode(path)), None
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


def open_directory(parent: int | None, name: bytes) -> int:
    """Opens a directory; one that may be read but not searched tells names and nothing of them."""
    fd = os.open(name, DIRECTORY, dir_fd=parent)
    found = os.fstat(fd)
    if found.st_uid == os.geteuid() and found.st_mode & stat.S_IXUSR:
        return fd
    if os.access(f"/proc/self/fd/{fd}", os.X_OK, effective_ids=True):
        return fd
    os.close(fd)
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)


@contextmanager
def directory(root: int, path: bytes) -> Generator[int]:
    """Opens the directory at a path beneath the root (empty: the root itself)."""
    fd = os.dup(root)
    try:
        for name in tree_path.names(path):
            inner = os.open(name, DIRECTORY, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd
    finally:
        os.close(fd)


def open_file(parent: int, name: bytes) -> int:
    """Opens a file for reading."""
    return os.open(name, READING, dir_fd=parent)


@contextmanager
def own_directory(root: str | os.PathLike[str], path: bytes) -> Generator[int]:
    """Opens a directory beneath a root of ours, also where modes forbid it."""
    with ExitStack() as stack:
        parent, mode = open_root(root, borrow=True)
        stack.callback(os.close, parent)
        if mode is not None:
            stack.callback(os.fchmod, parent, mode)
        for step in tree_path.names(path):
            parent = stack.enter_context(_opened(parent, step, open_directory, stat.S_IRWXU))
        yield parent


def read(root: str | os.PathLike[str], path: bytes) -> bytes:
    """Returns the bytes of a file of ours or the text of a link, also where modes forbid it."""
    head, name = tree_path.split(path)
    with own_directory(root, head) as parent:
        if _is_link(parent, name):
            return os.fsencode(os.readlink(name, dir_fd=parent))
        with (
            _opened(parent, name, open_file, stat.S_IRUSR) as fd,
            os.fdopen(os.dup(fd), "rb") as file,
        ):
            return file.read()


def read_as_is(root: str | os.PathLike[str], path: bytes) -> bytes:
    """Returns the same of a file that is not ours: no mode is changed for it."""
    head, name = tree_path.split(path)
    with root_directory(root) as top, directory(top, head) as parent:
        if _is_link(parent, name):
            return os.fsencode(os.readlink(name, dir_fd=parent))
        with os.fdopen(open_file(parent, name), "rb") as file:
            return file.read()


def _is_link(parent: int, name: bytes) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


@contextmanager
def _opened(parent: int, name: bytes, opens: Opens, bits: int) -> Generator[int]:
    with ExitStack() as stack:
        try:
            fd = opens(parent, name)
        except PermissionError:
            stack.enter_context(borrowed(parent, name, bits))
            fd = opens(parent, name)
        stack.callback(os.close, fd)
        yield fd


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
