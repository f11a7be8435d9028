"""Privacy: files are for their owner alone, whatever the mode of their directory."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cleveragents.storage.place import make_durably

# All but the database lies below these.
ROOMS = ("projects", "sandboxes", "output", "locks", "spool")
HOOK = "hook"  # the program that coding agents call
# How the names of files beside them begin.
FILES = ("cleveragents.", "head", HOOK, "keeper.", "protected", "installed", "confinement")
LOG = "log"
OTHERS = 0o077


def make_private(data: Path) -> None:
    """Closes what is ours to others, and the data directory itself unless it has other things.

    A room that is closed closes all that is in it, so whoever comes first makes all of them.
    """
    for name in ROOMS:
        make_durably(data / name)
    with os.scandir(data) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # others are at work: their unfinished files go
                _close(entry)
    if is_open(data) and not any(others(data)):
        data.chmod(0o700)


def _close(entry: os.DirEntry[str]) -> None:
    mode = entry.stat(follow_symlinks=False).st_mode
    if _is_ours(entry.name) and not entry.is_symlink() and mode & OTHERS:
        os.chmod(entry.path, stat.S_IMODE(mode) & ~OTHERS)


def others(data: Path) -> Iterator[str]:
    """Yields what is in the data directory and not ours."""
    return (name for name in os.listdir(data) if not _is_ours(name))


def is_open(data: Path) -> bool:
    """Tells whether others may look into the data directory itself."""
    return bool(data.stat().st_mode & OTHERS)


def make_file(path: Path) -> None:
    """Makes an empty file for its owner alone, unless it is there."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _is_ours(name: str) -> bool:
    return name in (*ROOMS, LOG) or name.startswith(FILES)
