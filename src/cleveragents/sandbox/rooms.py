"""Rooms: directories for the moment beside the sandboxes, gone when they are left.

Whoever uses one holds a lock on it, which the kernel frees with the process: one that nobody holds
was left by a process that was killed.
"""

import fcntl
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.ids import new_id
from cleveragents.sandbox.removal import remove_tree
from cleveragents.sandbox.survivors import end_left_behind
from cleveragents.snapshots.tree.beneath import root_directory

SUFFIX = ".trying"  # ends its name


@contextmanager
def room(place: Path) -> Generator[Path]:
    """Makes a room for as long as the block lasts."""
    home = place / f"{new_id()}{SUFFIX}"
    home.mkdir(mode=stat.S_IRWXU, parents=True)
    with root_directory(home) as fd:
        fcntl.flock(fd, fcntl.LOCK_EX)
        try:
            yield home
        finally:
            remove_tree(home, place)


def mark_of(home: Path) -> str:
    """The mark that processes started in a room bear."""
    return home.name.removesuffix(SUFFIX)


def abandoned(place: Path) -> Iterator[Path]:
    """Yields what killed processes have left."""
    return (home for home in place.glob(f"*{SUFFIX}") if not is_in_use(home))


def is_in_use(home: Path) -> bool:
    """Tells whether a living process uses a room."""
    try:
        with root_directory(home) as fd:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (BlockingIOError, Refused):  # or it is just being removed
        return True
    return False


def remove_abandoned(home: Path) -> None:
    """Ends what a killed process left running in a room, and removes it."""
    end_left_behind(mark_of(home), home)
    remove_tree(home, home.parent)
