"""Finds named pipes in a repository where git expects files: it would wait for them for ever."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cleveragents.errors import Refused

IGNORE_FILE = ".gitignore"
# What git reads of its directory before it does anything else.
READ_FIRST = ("HEAD", "commondir", "config", "index", "info/exclude", "packed-refs", "shallow")


def refuse_pipes(top: Path) -> None:
    """Refuses a repository in which git would hang; looks at names and kinds, opens nothing."""
    found = [*_in_git_directory(top / ".git"), *_ignore_files(top)]
    if found:
        raise Refused(
            f"{found[0]} is a named pipe; git would wait for it for ever",
            detail=found,
            hints=["remove it, or work without git: set sandbox.strategy to filesystem_copy"],
        )


def _in_git_directory(git_dir: Path) -> Iterator[str]:
    return (str(git_dir / name) for name in READ_FIRST if _is_pipe(git_dir / name))


def _ignore_files(top: Path) -> Iterator[str]:
    waiting = [os.fspath(top)]
    while waiting:
        # A directory that cannot be opened by its path is left alone: git cannot open it either.
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name == IGNORE_FILE and _is_pipe(Path(entry.path)):
                    yield entry.path
                elif entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


def _is_pipe(path: Path) -> bool:
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:  # not there, or closed to us: git will say so itself
        return False
