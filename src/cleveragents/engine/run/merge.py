"""Merges the result of a subplan into its parent's sandbox, as one act that a crash cannot tear.

The base is what the subplan really started from, or what of it was merged before. The result is
computed and stored first, then the intent is recorded, then the files are placed.
"""

from collections.abc import Mapping

from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.engine.back.placing import Placements
from cleveragents.errors import Failed
from cleveragents.events import Reporter, SubplanMerged
from cleveragents.ids import SnapshotId
from cleveragents.operations.in_sandbox import Merge
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.conflict import (
    BASE,
    CHILD,
    PARENT,
    ConflictRepository,
    new_conflict,
)
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step import MergeStrategy
from cleveragents.records import frozen, replace
from cleveragents.sandbox.git import merge_text, patch_text
from cleveragents.sandbox.sandbox import SandboxRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.merge import MergeConflict, MergeText
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.way import Changes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held

TIE = b".git"  # leads from a sandbox to its own git directory; the parent has another
TEXTS: Mapping[MergeStrategy, MergeText] = {
    MergeStrategy.GIT_THREE_WAY: merge_text,
    MergeStrategy.SEQUENTIAL_APPLY: patch_text,
    MergeStrategy.FAIL_ON_CONFLICT: merge_text,
    MergeStrategy.LAST_WINS: merge_text,
}


class Conflicting(Failed):
    """A subplan and its parent changed the same, and the group wants none of that."""


@frozen
class _States:
    """The snapshots of a merge."""

    base: SnapshotId
    ours: SnapshotId
    theirs: SnapshotId


@frozen
class _Result:
    """The result of a merge."""

    target: SnapshotId
    conflicts: tuple[MergeConflict, ...]
    changes: Changes  # of the parent's files


class Merges:
    """Opens and carries out merge operations; what is held is the parent."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        placing: Placements,
        filter_: Filter,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._placing = placing
        self._filter = filter_
        self._report = report

    def merge(self, held: Held, plan: Plan, child: Plan, strategy: MergeStrategy) -> None:
        """Merges what a child has changed into its parent."""
        self.carry_out(held, self.open(held, plan, child, strategy))

    def open(
        self, held: Held, plan: Plan, child: Plan, strategy: MergeStrategy
    ) -> Operation[Merge]:
        """Computes and stores the result, then records the intent."""
        states = self._states(plan, child)
        archive = self._sandboxes.archive(plan.project_id)
        result = _merged(archive, states, strategy)
        if result.conflicts and strategy is MergeStrategy.FAIL_ON_CONFLICT:
            raise Conflicting(
                f"subplan {child.name} and its parent changed the same",
                detail=[f"{shown(found.path)}: {found.reason}" for found in result.conflicts],
            )
        roots = self._sandboxes.require(plan.plan_id).roots
        present = archive.secure(states.ours, roots, result.changes)
        refs = (states.base, states.ours, states.theirs)
        intent = Merge(
            child=child.plan_id,
            theirs=states.theirs,
            target=result.target,
            present=present,
            files=len(result.changes[MAIN]),
            keeps=(*refs, result.target),
        )
        with self._database.writing(held) as connection:
            operation = OperationRepository(connection).open(plan.plan_id, intent)
            for found in result.conflicts:
                versions = {BASE: found.base, PARENT: found.ours, CHILD: found.theirs}
                conflict = new_conflict(
                    plan.plan_id,
                    found.path,
                    source=child.plan_id,
                    reason=found.reason,
                    versions=versions,
                    refs=refs,
                )
                ConflictRepository(connection).add(conflict, operation.operation_id)
        return operation

    def finish(self, held: Held, operation: Operation[Merge]) -> str:
        """Carries out what was interrupted, and tells of it."""
        self.carry_out(held, operation)
        return "an interrupted merge of a subplan was finished"

    def carry_out(self, held: Held, operation: Operation[Merge]) -> None:
        """Restores the merged files; closes the intent with the mark on the child."""
        plan_id, intent = operation.plan_id, operation.intent
        self._placing.place(held, operation, operation.intent.target)
        with self._database.writing(held) as connection:
            child = PlanRepository(connection).get(intent.child)
            ChildRepository(connection).set_merged(child.plan_id, intent.theirs)
            left = ConflictRepository(connection).release(operation.operation_id)
            outcome = {"conflicts": left}
            OperationRepository(connection).close(operation.operation_id, Status.DONE, outcome)
        self._report(SubplanMerged(plan_id, child.name, intent.files, left))

    def _states(self, plan: Plan, child: Plan) -> _States:
        with self._database.reading() as connection:
            latest = CheckpointRepository(connection).latest(child.plan_id)
            started_from = SandboxRepository(connection).get(child.plan_id).started_from
        theirs = latest.sandbox_ref if latest is not None else self._captured(child)
        return _States(child.merged_ref or started_from, self._captured(plan), theirs)

    def _captured(self, plan: Plan) -> SnapshotId:
        return self._sandboxes.capture(plan.plan_id, plan.project_id, self._filter)


def _merged(archive: Archive, states: _States, strategy: MergeStrategy) -> _Result:
    """Merges and stores the result; the parent keeps its own tie to its git directory."""
    base, ours, theirs = (archive.load(ref) for ref in (states.base, states.ours, states.theirs))
    # Where both changed the same a merge keeps the first side; the last to come is the child.
    last_wins = strategy is MergeStrategy.LAST_WINS
    sides = (theirs, ours) if last_wins else (ours, theirs)
    merge = archive.merge(base, *sides, TEXTS[strategy], lambda path: path == TIE)
    about = {"kind": "merge", "plan_id": ours.about["plan_id"]}
    if last_wins:
        roots = {**ours.roots, MAIN: merge.snapshot.roots[MAIN]}
        kept = archive.keep_merge(replace(merge, snapshot=replace(ours, roots=roots)), about)
        tie = archive.lookup(ours).find(TIE)
        merge = archive.with_entries(archive.load(kept), {TIE: tie})
    target = archive.keep_merge(merge, about)
    return _Result(target, merge.conflicts, archive.changes(ours, archive.load(target)))
