"""Walls by Landlock, where namespaces cannot be had: what is not allowed cannot be written to.

It has no rule that forbids, so whatever lies beside what is protected is allowed, one by one, all
the way up. It keeps contents and names; modes, owners, times and sockets stay in reach: told as
`project (contents)` and never taken for a level that somebody asked for.
"""

import os
from collections.abc import Iterable, Iterator

from cleveragents.confinement.estate import above, is_within
from cleveragents.confinement.walls import FEW, Act, Walls

LEAVES_OUT = ("modes", "owners", "times", "sockets")
# To write, remove and make files of every kind, to link and rename, to truncate: versions 1 to 3.
_WRITING = (1 << 1) | sum(1 << bit for bit in range(4, 15))
_SCOPES = 0b11  # abstract sockets and signals: version 6
# Root reaches disks and the kernel by these; what a command needs of them is allowed by name.
_OF_ROOT = ("/dev", "/proc", "/sys")
_DEVICES = tuple(
    f"/dev/{name}"
    for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm")
)


def acts(walls: Walls, handed: Iterable[str]) -> Iterator[Act]:
    """Yields the acts that forbid to write to what is protected."""
    if walls.machine.maps_ids:
        yield ("capabilities", str(sum(1 << number for number in FEW)))
    yield ("no-new-privileges",)
    scopes = _SCOPES if walls.machine.has_scopes else 0
    yield ("ruleset", str(_WRITING), str(scopes))
    for path in (*_beside(walls), *walls.estate.own, *handed):
        yield ("allow", path, str(_WRITING))
    yield ("restrict",)
    yield ("directory", walls.estate.directory)


def _beside(walls: Walls) -> Iterator[str]:
    """Yields whatever is not protected, as few and as high paths as there can be."""
    protected = (*walls.estate.protected, *walls.elsewhere)
    closed = (*_OF_ROOT, *protected) if walls.machine.maps_ids else protected
    ways = {"/", *above(protected)}
    # A rule belongs to a file, whatever its name: another name of these would open them.
    kept = {_identity(path) for path in (*ways, *protected)}
    open_ways = (way for way in ways if not any(is_within(way, path) for path in protected))
    for directory in sorted(set(open_ways).difference(closed)):
        yield from _allowed(directory, {*ways, *closed}, kept)
    if walls.machine.maps_ids:
        yield from (path for path in _DEVICES if path not in ways)


def _allowed(directory: str, closed: set[str], kept: set[tuple[int, int] | None]) -> Iterator[str]:
    try:
        entries = list(os.scandir(directory))
    except OSError:  # closed to us, or gone: then nothing in it is allowed
        return
    for entry in entries:
        if (
            entry.path not in closed
            and not entry.is_symlink()
            and _identity(entry.path) not in kept
        ):
            yield entry.path


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
