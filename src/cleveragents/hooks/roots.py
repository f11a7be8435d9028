"""Which directory an event belongs to: the innermost protected one that it happened in.

Runs inside a hook, under `python -I -S`. One directory by two paths is one: what counts is the
device and the number by which the file system knows it.
"""

import posix

from cleveragents.hooks import plain_json

PROTECTED = "protected"  # in the data directory; a line of JSON for each
_PIECE = 1 << 20


def whereabouts(data: str, told: str) -> tuple[str, str] | None:
    """Returns the protected directory that an event belongs to, and where it happened; or None.

    An agent whose directory was moved may still tell the path that it had, and one may tell none:
    then the directory counts that the hook itself is in.
    """
    for cwd in (told, _own()):
        root = root_above(data, cwd)
        if root is not None:
            return root, cwd
        if cwd and _existing(cwd) == cwd:
            return None
    return None


def identity(root: str) -> list[int]:
    """Returns what tells a directory apart from others, whatever it is called."""
    found = posix.stat(root)
    return [found.st_dev, found.st_ino]


def _own() -> str:
    try:
        return posix.getcwd()
    except OSError:  # it is gone as well
        return ""


def root_above(data: str, cwd: str) -> str | None:
    """Returns the protected directory that a directory lies in; None: in none.

    One that was moved is returned by the path that it has now.
    """
    known = protected(data)
    here = _existing(cwd) if known else ""
    last = None
    while here:
        found = posix.stat(here)
        this = (found.st_dev, found.st_ino)
        if this in known:
            return known[this] if _is_at(known[this], this) else _path_of(here)
        # By the file system, not by the name: a link leads elsewhere. Above / is / again.
        here, last = (f"{here}/.." if this != last else ""), this
    return None


def _is_at(path: str, identity: tuple[int, int]) -> bool:
    try:
        found = posix.stat(path)
    except (OSError, ValueError):
        return False
    return (found.st_dev, found.st_ino) == identity


def _path_of(directory: str) -> str:
    """The path of a directory without any links in it."""
    fd = posix.open(directory, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
    try:
        return posix.readlink(f"/proc/self/fd/{fd}")
    finally:
        posix.close(fd)


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


def protected(data: str) -> dict[tuple[object, ...], str]:
    """Returns the protected directories; a line that is none is left out."""
    found: dict[tuple[object, ...], str] = {}
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
