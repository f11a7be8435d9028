"""What a restore takes out of its way: renamed aside at once, removed when nobody waits for it.

To free the blocks of a file can take a hundred times as long as to rename it. What lies aside is in
a checkpoint already and needed by nobody, so it may be removed at any moment, or by whoever comes
next if the process dies.
"""

import os
import stat
from collections import deque
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from threading import Thread

from cleveragents.snapshots.tree import beneath

_PREFIX = "aside-"


class Aside:
    """Takes files of one restore aside, into a directory of ours on the same file system."""

    def __init__(self, staging: int) -> None:
        self._staging = staging
        # Never a name that is taken: to rename a hard link onto its own inode does nothing.
        self._mark = f"{_PREFIX}{token_hex(8)}"
        self._taken = 0

    def take(self, parent: int, name: bytes) -> None:
        """Takes away what stands at a name and is no directory.

        One of several names of a file frees nothing and is unlinked: aside it would still be
        counted among them.
        """
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if found.st_nlink > 1 or not stat.S_ISREG(found.st_mode):
            os.unlink(name, dir_fd=parent)
            return
        self._taken += 1
        new = f"{self._mark}-{self._taken}"
        os.rename(name, new, src_dir_fd=parent, dst_dir_fd=self._staging)


class Purges:
    """Removes what lies aside, while others go on."""

    def __init__(self) -> None:
        self._running: deque[Thread] = deque()

    def start(self, staging: Path) -> None:
        """Begins to remove what lies aside in a directory; `wait` before giving it away."""
        if not any(name.startswith(_PREFIX) for name in os.listdir(staging)):
            return
        thread = Thread(target=_purge_quietly, args=(staging,), name="purging")
        with suppress(RuntimeError):  # no more threads to be had: the next one removes it
            thread.start()
            self._running.append(thread)

    def wait(self) -> None:
        """Returns when nothing is being removed any more."""
        with suppress(IndexError):
            while True:
                self._running.popleft().join()


def purge(staging: int) -> bool:
    """Removes what lies aside in an open directory; tells whether there was anything."""
    names = [name for name in os.listdir(staging) if name.startswith(_PREFIX)]
    for name in names:
        with suppress(FileNotFoundError):  # somebody else was faster
            os.unlink(name, dir_fd=staging)
    return bool(names)


def _purge_quietly(staging: Path) -> None:
    """What cannot be removed stays and is counted with what killed processes have left."""
    with suppress(OSError), beneath.root_directory(staging) as fd:
        purge(fd)
