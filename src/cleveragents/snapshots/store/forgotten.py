"""Snapshots that nobody is to take for lost ones: those of plans that were deleted.

A pack outlives a snapshot while others need half of it. No row tells of these any more, so the
store does; what a row needs all the same stays.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from cleveragents.storage.durability import sync_directory

NAME = "forgotten"
BEGUN = "forgetting"  # there while snapshots are being erased
ID_LENGTH = 64  # of an id in hex; a line that a crash has cut off is none


def add(directory: Path, roots: Iterable[str]) -> None:
    """Notes snapshots, durably."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    file = os.open(directory / NAME, flags, 0o600)
    with os.fdopen(file, "w", encoding="ascii") as lines:
        lines.write("\n" + "".join(f"{root}\n" for root in sorted(roots)))
        lines.flush()
        os.fsync(file)
    sync_directory(directory)


def begin(directory: Path, roots: Iterable[str]) -> None:
    """Notes, durably, that snapshots are being erased: until it is ended somebody has to scour."""
    temporary = directory / f"{BEGUN}.new"
    with temporary.open("w", encoding="ascii") as lines:
        lines.write("".join(f"{root}\n" for root in sorted(roots)))
        lines.flush()
        os.fsync(lines.fileno())
    temporary.rename(directory / BEGUN)
    sync_directory(directory)


def has_begun(directory: Path) -> bool:
    """Tells whether an erasure was begun and not ended."""
    return (directory / BEGUN).exists()


def begun(directory: Path) -> set[str]:
    """Returns the snapshots that are being erased."""
    note = directory / BEGUN
    return set(note.read_text(encoding="ascii").split()) if note.exists() else set()


def end(directory: Path) -> None:
    """Notes that nothing of them is left."""
    (directory / BEGUN).unlink(missing_ok=True)
    sync_directory(directory)


def read(directory: Path) -> set[str]:
    """Returns the snapshots that were noted."""
    try:
        lines = (directory / NAME).read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return set()
    return {line for line in lines if len(line) == ID_LENGTH}
