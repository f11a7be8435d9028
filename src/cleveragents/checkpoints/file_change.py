"""Changes of files as users read them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.way import Changes


@dataclass(frozen=True)
class FileChange:
    """What happened to one path."""

    file: str
    action: str  # restored | removed


def described(changes: Changes) -> tuple[FileChange, ...]:
    """Lists changes as users read them: files, and directories where nothing in them changed.

    The sandbox's own git directory is one line: its parts are git's affair.
    """
    found: list[FileChange] = []
    files = changes[MAIN]
    parents = {parent for change in files for parent in parents_of(change.path)}
    for change in files:
        entry = change.after or change.before
        if entry is None or (entry.is_dir and change.path in parents):
            continue
        path = (os.fsdecode(change.path) or ".") + ("/" if entry.is_dir else "")
        found.append(FileChange(path, "removed" if change.after is None else "restored"))
    if any(listed for name, listed in changes.items() if name != MAIN):
        found.append(FileChange(".git/", "restored"))
    return tuple(found)


def parents_of(path: bytes) -> Iterator[bytes]:
    """Yields every directory above a path, the root included."""
    while path:
        path = path.rpartition(b"/")[0]
        yield path
