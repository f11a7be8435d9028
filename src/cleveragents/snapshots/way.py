"""The way from directories as they are to a snapshot, and what can stand in it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cleveragents.counting import counted
from cleveragents.errors import Damaged, Failed, Refused
from cleveragents.snapshots import beneath
from cleveragents.snapshots.aside import purge
from cleveragents.snapshots.capture import named
from cleveragents.snapshots.content import Read, bytes_needed
from cleveragents.snapshots.manifest import Change, Entry
from cleveragents.snapshots.scan import shown
from cleveragents.snapshots.traverse import Verifier

RESERVE_BYTES = 16 << 20  # left free, so that the closing transaction still finds room
Changes = dict[str, list[Change]]  # by the name of the root, parents before children


@dataclass(frozen=True)
class Way:
    """What has to change, and what the directories were when that was found out."""

    seen: Mapping[str, Entry]  # by the name of the root
    changes: Changes

    def wanted(self) -> Iterable[tuple[str, bytes, Entry]]:
        """Yields root, path and entry of everything that is to be there."""
        for name, listed in self.changes.items():
            for change in listed:
                if change.after is not None:
                    yield name, change.path, change.after


def refuse_in_the_way(changes: Iterable[Change], excluded: Iterable[bytes]) -> None:
    """Refuses to put a file where a directory holds excluded ones, before anything changes."""
    for change in changes:
        inside = change.path + b"/"
        if change.after is None or change.after.is_dir:
            continue
        blocked = [shown(path) for path in excluded if path.startswith(inside)]
        if blocked:
            raise Refused(
                f"{shown(change.path)} cannot be restored: excluded files are in the way",
                detail=blocked,
                hints=["move them away; what is excluded is never deleted"],
            )


def refuse_lost(way: Way, verifier: Verifier) -> None:
    """Refuses if content that is needed cannot be read back."""
    bad = [
        named(name, path)
        for name, top, entry in way.wanted()
        if not entry.is_dir
        for path in verifier.damaged_paths(top, entry)
    ]
    if bad:
        raise lost(bad)


def refuse_without_space(way: Way, staging: Path, read: Read) -> None:
    """Refuses what does not fit; what lies aside goes before that."""
    needed = sum(bytes_needed(entry, read) for _, _, entry in way.wanted())
    if _fits(needed, staging):
        return
    with beneath.root_directory(staging) as fd:
        purge(fd)
    if not _fits(needed, staging):
        raise Failed(
            f"not enough space to restore {needed} bytes; nothing was changed",
            hints=["free some space and try again"],
        )


def lost(paths: list[str]) -> Damaged:
    """The refusal of a snapshot that cannot be had intact."""
    return Damaged(
        f"stored content is damaged ({counted(len(paths), 'path')}); nothing was changed",
        detail=paths,
    )


def _fits(needed: int, place: Path) -> bool:
    free = os.statvfs(place)
    return needed + RESERVE_BYTES <= free.f_bavail * free.f_frsize
