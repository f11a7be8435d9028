"""Entries that a restore takes out of its way: renamed aside at once, removed when nobody waits.

To free the blocks of a file can take a hundred times as long as to rename it. What lies aside is in
a checkpoint already and needed by nobody, so it may be removed at any moment, or by whoever comes
next if the process dies.
"""

import os
import stat
from collections import deque
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from threading import Thread

from cleveragents.errors import Interrupted, Unsettled
from cleveragents.snapshots.tree import beneath, giving_up
from cleveragents.snapshots.tree.manifest import Entry

_PREFIX = "aside-"
TRIED_AGAIN = "the next command that changes the plan tries again"


class WrittenMeanwhile(Unsettled):
    """A path is not as it was seen a moment ago: somebody has written there since."""


def written_meanwhile(name: bytes, how: str) -> WrittenMeanwhile:
    """Tells the name, and what was done there."""
    return WrittenMeanwhile(
        f"{os.fsdecode(name)} was {how} while it was to be replaced; it is kept",
        hints=[TRIED_AGAIN],
    )


class Aside:
    """Takes files of one restore aside, into a directory of ours on the same file system."""

    def __init__(self, staging: int) -> None:
        self._staging = staging
        # Never a name that is taken: to rename a hard link onto its own inode does nothing.
        self._mark = f"{_PREFIX}{os.urandom(8).hex()}"
        self._taken = 0

    def take(self, parent: int, name: bytes, before: Entry) -> str | None:
        """Takes away what stands at a name and is no directory; refuses what is not as it was seen.

        Returns the name that it lies aside by, until it is purged.
        One of several names of a file frees nothing and is unlinked: aside it would still be
        counted among them.
        """
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if found.st_nlink > 1 or not stat.S_ISREG(found.st_mode):
            _refuse_other(found, before, name)
            os.unlink(name, dir_fd=parent)
            return None
        self._taken += 1
        new = f"{self._mark}-{self._taken}"
        os.rename(name, new, src_dir_fd=parent, dst_dir_fd=self._staging)
        try:  # out of everybody's reach, so that nothing is written between the look and the end
            moved = os.stat(new, dir_fd=self._staging, follow_symlinks=False)
            _refuse_other(moved, before, name)
        except WrittenMeanwhile:
            os.rename(new, name, src_dir_fd=self._staging, dst_dir_fd=parent)
            raise
        return new


class Purges:
    """Removes what lies aside, while others go on."""

    def __init__(self) -> None:
        self._running: deque[Thread] = deque()

    def start(self, staging: Path) -> None:
        """Begins to remove what lies aside in a directory; `wait` before giving it away."""
        names = _aside(os.listdir(staging))
        if not names:
            return
        # By name: what goes aside from now on was not compared with what was saved yet.
        within = copy_context().run  # what gives this thread's work up gives that up, too
        thread = Thread(target=within, args=(_purge_quietly, staging, names), name="purging")
        with suppress(RuntimeError):  # no more threads to be had: the next one removes it
            thread.start()
            self._running.append(thread)

    def wait(self) -> None:
        """Returns when nothing is being removed any more."""
        with suppress(IndexError):
            while True:
                self._running.popleft().join()


def _refuse_other(found: os.stat_result, before: Entry, name: bytes) -> None:
    """Refuses a file whose size or time is not what was seen; links and the like have neither."""
    seen = (before.size, before.mtime_ns)
    if stat.S_ISREG(found.st_mode) and (found.st_size, found.st_mtime_ns) != seen:
        raise written_meanwhile(name, "written to")


def purge(staging: int) -> bool:
    """Removes what lies aside in an open directory; tells whether there was anything."""
    names = _aside(os.listdir(staging))
    _unlink(staging, names)
    return bool(names)


def _purge_quietly(staging: Path, names: list[str]) -> None:
    """Leaves what cannot be removed; it is counted with what killed processes left."""
    with suppress(OSError, Interrupted), beneath.root_directory(staging) as fd:
        _unlink(fd, names)


def _aside(names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(_PREFIX)]


def _unlink(staging: int, names: list[str]) -> None:
    for name in names:
        giving_up.look()
        with suppress(FileNotFoundError):  # somebody else was faster
            os.unlink(name, dir_fd=staging)
