"""Who has locked a file, as the kernel tells it: needs no right to open the file itself."""

import os
from pathlib import Path

LOCKS = Path("/proc/locks")


def holders(path: Path) -> list[int]:
    """Returns the processes that hold a lock on a file; none if that cannot be told."""
    try:
        found = os.stat(path)
        lines = LOCKS.read_text().splitlines()
    except OSError:
        return []
    return [pid for pid, file in map(_held, lines) if file == (found.st_dev, found.st_ino)]


def _held(line: str) -> tuple[int, tuple[int, int] | None]:
    """Reads one line: number, kind, manner, mode, pid, device and inode, range.

    One that waits has `->` behind its number, and holds nothing.
    """
    words = line.split()
    if words[1] == "->":
        return 0, None
    major, minor, inode = words[5].split(":")
    return int(words[4]), (os.makedev(int(major, 16), int(minor, 16)), int(inode))
