"""Removes directories of ours, whatever modes the steps in them have left."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

Raised = tuple[type[BaseException], BaseException, TracebackType]


def remove_tree(path: Path) -> None:
    """Removes a directory with all that is in it."""
    shutil.rmtree(path, onerror=_unlock)


def _unlock(act: Callable[[str], object], path: str, raised: Raised) -> None:
    """Opens what is closed to its owner, and tries again."""
    if not isinstance(raised[1], PermissionError):
        raise raised[1]
    _open(os.path.dirname(path))
    if act in (os.unlink, os.rmdir):
        act(path)
    else:  # it could not be looked at, let alone entered
        _open(path)
        shutil.rmtree(path, onerror=_unlock)


def _open(directory: str) -> None:
    """Lets the owner list, change and enter a directory; never follows a link."""
    mode = os.lstat(directory).st_mode
    if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(directory, stat.S_IRWXU)
