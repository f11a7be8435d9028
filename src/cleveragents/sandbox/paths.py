"""File access for tools: inside the sandbox, whatever the path says and whoever swaps links."""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.ids import new_id
from cleveragents.snapshots.tree import beneath


class ContainedFiles:
    """Reads and changes files below one directory by descriptors that never follow a link."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> bytes:
        """Returns the bytes of a regular file."""
        with self._parent(path) as (parent, name):
            _mode_of(parent, name, path)  # refuses what is no regular file
            with os.fdopen(os.open(name, beneath.READING, dir_fd=parent), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise Refused(f"{path} is not a regular file")
                return file.read()

    def write(self, path: str, data: bytes) -> None:
        """Puts a file in place as a whole; missing directories are made, its mode is kept."""
        with self._parent(path, make=True) as (parent, name):
            mode = _mode_of(parent, name, path)
            staged = os.fsencode(f".cleveragents-{new_id()}")
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(staged, flags, 0o666, dir_fd=parent)
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(data)
                    if mode is not None:
                        os.fchmod(fd, mode)
                os.rename(staged, name, src_dir_fd=parent, dst_dir_fd=parent)
            except BaseException:
                os.unlink(staged, dir_fd=parent)
                raise

    def delete(self, path: str) -> None:
        """Removes a file or a link, never a directory."""
        with self._parent(path) as (parent, name):
            os.unlink(name, dir_fd=parent)

    def move(self, source: str, target: str) -> None:
        """Renames a file, a link or a directory; refuses to replace anything."""
        with (
            self._parent(source) as (source_dir, old),
            self._parent(target, make=True) as (
                target_dir,
                new,
            ),
        ):
            if _exists(target_dir, new):
                raise Refused(f"{target} exists already")
            os.rename(old, new, src_dir_fd=source_dir, dst_dir_fd=target_dir)

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Generator[tuple[int, bytes]]:
        """Opens the directory of a path; every way out of the root is refused."""
        names = _components(path)
        with beneath.root_directory(self._root) as root, _links_refused(path):
            fd = os.dup(root)
            try:
                for name in names[:-1]:
                    inner = _descend(fd, name, make=make)
                    os.close(fd)
                    fd = inner
                yield fd, names[-1]
            finally:
                os.close(fd)


def _components(path: str) -> list[bytes]:
    names = os.fsencode(path).split(b"/")
    if b"\0" in os.fsencode(path) or any(name in (b"", b".", b"..") for name in names):
        raise Refused(f"{path!r} is not a path inside the sandbox")
    return names


def _descend(parent: int, name: bytes, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):  # opening it tells whether it is a directory
            os.mkdir(name, dir_fd=parent)
    return os.open(name, beneath.DIRECTORY, dir_fd=parent)


def _mode_of(parent: int, name: bytes, path: str) -> int | None:
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        raise Refused(f"{path} is a link or passes through one; none is followed")
    if not stat.S_ISREG(mode):
        raise Refused(f"{path} is not a regular file")
    return stat.S_IMODE(mode)


def _exists(parent: int, name: bytes) -> bool:
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _links_refused(path: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Refused(f"{path} is a link or passes through one; none is followed") from error
        raise
