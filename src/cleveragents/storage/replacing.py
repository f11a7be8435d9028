"""Replaces files of the user's as a whole: settings, of ours and of other programs."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from cleveragents.ids import new_id
from cleveragents.storage.durability import sync_directory


@contextmanager
def alone(path: Path) -> Generator[Path]:
    """Lets nobody else change the file meanwhile; a link is followed, so that it stays one."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield target
    finally:
        os.close(fd)


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Puts a file in the place of another: a crash leaves the old one or the new one.

    It has the mode and the owner of the one that was there, unless a mode is given.
    """
    temporary = path.with_name(f".{path.name}.{new_id()}")
    try:
        with open(temporary, "xb") as file:
            _become(file.fileno(), path, mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def _become(fd: int, path: Path, mode: int | None) -> None:
    if path.exists():
        there = path.stat()
        if (there.st_uid, there.st_gid) != (os.fstat(fd).st_uid, os.fstat(fd).st_gid):
            os.fchown(fd, there.st_uid, there.st_gid)
        os.fchmod(fd, there.st_mode & 0o7777)
    if mode is not None:
        os.fchmod(fd, mode)
