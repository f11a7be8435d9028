"""Removes directories of ours, whatever modes the steps in them have left."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from cleveragents.errors import Refused

Raised = tuple[type[BaseException], BaseException, TracebackType]


def remove_tree(path: Path, inside: Path) -> None:
    """Removes a directory with all that is in it; what does not lie inside is none of ours."""
    if inside.resolve() not in path.parent.resolve().joinpath(path.name).parents:
        raise Refused(f"{path} does not lie in {inside}: it is not removed")
    _remove(path)


def somebody_elses(top: Path) -> Path | None:
    """Finds a directory at or below a path that is another user's and keeps us from removing it.

    What cannot be looked at because a directory of ours is closed is opened when it is removed.
    """
    waiting = [top]
    while waiting:
        path = waiting.pop()
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            is_ours = path.lstat().st_uid == os.geteuid()
            try:
                entries = list(os.scandir(path))
            except PermissionError:
                if is_ours:
                    continue
                return path
            may_change = os.access(path, os.W_OK | os.X_OK, effective_ids=True)
            if entries and not is_ours and not may_change:
                return path
            waiting += [Path(one.path) for one in entries if one.is_dir(follow_symlinks=False)]
    return None


def _remove(path: str | Path) -> None:
    import shutil  # noqa: PLC0415 - slow to import, and most commands remove nothing

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
        _remove(path)
    else:  # it is somebody else's
        raise PermissionError(error.errno, error.strerror, path) from error


def _open(directory: str) -> bool:
    """Lets the owner list, change and enter a directory, never a link; tells if that was needed."""
    mode = os.lstat(directory).st_mode
    if not stat.S_ISDIR(mode) or mode & stat.S_IRWXU == stat.S_IRWXU:
        return False
    os.chmod(directory, stat.S_IRWXU)
    return True
