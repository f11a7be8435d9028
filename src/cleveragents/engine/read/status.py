"""Reads where plans stand; changes nothing and needs no lock."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.comparison import Comparisons
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.confinement.level import Confined
from cleveragents.engine.read.plans import is_interrupted
from cleveragents.errors import CleverAgentsError, Damaged
from cleveragents.ids import PlanId
from cleveragents.operations.in_project import Apply
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.conflict import Conflict, ConflictRepository
from cleveragents.plans.cursor import title_at, way_taken
from cleveragents.plans.decision import Decision, DecisionRepository
from cleveragents.plans.lifecycle import APPLIED, CANCELLED, ERRORED, QUEUED, RUNNING
from cleveragents.plans.plan import Plan
from cleveragents.plans.step_run import (
    FAILED,
    SUCCEEDED,
    StepRun,
    StepRunRepository,
    failed_for_good,
)
from cleveragents.plans.undo_run import UndoRun, UndoRunRepository
from cleveragents.records import frozen
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database

HELD_UP = (QUEUED, ERRORED, CANCELLED)  # where a plan may stand before a step


@frozen
class StepStatus:
    """How far one step has come."""

    step: str
    status: str  # done | failed | running | interrupted | pending
    confined: Confined | None = None  # how its last run that counts was; None: it has none


@frozen
class PlanStatus:
    """Everything worth knowing about a plan."""

    plan: Plan
    progress: tuple[StepStatus, ...]
    sandbox: Sandbox | None
    tool_calls: int
    files_modified: int | None  # None: the files cannot be looked at
    checkpoints: Sequence[Checkpoint]
    unfinished: Sequence[AnyOperation]
    interrupted: bool  # it was running and its process is gone
    failed: StepRun | None  # the call that the plan failed with
    not_undone: Sequence[UndoRun]  # calls that a rollback took back and could not undo
    children: Sequence[Plan]  # the subplans that count
    conflicts: Sequence[Conflict]  # that nobody has resolved yet
    conflicts_below: Mapping[PlanId, int]  # how many are open in subplans that are not merged
    waits: bool  # it stands before a step, and goes on once conflicts are resolved

    @property
    def is_stuck(self) -> bool:
        """Whether something was interrupted that cannot be finished."""
        return any(operation.is_stuck for operation in self.unfinished)

    @property
    def left_by_failure(self) -> Checkpoint | None:
        """The checkpoint of what the failed step has left; None: it left nothing else."""
        if self.failed is None:
            return None
        start = next((row.seq for row in self.checkpoints if self._began_at(row)), 0)
        kept = [row for row in self.checkpoints if row.checkpoint_type is CheckpointType.ERROR]
        return kept[-1] if kept and kept[-1].seq > start else None

    def _began_at(self, row: Checkpoint) -> bool:
        return self.failed is not None and row.checkpoint_id == self.failed.checkpoint_id

    @property
    def confined(self) -> Sequence[str]:
        """How its steps were confined, each way once."""
        return list(dict.fromkeys(step.confined.told for step in self.progress if step.confined))

    @property
    def needs_attention(self) -> bool:
        """Whether something is not as it should be."""
        is_left = self.interrupted or self.is_stuck or self.waits or bool(self.conflicts)
        return is_left or self.plan.stage == ERRORED or bool(self.not_undone)


class StatusReader:
    """Tells where a plan stands, from what is stored and what is on the disk."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        comparisons: Comparisons,
        is_owned: Callable[[str], bool],
        *,
        stops_on_conflict: bool,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._comparisons = comparisons
        self._is_owned = is_owned
        self._stops_on_conflict = stops_on_conflict

    def read(self, plan: Plan) -> PlanStatus:
        """Tells everything about a plan."""
        with self._database.reading() as connection:
            runs = StepRunRepository(connection).of_plan(plan.plan_id)
            decided = DecisionRepository(connection).counting(plan.plan_id)
            checkpoints = CheckpointRepository(connection).of_plan(plan.plan_id)
            unfinished = OperationRepository(connection).unfinished(plan.plan_id)
            undone = UndoRunRepository(connection).latest(plan.plan_id)
            children = ChildRepository(connection).counting(plan.plan_id)
            conflicts = ConflictRepository(connection).open(plan.plan_id)
            below = _open_below(connection, children)
        sandbox = self._sandboxes.find(plan.plan_id)
        interrupted = is_interrupted(self._database, self._is_owned, plan)
        return PlanStatus(
            plan,
            tuple(
                _progress(
                    plan,
                    statuses(plan, decided, failed_for_good(runs), interrupted=interrupted),
                    _confined(runs),
                )
            ),
            sandbox,
            len(_counting(runs)),
            self._files_modified(plan, sandbox),
            checkpoints,
            unfinished,
            interrupted,
            _failed(plan, runs),
            [undone[run.step_run_id] for run in runs if _is_not_undone(run, undone)],
            children,
            conflicts,
            below,
            self._waits(plan, bool(conflicts or below)),
        )

    def _waits(self, plan: Plan, is_conflicted: bool) -> bool:  # noqa: FBT001 - of one's own
        is_before_step = plan.stage in HELD_UP and plan.step is not None
        return self._stops_on_conflict and is_conflicted and is_before_step

    def _files_modified(self, plan: Plan, sandbox: Sandbox | None) -> int | None:
        if plan.stage == APPLIED:
            return self._files_applied(plan)
        if sandbox is None:
            return 0
        try:
            return self._comparisons.count_since_start(plan)
        except (CleverAgentsError, OSError):
            return None  # what is wrong with them is told by whoever needs them

    def _files_applied(self, plan: Plan) -> int | None:
        with self._database.reading() as connection, suppress(Damaged):
            return len(OperationRepository(connection).latest(plan.plan_id, Apply).intent.paths)
        return None


def _open_below(connection: Connection, children: Sequence[Plan]) -> dict[PlanId, int]:
    found = ConflictRepository(connection).open_paths()
    return {
        child.plan_id: len(found[child.plan_id])
        for child in children
        if child.plan_id in found and child.merged_ref is None
    }


def _failed(plan: Plan, runs: Sequence[StepRun]) -> StepRun | None:
    """The last call that failed, if it is what the plan failed with."""
    if plan.error is None or plan.error.step is None:
        return None
    return next((run for run in reversed(runs) if run.status == FAILED), None)


def _is_not_undone(run: StepRun, undone: Mapping[str, UndoRun]) -> bool:
    """Whether a call was taken back and what it did outside may still be there."""
    tried = undone.get(run.step_run_id)
    return run.superseded_by is not None and tried is not None and not tried.worked


def _counting(runs: Sequence[StepRun]) -> Sequence[StepRun]:
    return [run for run in runs if run.status == SUCCEEDED and run.superseded_by is None]


def statuses(
    plan: Plan, decided: Sequence[Decision], failed: Collection[str], *, interrupted: bool
) -> dict[str, str]:
    """Returns how far each step on the plan's way has come, by its cursor.

    Of a decision the steps of the chosen option are on the way, those of the others are not. A
    session may go on after a step that `failed`.
    """
    at_cursor = "pending"
    if plan.stage == RUNNING:
        at_cursor = "interrupted" if interrupted else "running"
    choices = {row.cursor: row.chosen for row in decided if row.cursor}
    way = list(way_taken(plan.outlined_steps, choices))
    reached = way.index(plan.cursor) if plan.cursor in way else len(way)
    found = {
        cursor: "done" if index < reached else "pending" if index > reached else at_cursor
        for index, cursor in enumerate(way)
    }
    found.update((cursor, "failed") for cursor in way[:reached] if cursor in failed)
    if plan.stage == ERRORED and plan.error and plan.error.cursor in found:
        found[plan.error.cursor] = "failed"
    return found


def _confined(runs: Sequence[StepRun]) -> Mapping[str, Confined]:
    """How the last run of each step was; of one that counts, if there is any."""
    found = {run.cursor: run.confined for run in runs}
    return found | {run.cursor: run.confined for run in runs if run.superseded_by is None}


def _progress(
    plan: Plan, found: Mapping[str, str], confined: Mapping[str, Confined]
) -> Iterator[StepStatus]:
    steps = plan.outlined_steps
    for cursor, status in found.items():
        shown = None if status == "pending" else confined.get(cursor)
        yield StepStatus(title_at(steps, cursor), status, shown)
