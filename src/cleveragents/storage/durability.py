"""Makes what was written survive a power cut; an error here is never retried."""

import ctypes
import os
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)


def sync_directory(path: Path) -> None:
    """Makes the names in a directory durable."""
    _sync(path, os.O_DIRECTORY)


def sync_file(path: Path) -> None:
    """Makes the content of a file durable."""
    _sync(path, 0)


def _sync(path: Path, kind: int) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | kind)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_file_system(path: Path) -> None:
    """Makes everything written to the file system of the path durable."""
    fd = _open_on_file_system_of(path)
    try:
        refuse_error(_libc.syncfs(fd), path)
    finally:
        os.close(fd)


def _open_on_file_system_of(path: Path) -> int:
    """Opens a path, or what it lies in if its own mode forbids that: any door is as good."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except PermissionError:
        if path.stat().st_dev != path.parent.stat().st_dev:
            raise
    return os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)


def refuse_error(result: int, path: Path) -> None:
    """Turns what a system call says into an error: what is not durable must not be told as so."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), os.fspath(path))
