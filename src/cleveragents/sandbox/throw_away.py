"""A throw-away directory: states of a plan to try things in, gone when it is left."""

import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from cleveragents.records import replace
from cleveragents.sandbox.git_worktree import tie
from cleveragents.sandbox.rooms import abandoned, mark_of, remove_abandoned, room
from cleveragents.sandbox.sandbox import GIT
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.record import Snapshot


class ThrowAway:
    """A directory that becomes one state after the other."""

    def __init__(self, home: Path, archive: Archive) -> None:
        self.home = home
        self._archive = archive
        self._roots = {MAIN: home / "tree", GIT: home / "git"}

    @property
    def mark(self) -> str:
        """The mark that processes started in it bear."""
        return mark_of(self.home)

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

    def release(self) -> None:
        """Lets go of what the archive holds of it."""
        self._archive.release(self._roots)


@contextmanager
def throw_away(place: Path, archive: Archive) -> Generator[ThrowAway]:
    """Makes a throw-away directory for as long as the block lasts."""
    for home in abandoned(place):
        remove_abandoned(home)
    with room(place) as home:
        found = ThrowAway(home, archive)
        try:
            yield found
        finally:
            found.release()
