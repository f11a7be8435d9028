"""The table of mounts: where else the same files are in reach."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from cleveragents.records import frozen

TABLE = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(rb"\\([0-7]{3})")


@frozen
class Mount:
    """One line of the table."""

    device: str
    root: str  # what of its file system is shown
    place: str
    kind: str


def beneath(shown: Mount, path: str) -> str | None:
    """Where a path of a mounted file system is seen; None: it is not."""
    if not _is_within(path, shown.root):
        return None
    return _below(shown.place, path[len(shown.root.rstrip("/")) :])


def mounts() -> Sequence[Mount]:
    """Reads the table as it is now."""
    return parsed(TABLE.read_bytes())


def aliases(path: str, table: Iterable[Mount]) -> Iterator[str]:
    """Yields the other places at which a directory, or a part of it, is mounted."""
    every = list(table)
    own = next(one for one in reversed(_over(path, every)))
    inside = _below(own.root, path[len(own.place.rstrip("/")) :])
    for one in every:
        if one.device != own.device or _is_within(one.place, path):
            continue
        found = beneath(one, inside)
        if found is None and _is_within(one.root, inside):
            found = one.place
        if found is not None and found != path and os.path.exists(found):
            yield found


def _over(path: str, table: Sequence[Mount]) -> list[Mount]:
    """The mounts that a path lies in, the one that it is seen through last."""
    return sorted(
        (one for one in table if _is_within(path, one.place)), key=lambda one: len(one.place)
    )


def _is_within(path: str, above: str) -> bool:
    return path == above or path.startswith(above.rstrip("/") + "/")


def _below(above: str, rest: str) -> str:
    return (above.rstrip("/") + "/" + rest.lstrip("/")).rstrip("/") or "/"


@lru_cache(maxsize=1)
def parsed(table: bytes) -> Sequence[Mount]:
    """Reads a table."""
    return [_mount(line.split(b" ")) for line in table.splitlines()]


def _mount(fields: Sequence[bytes]) -> Mount:
    device, root, place = map(_plain, fields[2:5])
    kind = fields[fields.index(b"-") + 1]  # what stands before it are fields that may be many
    return Mount(device, root, place, _plain(kind))


def _plain(field: bytes) -> str:
    """Reads a field; blanks and the like are written as octal numbers."""
    return os.fsdecode(_ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), field))
