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
    error = raised[1]
    if not isinstance(error, PermissionError):
        raise error
    opened = _open(os.path.dirname(path))
    if act in (os.unlink, os.rmdir):
        act(path)
    elif _open(path) or opened:  # it could not be looked at, let alone entered
        shutil.rmtree(path, onerror=_unlock)
    else:  # it is somebody else's
        raise PermissionError(error.errno, error.strerror, path) from error


def _open(directory: str) -> bool:
    """Lets the owner list, change and enter a directory, never a link; tells if that was needed."""
    mode = os.lstat(directory).st_mode
    if not stat.S_ISDIR(mode) or mode & stat.S_IRWXU == stat.S_IRWXU:
        return False
    os.chmod(directory, stat.S_IRWXU)
    return True
