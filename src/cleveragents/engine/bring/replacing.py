"""Losses of a file of the user's when another one takes its place: told before."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from cleveragents.snapshots.tree import beneath, tree_path


def losses(root: int, path: bytes) -> Iterator[str]:
    """Tells what a path beneath the project's root will no longer be; one look at it is enough."""
    head, name = tree_path.split(path)
    gone = (FileNotFoundError, NotADirectoryError)  # since it was merged: nothing is lost
    with suppress(*gone), beneath.directory(root, head) as parent:
        yield from _losses(os.stat(name, dir_fd=parent, follow_symlinks=False))


def _losses(found: os.stat_result) -> Iterator[str]:
    if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
        yield "hard link, its other names keep what they hold"
    if os.geteuid() == 0:
        return  # may give everybody's back
    if found.st_uid != os.geteuid():
        yield f"will be yours, not user {found.st_uid}'s"
    if found.st_gid not in {os.getegid(), *os.getgroups()}:
        yield f"will no longer belong to group {found.st_gid}"
