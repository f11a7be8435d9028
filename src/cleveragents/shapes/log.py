"""The story of a plan, one shape for each kind of thing that happens."""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, cast

from cleveragents.engine.read.history import HistoryEvent
from cleveragents.ids import CheckpointId, DecisionId, OperationId, PlanId, StepRunId
from cleveragents.operations.kind import Kind, Status
from cleveragents.plans.journal import Happening
from cleveragents.plans.plan import Plan
from cleveragents.plans.undo_run import UndoStatus


class _Entry(TypedDict):
    seq: int  # its number in the plan; orders it, whatever the clocks say
    at: str
    what: str  # in a word or two
    story: str  # in a sentence


class ForkOrigin(TypedDict):
    """The checkpoint of another plan that a plan goes on from."""

    plan_id: PlanId
    plan_name: str
    checkpoint_id: CheckpointId
    checkpoint_name: str  # as it was called then


class CreationEntry(_Entry):
    """The plan was made from its action."""

    kind: Literal[Happening.MADE]
    action: str
    steps: int
    forked_from: NotRequired[ForkOrigin]  # only of a fork


# By a call, because `from` cannot be written as the name of a field.
_From = TypedDict("_From", {"from": str})


class Move(_Entry, _From):
    """It went to another phase or state."""

    kind: Literal[Happening.MOVED]
    to: str
    attempt: int
    error: str | None


class Choice(_Entry):
    """A decision was recorded."""

    kind: Literal[Happening.DECIDED]
    decision_id: DecisionId
    type: str
    question: str
    chosen: str
    alternatives: Sequence[str]
    rationale: str | None
    taken_back_by: str | None  # the operation that did


class StepAttempt(_Entry):
    """An attempt at a step was begun."""

    kind: Literal[Happening.STEP]
    step_run_id: StepRunId
    cursor: str
    step: str
    tool: str
    attempt: int
    status: str  # started | succeeded | failed
    summary: str
    exit_code: int | None
    level: str  # what its processes were confined to
    way: str | None  # by what; null: they were not confined
    seconds: float | None  # null: no end is recorded
    started_from: str | None  # the short name of a checkpoint
    taken_back_by: str | None  # the operation that did


class NewCheckpoint(_Entry):
    """A checkpoint was made; of one that older versions made and that is gone less is known."""

    kind: Literal[Happening.CHECKPOINT]
    name: str
    type: str
    label: NotRequired[str | None]
    size_bytes: NotRequired[int]
    reason: str | None
    trigger: NotRequired[str | None]
    source_tool: NotRequired[str | None]
    files: NotRequired[int | None]
    seconds: NotRequired[float | None]
    checkpoint_id: CheckpointId
    is_kept: bool


class OperationStart(_Entry):
    """A rollback, an apply, a merge or the like was begun."""

    kind: Literal[Happening.OPERATION]
    operation_id: OperationId
    operation: Kind
    status: Status
    target: str | None  # the short name of the checkpoint that a rollback leads to
    outcome: Mapping[str, object]  # what came of it, each kind in its own words


class Pin(_Entry):
    """A checkpoint was pinned or unpinned."""

    kind: Literal[Happening.PINNED]
    name: str
    pinned: bool
    checkpoint_id: CheckpointId


class UndoStart(_Entry):
    """The undo of a call was begun."""

    kind: Literal[Happening.UNDO]
    undo_run_id: str
    operation_id: OperationId
    step_run_id: StepRunId
    step: str
    tool: str
    status: UndoStatus
    summary: str


class Reload(_Entry):
    """The action file was read again, for the steps that are left."""

    kind: Literal[Happening.RELOADED]
    file: str
    definition: int  # the number of the action that the plan follows from here on
    replaced: int  # and of the one before
    changed: Sequence[str]
    added: Sequence[str]
    removed: Sequence[str]


LogEntry = (
    CreationEntry
    | Move
    | Choice
    | StepAttempt
    | NewCheckpoint
    | OperationStart
    | Pin
    | UndoStart
    | Reload
)


class PlanLog(TypedDict):
    """All that happened to a plan, in order."""

    plan_id: PlanId
    events: Sequence[LogEntry]


def log_of(plan: Plan, events: Sequence[HistoryEvent]) -> PlanLog:
    """All that happened to a plan, in order."""
    return {"plan_id": plan.plan_id, "events": [_entry(event) for event in events]}


def _entry(event: HistoryEvent) -> LogEntry:
    told: Mapping[str, object] = {
        "seq": event.seq,
        "at": event.at.isoformat(),
        "kind": event.kind,
        "what": event.what,
        "story": event.story,
        **event.facts,
    }
    return cast("LogEntry", told)  # the journal knows its facts by kind only when it is read
