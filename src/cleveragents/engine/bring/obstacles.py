"""The obstacles to an apply or its way back: every path, each with the reason."""

import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path

from cleveragents.counting import counted
from cleveragents.errors import Refused
from cleveragents.plans.plan import Plan
from cleveragents.quoting import quoted
from cleveragents.records import frozen
from cleveragents.sandbox import users_repository
from cleveragents.sandbox.project import Project
from cleveragents.snapshots.merge import MergeConflict
from cleveragents.snapshots.merging import MergeResult
from cleveragents.snapshots.tree import beneath, tree_path
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.write.hindrances import Why, hindrances, kept_out
from cleveragents.snapshots.write.opening import closes

NAMED = 5  # paths in one hint
PLACED = (stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR)
# Names that git, or a file system that folds names, takes for `.git`.
_LIKE_GIT = re.compile(r"(\.git|git~[0-9]+)([ .]*|:.*)", re.IGNORECASE)


class Remedy(Enum):
    """The way out for a path that cannot be applied."""

    MOVE = "the user's is in the way"
    ALLOW = "nobody may change it before chattr allows it"
    LEAVE_OUT = "the result holds what cannot be placed, whatever the user has"
    OPEN = "the result holds what its owner could not read back or take back"


HELPS: Mapping[Why, Remedy | str] = {
    Why.FULL: "move what is in the directory away, then try again",
    Why.PROTECTED: Remedy.ALLOW,
    Why.CLOSED: "make the directories writable for you, then try again",
    Why.READ_ONLY: "let its file system be written to, then try again",
    Why.STICKY: "let its owner apply it, or chmod -t the directory, then try again",
}


@frozen
class Obstacle:
    """A path that cannot be applied, and why."""

    path: str
    why: str
    remedy: Remedy | str = Remedy.MOVE  # or the very words of the hint

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


def obstacles(project: Project, merge: MergeResult, *, is_branch: bool) -> list[Obstacle]:
    """Lists everything that would make an apply overwrite or endanger something."""
    found = [Obstacle(shown(each.path), _told(each)) for each in merge.conflicts]
    found += _not_for_the_project(project, merge, is_branch=is_branch)
    if is_branch:
        found += closed_repository(project)
    else:
        with beneath.root_directory(project.path) as root:
            found += hindering(root, merge.changes, merge.changes)
    if users_repository.folds_case(project):
        found += _collisions(project, merge.changes)
    return sorted(set(found), key=lambda obstacle: obstacle.path)


def _not_for_the_project(
    project: Project, merge: MergeResult, *, is_branch: bool
) -> Iterator[Obstacle]:
    """Finds what the result holds and cannot be placed."""
    tracked = users_repository.tracked(project)
    placed = [] if is_branch else _new_files(merge.changes)
    outside = users_repository.not_checked_out(project, placed)
    for change in merge.changes:
        path, why, remedy = change.path, None, Remedy.LEAVE_OUT
        if (whole := _like_git(path)) is not None:
            path, why = whole, "git keeps its own affairs under such a name"
        elif change.after is not None and change.after.kind not in PLACED:
            why = "neither file nor link nor directory"
        elif any(above in tracked.submodules for above in tree_path.and_above(path)):
            why = "it belongs to a submodule"
        elif change.before is None and path in tracked.not_checked_out:
            why = "it is tracked, and outside your sparse checkout"
        elif path in outside:
            why = "it is outside your sparse checkout"
        elif closes(change) and not (is_branch and _can_be_entered(change)):
            why, remedy = "its owner could not read or change it", Remedy.OPEN
        if why is not None:
            yield Obstacle(shown(path), why, remedy)


def hindering(root: int, changes: Sequence[Change], left: Sequence[Change]) -> list[Obstacle]:
    """Lists what keeps changes of the project from being carried out, apply or way back."""
    return [
        Obstacle(shown(path), why.value, HELPS[why])
        for path, why in hindrances(root, changes, left)
    ]


def closed_repository(project: Project) -> list[Obstacle]:
    """The obstacles to creating or removing a branch."""
    needed = users_repository.written_for_branch(project)
    found = [(path, kept_out(str(path))) for path in needed]
    return [Obstacle(str(path), why.value, HELPS[why]) for path, why in found if why is not None]


def _can_be_entered(change: Change) -> bool:
    """Whether git gets at what is in a directory, however closed."""
    after = change.after
    return after is not None and after.is_dir and bool(after.mode & stat.S_IXUSR)


def refuse(found: Sequence[Obstacle], ways: Sequence[str]) -> None:
    """Refuses what something stands in the way of, with the ways out."""
    if found:
        raise Refused(
            f"{counted(len(found), 'path is', 'paths are')} in the way; nothing was changed",
            detail=[str(obstacle) for obstacle in found],
            hints=ways,
        )


def ways_around(found: Sequence[Obstacle], project: Path) -> list[str]:
    """Tells what to do about what is the user's, whatever the plan holds."""
    told = [each.remedy for each in found if isinstance(each.remedy, str)]
    if any(each.remedy is Remedy.ALLOW for each in found):
        line = _within(project, "chattr -ia", found, Remedy.ALLOW)
        told.append(f"allow changes, then try again: {line}")
    return list(dict.fromkeys(told))


def ways_out(
    found: Sequence[Obstacle], plan: Plan, project: Path, sandbox: Path, start: str | None
) -> list[str]:
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
    ways += ways_around(found, project)
    if Remedy.OPEN in remedies:
        line = _within(sandbox, "chmod u+rwX", found, Remedy.OPEN)
        ways.append(f"open what the plan closed, then apply again: {line}")
    if Remedy.LEAVE_OUT in remedies:
        if start is None:
            line = _within(sandbox, "rm -r", found, Remedy.LEAVE_OUT)
        else:
            named = _named(found, Remedy.LEAVE_OUT, "--path ")
            line = f"agents plan restore {plan.plan_id} {start} {named}"
        ways.append(f"leave out what the plan cannot bring, then apply again: {line}")
    return ways


def _within(directory: Path, command: str, found: Sequence[Obstacle], remedy: Remedy) -> str:
    """A line that runs a command on paths of a directory, and leads whoever types it nowhere."""
    return f"(cd {quoted(str(directory))} && {command} -- {_named(found, remedy)})"


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
    names = tree_path.names(path)
    ends = (index + 1 for index, name in enumerate(names) if is_like_git(name))
    end = next(ends, None)
    return None if end is None else b"/".join(names[:end])


def is_like_git(name: bytes) -> bool:
    """Tells whether git or a file system might take a name for `.git`."""
    text = "".join(c for c in os.fsdecode(name) if unicodedata.category(c) != "Cf")
    return _LIKE_GIT.fullmatch(text) is not None


def _told(conflict: MergeConflict) -> str:
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
        head, name = tree_path.split(path)
        folder = project.path / os.fsdecode(head)
        there = [os.fsencode(other) for other in os.listdir(folder)] if folder.is_dir() else []
        beside = [tree_path.joined(head, other) for other in there]
        others = {*beside, *new} - gone - {path}
        for other in others:
            other_head, other_name = tree_path.split(other)
            if other_head == head and _folded(other_name) == _folded(name):
                why = f"{shown(other)} differs from it only in case"
                yield Obstacle(shown(path), why, Remedy.LEAVE_OUT)


def _folded(name: bytes) -> str:
    return unicodedata.normalize("NFC", os.fsdecode(name)).casefold()
