"""The way back of an apply: merged outside the project, shown first, and carried out as shown.

Each path goes back to what it was before the apply. What the user has changed since in other places
of a file stays; what was changed in the same place is refused, or left as it is if they say so.
"""

import os
from collections.abc import Iterator, Sequence

from cleveragents.checkpoints.comparison import path_told
from cleveragents.checkpoints.file_change import telling
from cleveragents.checkpoints.shown import digest_of
from cleveragents.engine.bring.obstacles import (
    Obstacle,
    closed_repository,
    hindering,
    ways_around,
)
from cleveragents.operations.in_project import Apply, InBranch, InFiles
from cleveragents.operations.operation import Operation
from cleveragents.plans.plan import Plan
from cleveragents.quoting import quoted
from cleveragents.records import frozen
from cleveragents.sandbox import branch
from cleveragents.sandbox.git import merge_text
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.merge import MergeConflict
from cleveragents.snapshots.merging import MergeResult
from cleveragents.snapshots.tree import beneath, tree_path
from cleveragents.snapshots.tree.diff import alike
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.scan import shown

EDITED = "edited since the plan was applied"
PUT_BACK = "or put them back as before or after the apply, then try again"


@frozen
class Withdrawal:
    """The preview of taking an apply back."""

    applied: Operation[Apply]
    keeps_mine: bool  # whether what the user changed in the same places is left as it is
    merge: MergeResult | None  # from the project's files to what they shall be; None: a branch goes
    merged: tuple[str, ...]  # paths that go back, but for what the user changed elsewhere in them
    already: tuple[str, ...]  # paths that are as before already
    obstacles: Sequence[Obstacle]
    ways_out: Sequence[str]  # of them
    merged_into: tuple[str, ...] = ()  # the user's branches that have the commit of the plan's
    forgotten: tuple[str, ...] = ()  # paths of which nothing is stored any more

    @property
    def paths(self) -> tuple[str, ...]:
        """The changes that would be made."""
        if self.merge is None:
            return self.applied.intent.paths
        return tuple(map(path_told, telling(self.merge.changes)))

    @property
    def mine(self) -> tuple[str, ...]:
        """The paths that stay as the user has them."""
        left = self.merge.conflicts if self.merge is not None and self.keeps_mine else ()
        return (*(shown(each.path) for each in left), *self.forgotten)

    @property
    def left(self) -> tuple[str, ...]:
        """The same, with what the apply had left so."""
        return (*self.applied.intent.left, *self.mine)

    @property
    def command(self) -> str:
        """The command that does it."""
        return _command(self.applied, keep_mine=self.keeps_mine)

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        changes = () if self.merge is None else self.merge.changes
        others = [*map(str, self.obstacles), *self.mine]
        return digest_of(changes, self.applied.operation_id, others)


class Withdrawals:
    """Computes ways back; whoever only shows one stores nothing for it."""

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes

    def make(
        self, plan: Plan, project: Project, applied: Operation[Apply], *, keep_mine: bool
    ) -> Withdrawal:
        """Merges what was there before an apply with the project as it is; changes neither."""
        place = applied.intent.place
        if isinstance(place, InBranch):
            found = _branch_in_the_way(project, place)
            ways = ways_around(found, project.path)
            holders = tuple(branch.holding(project, place.commit, place.branch))
            return Withdrawal(applied, keep_mine, None, (), (), found, ways, holders)
        archive = self._sandboxes.archive(plan.project_id)
        before, after = archive.load(place.old), archive.load(place.new)
        merge = archive.merge_back(project.path, after, before, merge_text)
        edited = [] if keep_mine else [_overlap(each) for each in merge.conflicts]
        with beneath.root_directory(project.path) as root:
            found = [*edited, *hindering(root, merge.changes, merge.changes)]
        leave = f"leave yours as they are: {_command(applied, keep_mine=True)}"
        return Withdrawal(
            applied,
            keep_mine,
            merge,
            tuple(_merged(archive, place, merge)),
            tuple(_already(archive, place, merge)),
            sorted(found, key=lambda obstacle: obstacle.path),
            [*([leave, PUT_BACK] if edited else []), *ways_around(found, project.path)],
            forgotten=tuple(_forgotten(after.filter, applied.intent.paths)),
        )


def _command(applied: Operation[Apply], *, keep_mine: bool) -> str:
    return f"agents plan unapply {applied.plan_id}{' --keep-mine' if keep_mine else ''}"


def _forgotten(filter_: Filter, paths: Sequence[str]) -> Iterator[str]:
    """The paths that were applied and then forgotten: nobody knows what was there before."""
    for path in paths:
        heads = tree_path.and_above(os.fsencode(path).rstrip(b"/"))
        if any(map(filter_.single.excludes, heads)):
            yield path


def _merged(archive: Archive, place: InFiles, merge: MergeResult) -> Iterator[str]:
    """The paths that will not be as before, because of what the user changed in them."""
    before = archive.lookup(archive.load(place.old))
    for change in telling(merge.changes):
        if not alike(change.after, before.find(change.path)):
            yield path_told(change)


def _already(archive: Archive, place: InFiles, merge: MergeResult) -> Iterator[str]:
    """The paths of an apply that are to change no more."""
    left = {change.path for change in merge.changes}
    mine = {conflict.path for conflict in merge.conflicts}
    whole = archive.changes(archive.load(place.new), archive.load(place.old))
    for change in telling(whole[MAIN]):
        if change.path not in left and mine.isdisjoint(tree_path.and_above(change.path)):
            yield path_told(change)


def _overlap(conflict: MergeConflict) -> Obstacle:
    if conflict.base is None:
        how = "there is one of yours in its place"
    elif conflict.ours is None:
        how = "you deleted it"
    elif conflict.theirs is None:
        how = "it was new with the plan"
    else:
        how = "in the same place as the plan"
    return Obstacle(shown(conflict.path), f"{EDITED}: {how}")


def _branch_in_the_way(project: Project, place: InBranch) -> list[Obstacle]:
    name = place.branch
    if branch.tip(project, name) not in (None, place.commit):
        way = f"keep it under a name of yours, then try again: git branch -m {name} NAME"
        return [Obstacle(name, "it has commits of yours, or was moved otherwise", way)]
    where = branch.checked_out_in(project, name)
    if where is not None:
        way = f"leave it, then try again: git -C {quoted(where)} switch -"
        return [Obstacle(name, f"it is checked out in {where}", way)]
    return closed_repository(project)
