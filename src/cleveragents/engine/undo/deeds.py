"""Deeds on plans, read from what is recorded anyhow: operations, calls of steps, decisions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import accumulate, groupby, pairwise

from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.engine.read.operation_story import story
from cleveragents.engine.undo.trail import Mark, Part, Trail
from cleveragents.ids import CheckpointId, PlanId, made_at
from cleveragents.operations.in_project import Apply
from cleveragents.operations.in_sandbox import Ending, GoBack, Refresh, Restore
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import AnyOperation, Operation, OperationRepository
from cleveragents.plans.decision import INTERVENTIONS, DecisionRepository
from cleveragents.plans.journal import places
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step_run import FAILED, STARTED, StepRunRepository
from cleveragents.records import frozen, replace
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database

STEP = "step"  # the one kind of deed that is no operation
OF_USERS = (
    Kind.APPLY,
    Kind.UNAPPLY,
    Kind.ROLLBACK,
    Kind.CORRECT,
    Kind.REVERT,
    Kind.RESTORE,
    Kind.RESOLVE,
    Kind.REFRESH,
)
IN_PROJECT = (Kind.APPLY, Kind.UNAPPLY)
HAPPENED = (Status.DONE, Status.OPEN)  # else it was taken back, or nobody knows


class Fate(StrEnum):
    """The fate of a deed, in a word."""

    STANDS = "stands"
    UNDONE = "undone"  # by `agents undo`
    ENDED = "ended"  # by a later deed: an unapply, a rollback and the like
    FAILED = "failed"  # a step, whose files the run itself put back


@frozen
class Deed:
    """Something that a user did to a plan, or a step of it."""

    deed_id: str  # of the operation, or of the last call or decision of the step
    plan: Plan
    kind: str  # of the operation, or `step`
    at: datetime
    told: str  # what it did
    before: CheckpointId | None  # what was there; none: an apply, or a plan without checkpoints
    was: Ending | None  # where the plan stood; none: it did not move it
    operation: AnyOperation | None  # none: a step
    stands: bool
    undo: AnyOperation | None  # that has taken it back
    ended_by: AnyOperation | None = None  # another operation after which it is not so any more
    has_failed: bool = False  # a step that did not come to a good end
    was_cut_off: bool = False  # a step whose process died with it

    @property
    def fate(self) -> Fate:
        """Its fate."""
        by = self.ended_by
        if self.undo is not None or (by is not None and by.intent.retraced.undoes):
            return Fate.UNDONE
        if by is None and self.stands:
            return Fate.STANDS
        is_by_run = by is not None and not _is_of_user(by)
        return Fate.FAILED if is_by_run and self.has_failed else Fate.ENDED

    @property
    def branch(self) -> str | None:
        """The branch that the result was brought into, if it was one."""
        intent = self.operation.intent if self.operation else None
        found = intent.branch if isinstance(intent, Apply) else None
        return None if found is None else found.branch

    @property
    def files(self) -> int | None:
        """How many paths it touched, as far as that was noted."""
        match self.operation:
            case Operation(intent=Apply(paths=paths)):
                return len(paths)
            case Operation(intent=Restore(files=files) | Refresh(files=files)):
                return files
            case Operation(outcome={"files": int(files)}):
                return files
            case _:
                return None

    @property
    def title(self) -> str:
        """The name of it, in one line."""
        return f"{Kind(self.kind).noun}: {self.told}" if self.operation else f"step {self.told}"


@frozen
class DeedList:
    """Everything that was done here, and what comes next."""

    deeds: Sequence[Deed]  # the newest first
    trail: Trail  # without plans that another process is at work on
    plans: Sequence[Plan]
    busy: Sequence[Plan]  # those

    def find(self, deed_id: str | None) -> Deed | None:
        """Returns a deed by its id."""
        return next((deed for deed in self.deeds if deed.deed_id == deed_id), None)


@frozen
class _Trace:
    """A call or a decision: what is known of a step that ran."""

    trace_id: str
    cursor: str
    name: str
    before: CheckpointId | None
    ended_by: str | None  # the operation after which it counts no longer
    status: str | None = None  # how far a call has come

    @property
    def counts(self) -> bool:
        """Whether nothing has taken it back."""
        return self.ended_by is None


class DeedReader:
    """Reads what was done in a project; changes nothing and needs no lock."""

    def __init__(
        self, database: Database, is_owned: Callable[[str], bool], project: Project
    ) -> None:
        self._database = database
        self._is_owned = is_owned
        self._project = project

    def read(self, plan_id: PlanId | None = None, *, held: PlanId | None = None) -> DeedList:
        """Returns the deeds on all plans here that are nobody's part, or those on one plan.

        `held` is a plan that the caller owns: what it has done so far counts.
        """
        with self._database.reading() as connection:
            plans = self._plans(connection, plan_id)
            read = {plan.plan_id: _Past(connection, plan) for plan in plans}
        marks = {key: past.marks for key, past in read.items()}
        whole = Trail(mark for each in marks.values() for mark in each)
        # Who is at work is left alone: what it does next would come after what is taken back.
        busy = [plan for plan in plans if plan.plan_id != held and self._is_owned(plan.plan_id)]
        taken = {plan.plan_id for plan in busy}
        free = Trail(mark for key in read.keys() - taken for mark in marks[key])
        found = [deed for past in read.values() for deed in past.deeds(whole)]
        order = whole.order
        found.sort(key=lambda deed: order[deed.deed_id], reverse=True)
        return DeedList(found, free, plans, busy)

    def _plans(self, connection: Connection, plan_id: PlanId | None) -> list[Plan]:
        plans = PlanRepository(connection)
        if plan_id is not None:
            return [plans.get(plan_id)]
        here = plans.of_project(projects.known(connection, self._project))
        return [plan for plan in here if plan.parent_plan_id is None]


class _Past:
    """The deeds of one plan."""

    def __init__(self, connection: Connection, plan: Plan) -> None:
        self._plan = plan
        every = OperationRepository(connection).of_plan(plan.plan_id)
        self._every: Mapping[str, AnyOperation] = {one.operation_id: one for one in every}
        self._operations: Mapping[str, AnyOperation] = {
            one.operation_id: one for one in every if one.status in HAPPENED and _is_of_user(one)
        }
        self._order = places(connection, plan.plan_id)
        traces = _traces(connection, plan.plan_id)
        self._steps = _steps(sorted(traces, key=lambda trace: self._order.get(trace.trace_id, 0)))
        rows = CheckpointRepository(connection).of_plan(plan.plan_id) if self._operations else ()
        self._names: Mapping[str, str] = {row.checkpoint_id: row.name for row in rows}

    @property
    def marks(self) -> list[Mark]:
        """The events in the order of the journal, whatever the clocks say."""
        found = [*map(self._step_mark, self._steps), *map(_mark, self._operations.values())]
        found.sort(key=lambda mark: self._order.get(mark.mark_id, 0))
        times = accumulate((mark.mark_id for mark in found), max)  # ids begin with their time
        return [replace(mark, when=when) for mark, when in zip(found, times, strict=True)]

    def _step_mark(self, step: Sequence[_Trace]) -> Mark:
        last = step[-1].trace_id
        return Mark(last, "", self._plan.plan_id, counts=any(trace.counts for trace in step))

    def deeds(self, trail: Trail) -> Iterable[Deed]:
        """The deeds among them; what is not finished is none yet."""
        for step in self._steps:
            yield self._step(step, trail)
        acts = [one for one in self._operations.values() if one.status is Status.DONE]
        acts = [one for one in acts if one.intent.retraced.deed is None]
        brought = [one for one in acts if one.kind in IN_PROJECT]
        lasting = [one for one in brought if trail.undone_by(one.operation_id) is None]
        after = {one.operation_id: later for one, later in pairwise(lasting)}
        for one in acts:
            yield self._act(one, after.get(one.operation_id), trail)

    def _step(self, step: Sequence[_Trace], trail: Trail) -> Deed:
        last = step[-1]
        return Deed(
            last.trace_id,
            self._plan,
            STEP,
            made_at(last.trace_id),
            last.name,
            last.before,
            Ending(QUEUED),
            None,
            trail.stands(last.trace_id),
            self._undo_of(last.trace_id, trail),
            None if last.ended_by is None else self._every.get(last.ended_by),
            last.status in (FAILED, STARTED),
            last.status == STARTED,
        )

    def _act(self, one: AnyOperation, later: AnyOperation | None, trail: Trail) -> Deed:
        intent = one.intent
        return Deed(
            one.operation_id,
            self._plan,
            one.kind,
            one.opened_at,
            story(one, self._names, {}),
            intent.before,
            intent.was or Ending(QUEUED) if isinstance(intent, GoBack) else None,
            one,
            trail.stands(one.operation_id),
            self._undo_of(one.operation_id, trail),
            later,
        )

    def _undo_of(self, deed_id: str, trail: Trail) -> AnyOperation | None:
        return self._operations.get(trail.undone_by(deed_id) or "")


def _is_of_user(one: AnyOperation) -> bool:
    """Whether somebody typed it; a rollback may also be part of a run."""
    if one.kind is Kind.ROLLBACK and isinstance(one.intent, GoBack):
        return one.intent.is_by_user
    return one.kind in OF_USERS


def _mark(one: AnyOperation) -> Mark:
    retraced, is_open = one.intent.retraced, one.status is Status.OPEN
    part = Part.UNDO if retraced.undoes else Part.REDO if retraced.redoes else Part.DEED
    return Mark(one.operation_id, "", one.plan_id, part, retraced.deed or "", is_open=is_open)


def _traces(connection: Connection, plan_id: PlanId) -> list[_Trace]:
    """The calls of a plan and the decisions that its steps asked for."""
    calls = [
        _Trace(
            run.step_run_id,
            run.cursor,
            run.name,
            run.checkpoint_id,
            run.superseded_by,
            run.status,
        )
        for run in StepRunRepository(connection).of_plan(plan_id)
    ]
    decisions = [
        _Trace(
            row.decision_id,
            row.cursor,
            f"{row.question} {row.chosen}",
            row.checkpoint_id,
            row.superseded_by,
        )
        for row in DecisionRepository(connection).of_plan(plan_id)
        if row.cursor is not None and row.decision_type not in INTERVENTIONS
    ]
    return [*calls, *decisions]


def _steps(traces: Iterable[_Trace]) -> list[list[_Trace]]:
    """Puts together what one step did: its attempts, and its decisions, start from one state."""
    grouped = groupby(traces, key=lambda trace: (trace.cursor, trace.before))
    return [list(step) for _, step in grouped]
