"""The decisions of a plan, as a tree and one by one."""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

from cleveragents.engine.correct.correction import Impact
from cleveragents.engine.read.tree import DecisionNode
from cleveragents.ids import CheckpointId, DecisionId, PlanId
from cleveragents.plans.correction import CorrectionAttempt
from cleveragents.plans.decision import Decision
from cleveragents.plans.plan import Plan
from cleveragents.shapes.correction import AttemptRow, ImpactRow, attempt_of, impact_of
from cleveragents.shapes.status import StepRow, step_of


class _DecisionRow(TypedDict):
    decision_id: DecisionId
    plan_id: PlanId
    parent_id: DecisionId | None
    seq: int
    decision_type: str
    cursor: str | None  # the step that asked for it; null: no step did
    question: str
    chosen: str
    alternatives: Sequence[str]
    confidence: float | None
    rationale: str | None
    checkpoint_id: CheckpointId | None  # the state before it
    superseded_by: str | None  # the operation that took it back
    created_at: str


class DecisionFacts(_DecisionRow):
    """A decision and what it has led to."""

    name: str
    checkpoint: str | None  # the short name of the state before it
    influenced_by: Sequence[DecisionId]
    steps: Sequence[StepRow]  # of the option it chose; of the root, those of the plan


class DecisionBranch(DecisionFacts):
    """A decision with those below it."""

    children: "Sequence[DecisionBranch]"


class Decisions(TypedDict):
    """The decisions of a plan, and the attempts to correct them."""

    plan_id: PlanId
    decisions: Sequence[DecisionBranch]  # the roots
    corrections: Sequence[AttemptRow]


class NoCorrection(TypedDict):
    """Why a decision cannot be corrected."""

    possible: Literal[False]
    reason: str


class PossibleCorrection(ImpactRow):
    """The cost of a correction."""

    possible: Literal[True]


class Explanation(DecisionFacts):
    """All about a decision."""

    correction: PossibleCorrection | NoCorrection
    dependents: NotRequired[Sequence[DecisionId]]  # only where a correction is possible


def decisions_of(
    plan: Plan, roots: Sequence[DecisionNode], attempts: Sequence[CorrectionAttempt]
) -> Decisions:
    """The decisions of a plan, and the attempts to correct them."""
    return {
        "plan_id": plan.plan_id,
        "decisions": [_branch(root) for root in roots],
        "corrections": [attempt_of(row) for row in attempts],
    }


def explanation_of(node: DecisionNode, impact: Impact | str) -> Explanation:
    """All about a decision; why there is none in place of an impact."""
    facts = _facts(node)
    if isinstance(impact, str):
        return {**facts, "correction": {"possible": False, "reason": impact}}
    return {
        **facts,
        "correction": {"possible": True, **impact_of(impact)},
        "dependents": [row.decision_id for row in impact.affected if row != node.decision],
    }


def _facts(node: DecisionNode) -> DecisionFacts:
    return {
        **_row(node.decision),
        "name": node.name,
        "checkpoint": node.checkpoint.name if node.checkpoint else None,
        "influenced_by": [row.decision_id for row in node.influenced_by],
        "steps": [step_of(step) for step in node.steps],
    }


def _branch(node: DecisionNode) -> DecisionBranch:
    return {**_facts(node), "children": [_branch(child) for child in node.children]}


def _row(row: Decision) -> _DecisionRow:
    return {
        "decision_id": row.decision_id,
        "plan_id": row.plan_id,
        "parent_id": row.parent_id,
        "seq": row.seq,
        "decision_type": row.decision_type,
        "cursor": row.cursor,
        "question": row.question,
        "chosen": row.chosen,
        "alternatives": row.alternatives,
        "confidence": row.confidence,
        "rationale": row.rationale,
        "checkpoint_id": row.checkpoint_id,
        "superseded_by": row.superseded_by,
        "created_at": row.created_at.isoformat(),
    }
