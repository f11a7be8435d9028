"""What stands in the way of an apply: every path, each with the reason."""

import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cleveragents.plans.plan import Plan
from cleveragents.quoting import quoted
from cleveragents.sandbox import users_repository
from cleveragents.sandbox.project import Project
from cleveragents.snapshots import beneath
from cleveragents.snapshots.exchange import closed_directories
from cleveragents.snapshots.manifest import Change
from cleveragents.snapshots.merge import Conflict
from cleveragents.snapshots.merging import Merge
from cleveragents.snapshots.opening import closes
from cleveragents.snapshots.protection import protected
from cleveragents.snapshots.scan import shown

NOT_YOURS = "no permission to change files in this directory"
NAMED = 5  # paths in one hint
PLACED = (stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR)
# Names that git, or a file system that folds names, takes for `.git`.
_LIKE_GIT = re.compile(r"(\.git|git~[0-9]+)([ .]*|:.*)", re.IGNORECASE)


class Remedy(Enum):
    """What is to be done about a path that cannot be applied."""

    MOVE = "the user's is in the way"
    ALLOW = "the user may not change it"
    LEAVE_OUT = "the result holds what cannot be placed, whatever the user has"
    OPEN = "the result holds what its owner could not read back or take back"


@dataclass(frozen=True)
class Obstacle:
    """A path that cannot be applied, and why."""

    path: str
    why: str
    remedy: Remedy = Remedy.MOVE

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


def obstacles(project: Project, merge: Merge, *, is_branch: bool) -> list[Obstacle]:
    """Lists everything that would make an apply overwrite or endanger something."""
    found = [Obstacle(shown(each.path), _told(each)) for each in merge.conflicts]
    tracked = users_repository.tracked(project)
    placed = [] if is_branch else _new_files(merge.changes)
    outside = users_repository.not_checked_out(project, placed)
    for change in merge.changes:
        path, why, remedy = change.path, None, Remedy.LEAVE_OUT
        if (whole := _like_git(path)) is not None:
            path, why = whole, "git keeps its own affairs under such a name"
        elif change.after is not None and change.after.kind not in PLACED:
            why = "neither file nor link nor directory"
        elif any(above in tracked.submodules for above in _and_above(path)):
            why = "it belongs to a submodule"
        elif change.before is None and path in tracked.not_checked_out:
            why = "it is tracked, and outside your sparse checkout"
        elif path in outside:
            why = "it is outside your sparse checkout"
        elif closes(change) and not is_branch:
            why, remedy = "its owner could not read or change it", Remedy.OPEN
        if why is not None:
            found.append(Obstacle(shown(path), why, remedy))
    with beneath.root_directory(project.path) as root:
        held = [shown(path) for path in protected(root, merge.changes)]
        closed = [] if is_branch else closed_directories(root, merge.changes)
    found += [Obstacle(path, "it is protected: chattr -ia allows changes") for path in held]
    found += [Obstacle(shown(path) or ".", NOT_YOURS, Remedy.ALLOW) for path in closed]
    if users_repository.folds_case(project):
        found += _collisions(project, merge.changes)
    return sorted(set(found), key=lambda obstacle: obstacle.path)


def ways_out(found: Sequence[Obstacle], plan: Plan, sandbox: Path, start: str | None) -> list[str]:
    """Tells what to type: about what is the user's, and about what the plan cannot bring.

    That is taken back to the checkpoint `start`, if there is any, or else removed.
    """
    ways: list[str] = []
    remedies = {each.remedy for each in found}
    if Remedy.MOVE in remedies:
        ways += [
            "move yours away or undo your change, then apply again",
            f"or merge yours into the sandbox: agents plan refresh {plan.plan_id}",
        ]
    if Remedy.ALLOW in remedies:
        ways.append("make the directories writable for you, then apply again")
    if Remedy.OPEN in remedies:
        line = f"cd {quoted(str(sandbox))} && chmod u+rwX {_named(found, Remedy.OPEN)}"
        ways.append(f"open what the plan closed, then apply again: {line}")
    if Remedy.LEAVE_OUT in remedies:
        if start is None:
            line = f"cd {quoted(str(sandbox))} && rm -r {_named(found, Remedy.LEAVE_OUT)}"
        else:
            named = _named(found, Remedy.LEAVE_OUT, "--path ")
            line = f"agents plan restore {plan.plan_id} {start} {named}"
        ways.append(f"leave out what the plan cannot bring, then apply again: {line}")
    return ways


def _named(found: Sequence[Obstacle], remedy: Remedy, option: str = "") -> str:
    paths = [option + quoted(each.path) for each in found if each.remedy is remedy]
    return " ".join([*paths[:NAMED], *(["…"] if len(paths) > NAMED else [])])


def _new_files(changes: Iterable[Change]) -> list[bytes]:
    return [
        change.path
        for change in changes
        if change.before is None and change.after is not None and not change.after.is_dir
        if _like_git(change.path) is None
    ]


def _like_git(path: bytes) -> bytes | None:
    """Returns the part of a path that ends with a name like `.git`, if it has any."""
    names = path.split(b"/")
    ends = (index + 1 for index, name in enumerate(names) if is_like_git(name))
    end = next(ends, None)
    return None if end is None else b"/".join(names[:end])


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
                why = f"{shown(other)} differs from it only in case"
                yield Obstacle(shown(path), why, Remedy.LEAVE_OUT)


def _folded(name: bytes) -> str:
    return unicodedata.normalize("NFC", os.fsdecode(name)).casefold()


def _and_above(path: bytes) -> Iterator[bytes]:
    while path:
        yield path
        path = path.rpartition(b"/")[0]
