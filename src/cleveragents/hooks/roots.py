"""Which directory an event belongs to: the innermost protected one that it happened in.

Runs inside a hook, under `python -I -S`. One directory by two paths is one: what counts is the
device and the number by which the file system knows it.
"""

import posix

from cleveragents.hooks import plain_json

PROTECTED = "protected"  # in the data directory; a line of JSON for each
_PIECE = 1 << 20


def root_above(data: str, cwd: str) -> str | None:
    """Returns the protected directory that a directory lies in; None: in none."""
    known = protected(data)
    here = _existing(cwd) if known else ""
    last = None
    while here:
        found = posix.stat(here)
        this = (found.st_dev, found.st_ino)
        if this in known:
            return known[this]
        # By the file system, not by the name: a link leads elsewhere. Above / is / again.
        here, last = (f"{here}/.." if this != last else ""), this
    return None


def _existing(path: str) -> str:
    """The directory, or what it lay in if it is gone; empty: there is none."""
    while path.startswith("/"):
        try:
            posix.stat(f"{path}/.")
        except (OSError, ValueError):
            path = path.rstrip("/").rpartition("/")[0]
        else:
            return path
    return ""


def protected(data: str) -> dict[tuple[object, object], str]:
    """Returns the protected directories; a line that is none is left out."""
    found: dict[tuple[object, object], str] = {}
    for line in _content(f"{data}/{PROTECTED}").splitlines():
        try:
            told = plain_json.read_table(line)
        except ValueError:
            continue
        path = told.get("path")
        if isinstance(path, str):
            found[told.get("device"), told.get("inode")] = path
    return found


def _content(path: str) -> str:
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    try:
        pieces: list[bytes] = []
        while piece := posix.read(fd, _PIECE):
            pieces.append(piece)
    finally:
        posix.close(fd)
    return b"".join(pieces).decode("utf-8", "surrogateescape")
