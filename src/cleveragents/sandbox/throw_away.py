"""A throw-away directory: states of a plan to try things in, gone when it is left.

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
from cleveragents.records import replace
from cleveragents.sandbox.git_worktree import tie
from cleveragents.sandbox.removal import remove_tree
from cleveragents.sandbox.sandbox import GIT
from cleveragents.sandbox.survivors import end_left_behind
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.tree.beneath import root_directory
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.record import Snapshot

SUFFIX = ".trying"  # ends its name


class ThrowAway:
    """A directory that becomes one state after the other."""

    def __init__(self, home: Path, archive: Archive) -> None:
        self.home = home
        self._archive = archive
        self._roots = {MAIN: home / "tree", GIT: home / "git"}

    @property
    def mark(self) -> str:
        """The mark that processes started in it bear."""
        return self.home.name.removesuffix(SUFFIX)

    def become(self, snapshot: Snapshot) -> Path:
        """Makes the files those of a snapshot, whatever was done to them; returns where they are.

        Nothing is excluded: what an earlier try left goes. The git directory is a copy, too.
        """
        roots = {name: self._roots[name] for name in snapshot.roots}
        for path in roots.values():
            path.mkdir(mode=stat.S_IRWXU, exist_ok=True)
        whole = replace(snapshot, filter=Filter())
        self._archive.restore(whole, roots, self.home / "staging")
        if GIT in roots:
            tie(roots[MAIN], roots[GIT])
        return roots[MAIN]

    def remove(self) -> None:
        """Removes all of it."""
        self._archive.release(self._roots)
        remove_tree(self.home, self.home.parent)


@contextmanager
def throw_away(place: Path, archive: Archive) -> Generator[ThrowAway]:
    """Makes a throw-away directory for as long as the block lasts."""
    for home in abandoned(place):
        remove_abandoned(home)
    home = place / f"{new_id()}{SUFFIX}"
    home.mkdir(mode=stat.S_IRWXU, parents=True)
    with root_directory(home) as fd:
        fcntl.flock(fd, fcntl.LOCK_EX)
        room = ThrowAway(home, archive)
        try:
            yield room
        finally:
            room.remove()


def abandoned(place: Path) -> Iterator[Path]:
    """Yields what killed processes have left."""
    return (home for home in place.glob(f"*{SUFFIX}") if not is_in_use(home))


def is_in_use(home: Path) -> bool:
    """Tells whether a living process uses a throw-away directory."""
    try:
        with root_directory(home) as fd:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (BlockingIOError, Refused):  # or it is just being removed
        return True
    return False


def remove_abandoned(home: Path) -> None:
    """Ends what a killed process left running in a throw-away directory, and removes it."""
    end_left_behind(home.name.removesuffix(SUFFIX), home)
    remove_tree(home, home.parent)
