"""What stands in the way of an apply: every path, each with the reason."""

import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cleveragents.sandbox import users_repository
from cleveragents.sandbox.project import Project
from cleveragents.snapshots.manifest import Change
from cleveragents.snapshots.merge import Conflict
from cleveragents.snapshots.merging import Merge
from cleveragents.snapshots.scan import shown

PLACED = (stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR)
# Names that git, or a file system that folds names, takes for `.git`.
_LIKE_GIT = re.compile(r"(\.git|git~[0-9]+)([ .]*|:.*)", re.IGNORECASE)


@dataclass(frozen=True)
class Obstacle:
    """A path that cannot be applied, and why."""

    path: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


def obstacles(project: Project, merge: Merge) -> list[Obstacle]:
    """Lists everything that would make an apply overwrite or endanger something."""
    found = [Obstacle(shown(each.path), _told(each)) for each in merge.conflicts]
    tracked = users_repository.tracked(project)
    for change in merge.changes:
        path = change.path
        why = None
        if any(is_like_git(name) for name in path.split(b"/")):
            why = "git keeps its own affairs under such a name"
        elif change.after is not None and change.after.kind not in PLACED:
            why = "neither file nor link nor directory"
        elif any(above in tracked.submodules for above in _and_above(path)):
            why = "it belongs to a submodule"
        elif change.before is None and path in tracked.not_checked_out:
            why = "it is tracked, and outside your sparse checkout"
        if why is not None:
            found.append(Obstacle(shown(path), why))
    if users_repository.folds_case(project):
        found += _collisions(project, merge.changes)
    return sorted(found, key=lambda obstacle: obstacle.path)


def is_like_git(name: bytes) -> bool:
    """Tells whether git or a file system might take a name for `.git`."""
    text = "".join(c for c in os.fsdecode(name) if unicodedata.category(c) != "Cf")
    return _LIKE_GIT.fullmatch(text) is not None


def _told(conflict: Conflict) -> str:
    if conflict.base is None:
        return "there is one of yours in the way"
    if conflict.ours is None:
        return "you deleted it, the plan changed it"
    if conflict.theirs is None:
        return "you changed it, the plan deleted it"
    return "you changed it in the same place as the plan"


def _collisions(project: Project, changes: Iterable[Change]) -> Iterator[Obstacle]:
    """Finds new names that differ only in case from others beside them."""
    new = [change.path for change in changes if change.before is None]
    gone = {change.path for change in changes if change.after is None}
    for path in new:
        head, _, name = path.rpartition(b"/")
        folder = project.path / os.fsdecode(head)
        there = [os.fsencode(other) for other in os.listdir(folder)] if folder.is_dir() else []
        beside = [head + b"/" + other if head else other for other in there]
        others = {*beside, *new} - gone - {path}
        for other in others:
            other_head, _, other_name = other.rpartition(b"/")
            if other_head == head and _folded(other_name) == _folded(name):
                yield Obstacle(shown(path), f"{shown(other)} differs from it only in case")


def _folded(name: bytes) -> str:
    return unicodedata.normalize("NFC", os.fsdecode(name)).casefold()


def _and_above(path: bytes) -> Iterator[bytes]:
    while path:
        yield path
        path = path.rpartition(b"/")[0]
