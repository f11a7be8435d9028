"""What a directory holds, seen from outside: the project, and its `.git` to the inode."""

import hashlib
import os
import stat
from dataclasses import replace
from pathlib import Path

from oracle import LiveSnapshot, differences, picture

Look = dict[bytes, LiveSnapshot]
GIT = b".git"


def look(project: Path) -> Look:
    """Takes a picture of a project; times are new wherever a file is written anew."""
    seen: Look = picture(project, without=(GIT,))
    return {path: replace(one, mtime=None) for path, one in seen.items()}


def differing(expected: Look, found: Look) -> list[str]:
    """Tells what is not as expected, path by path."""
    return differences(expected, found)


def git_identity(project: Path) -> dict[str, tuple[object, ...]]:
    """Everything about every entry below `.git`: kind, mode, inode, times and bytes."""
    found: dict[str, tuple[object, ...]] = {}
    for directory, _, names in os.walk(project / ".git"):
        for path in (Path(directory), *(Path(directory, name) for name in names)):
            seen = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(seen.st_mode) else b""
            digest = hashlib.sha256(content).hexdigest()
            found[str(path.relative_to(project))] = (
                seen.st_mode,
                seen.st_ino,
                seen.st_mtime_ns,
                seen.st_ctime_ns,
                digest,
            )
    return found
