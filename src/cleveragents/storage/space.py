"""Space on a disk: how much something takes, and how much is free for us where it is kept."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from cleveragents.counting import size

BLOCK = 512  # what `st_blocks` counts in
OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT)
FREE_SOME = "free some space and try again, for example with: agents sandbox prune"


@contextmanager
def if_there_is_room() -> Generator[None]:
    """Leaves out what does not fit on a full disk; any other error is one."""
    try:
        yield
    except OSError as error:
        if error.errno not in OUT_OF_SPACE:
            raise


def free_bytes(path: Path) -> int:
    """Returns how many bytes may still be written to the file system of a path."""
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def block_size(path: Path) -> int:
    """Returns what a file of one byte takes on the file system of a path."""
    return os.statvfs(path).f_frsize


def told_free(path: Path) -> str:
    """Tells how much is free at a path, or at the nearest directory above it that is there."""
    there = next(one for one in (path, *path.parents) if one.exists())
    return f"{size(free_bytes(there))} free in {there}"


def disk_use(top: Path) -> int:
    """Returns the bytes that what is in a directory takes on the disk, as far as it can be seen."""
    total = 0
    waiting = [os.fspath(top)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:  # gone, closed, or too deep
            for entry in entries:
                with suppress(OSError):  # gone meanwhile, or in a directory open for its names only
                    total += entry.stat(follow_symlinks=False).st_blocks * BLOCK
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return total
