"""Corrections: what one would take back, and what became of it."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from cleveragents.checkpoints.besides import Besides
from cleveragents.engine.correct.append import Fix
from cleveragents.engine.correct.correction import Impact
from cleveragents.ids import CheckpointId, DecisionId, PlanId
from cleveragents.plans.conflict import Conflict
from cleveragents.plans.correction import CorrectionAttempt, CorrectionMode, CorrectionState
from cleveragents.shapes.change import ChangeRow, changes_of
from cleveragents.shapes.extent import (
    ChoiceRow,
    DryRun,
    Extent,
    SubplanRow,
    choice_of,
    extent_of,
    subplan_of,
)
from cleveragents.shapes.status import FileConflict, conflicts_of


class AttemptRow(TypedDict):
    """One attempt to correct a decision."""

    correction_id: str
    plan_id: PlanId
    decision_id: DecisionId | None  # what is corrected; null: an error
    intervention_id: str  # the decision that records the guidance
    mode: CorrectionMode
    state: CorrectionState
    guidance: str
    chosen: str | None  # the option that the user chose
    before_id: CheckpointId | None  # the checkpoint of what was there before
    subtree: Sequence[Mapping[str, object]]  # the decisions it replaces, as they were stored
    created_at: str
    updated_at: str


class AgainRow(TypedDict):
    """A step that runs again."""

    cursor: str
    step: str


class ImpactRow(Extent):
    """The decisions that a correction takes back, and those that it does not ask for again."""

    plan: PlanId
    decision: DecisionId | None  # null: an error is what is corrected
    checkpoint: CheckpointId  # to which the plan goes back
    standing: Sequence[ChoiceRow]  # decided after the checkpoint, and kept
    merged_again: Sequence[SubplanRow]  # subplans whose result stands and is not made again
    steps: Sequence[AgainRow]
    files: Sequence[ChangeRow]


class ChosenImpact(ImpactRow):
    """The same, with what is chosen instead."""

    choose: str | None


class CorrectionPreview(ChosenImpact):
    """The preview of a correction."""

    moving: bool  # another process is at work on the plan


class AdditionPreview(DryRun):
    """The preview of an addition to a plan."""

    plan: PlanId
    added: str  # the name of the step


class _CorrectionEnd(TypedDict):
    correction: AttemptRow
    conflicts: Sequence[FileConflict]


class SecondChoice(_CorrectionEnd):
    """The result of a correction."""

    impact: ChosenImpact


class Addition(_CorrectionEnd):
    """The addition to a plan."""

    added: str  # the name of the step


def attempt_of(attempt: CorrectionAttempt) -> AttemptRow:
    """One attempt to correct a decision."""
    return {
        "correction_id": attempt.correction_id,
        "plan_id": attempt.plan_id,
        "decision_id": attempt.decision_id,
        "intervention_id": attempt.intervention_id,
        "mode": attempt.mode,
        "state": attempt.state,
        "guidance": attempt.guidance,
        "chosen": attempt.chosen,
        "before_id": attempt.before_id,
        "subtree": attempt.subtree,
        "created_at": attempt.created_at.isoformat(),
        "updated_at": attempt.updated_at.isoformat(),
    }


def impact_of(impact: Impact) -> ImpactRow:
    """The preview of a correction: all that it takes back."""
    return {
        "plan": impact.plan.plan_id,
        "decision": impact.decision.decision_id if impact.decision else None,
        "checkpoint": impact.target.checkpoint_id,
        "standing": [choice_of(row) for row in impact.standing],
        "merged_again": [subplan_of(child) for child in impact.merged_again],
        "steps": [{"cursor": run.cursor, "step": run.name} for run in impact.steps],
        "files": changes_of(impact.files),
        **extent_of(impact.besides, len(impact.files)),
    }


def correction_preview_of(impact: Impact, choose: str | None, *, moving: bool) -> CorrectionPreview:
    """The preview of a correction."""
    return {**impact_of(impact), "choose": choose, "moving": moving}


def addition_preview_of(fix: Fix, *, moving: bool) -> AdditionPreview:
    """The preview of an addition to a plan."""
    return {
        "plan": fix.plan.plan_id,
        "added": fix.step.title,
        "moving": moving,
        **extent_of(Besides(), 0),
    }


def second_choice_of(
    ended: CorrectionAttempt, conflicts: Sequence[Conflict], impact: Impact, choose: str | None
) -> SecondChoice:
    """The result of a correction."""
    return {
        "correction": attempt_of(ended),
        "impact": {**impact_of(impact), "choose": choose},
        "conflicts": conflicts_of(conflicts),
    }


def addition_of(ended: CorrectionAttempt, conflicts: Sequence[Conflict], fix: Fix) -> Addition:
    """The addition to a plan."""
    return {
        "correction": attempt_of(ended),
        "added": fix.step.title,
        "conflicts": conflicts_of(conflicts),
    }
