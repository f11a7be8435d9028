"""The extent of an act besides its files: told by every dry run in the same words."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.checkpoints.besides import Besides
from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.undo import CallLeft, UndoDue
from cleveragents.ids import CheckpointId, DecisionId, PlanId
from cleveragents.plans.decision import Decision
from cleveragents.plans.plan import Plan


class UndoRow(TypedDict):
    """A call that would be undone."""

    step: str
    tool: str
    undo: str | None  # the command or function that undoes it


class CallRow(TypedDict):
    """A call whose effects outside the sandbox would stay."""

    step: str
    tool: str
    effects: str


class SubplanRow(TypedDict):
    """A subplan, by its name."""

    plan_id: PlanId
    name: str


class ChoiceRow(TypedDict):
    """A decision, by what it was about."""

    decision_id: DecisionId
    question: str
    chosen: str


class CheckpointName(TypedDict):
    """A checkpoint, by its number."""

    seq: int
    checkpoint_id: CheckpointId


class Counts(TypedDict):
    """How many there are of each."""

    files: int
    undo: int
    cannot_be_undone: int
    subplans: int
    decisions: int
    checkpoints_left_behind: int


class Extent(TypedDict):
    """Calls, subplans, decisions and checkpoints that an act does not leave as they are."""

    undo: Sequence[UndoRow]
    cannot_be_undone: Sequence[CallRow]
    subplans: Sequence[SubplanRow]
    decisions: Sequence[ChoiceRow]  # that stop counting
    checkpoints_left_behind: Sequence[CheckpointName]  # that no longer lead to the present
    counts: Counts


class DryRun(Extent):
    """The part of a dry run that every act has."""

    moving: bool  # another process is at work on the plan


def extent_of(besides: Besides, files: int) -> Extent:
    """The extent of an act besides so many files, with counts of all."""
    calls = besides.calls
    return {
        "undo": [_undo(call) for call in calls.due],
        "cannot_be_undone": [_left(call) for call in calls.left],
        "subplans": [subplan_of(child) for child in besides.subplans],
        "decisions": [choice_of(row) for row in besides.decisions],
        "checkpoints_left_behind": [_name(row) for row in besides.left_behind],
        "counts": {
            "files": files,
            "undo": len(calls.due),
            "cannot_be_undone": len(calls.left),
            "subplans": len(besides.subplans),
            "decisions": len(besides.decisions),
            "checkpoints_left_behind": len(besides.left_behind),
        },
    }


def choice_of(row: Decision) -> ChoiceRow:
    """A decision, by what it was about."""
    return {"decision_id": row.decision_id, "question": row.question, "chosen": row.chosen}


def subplan_of(child: Plan) -> SubplanRow:
    """A subplan, by its name."""
    return {"plan_id": child.plan_id, "name": child.name}


def _undo(call: UndoDue) -> UndoRow:
    return {"step": call.run.name, "tool": call.run.tool, "undo": call.declared.undo}


def _left(call: CallLeft) -> CallRow:
    return {"step": call.step, "tool": call.tool, "effects": call.effects}


def _name(row: Checkpoint) -> CheckpointName:
    return {"seq": row.seq, "checkpoint_id": row.checkpoint_id}
