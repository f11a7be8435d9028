"""Removes directories of ours, whatever modes the steps in them have left."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path


def remove_tree(path: Path) -> None:
    """Removes a directory with all that is in it."""
    shutil.rmtree(path, onerror=_unlock)


def _unlock(remove: Callable[[str], object], path: str, _: object) -> None:
    """Opens what is closed to its owner, and tries again."""
    for locked in (os.path.dirname(path), path):
        if not os.path.islink(locked):
            os.chmod(locked, stat.S_IRWXU)
    if remove in (os.open, os.scandir, os.listdir):
        shutil.rmtree(path, onerror=_unlock)
    else:
        remove(path)
