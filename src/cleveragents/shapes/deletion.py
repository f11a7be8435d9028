"""Plans that go."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.engine.care.deletion import PlanDeletion
from cleveragents.ids import PlanId


class DeletedPlan(TypedDict):
    """A plan, and what goes along."""

    plan_id: PlanId
    name: str
    subplans: Sequence[str]  # their names
    checkpoints: int  # subplans' included
    stored_bytes: int  # what those added to the store; what others need of it stays
    sandboxes: Sequence[str]  # directories that are removed
    sandbox_bytes: int
    unapplied_work: bool


class PlanDeletions(TypedDict):
    """Plans that are gone."""

    deleted_plans: Sequence[DeletedPlan]


class PlanDeletionPreview(TypedDict):
    """Plans that would be gone."""

    would_delete_plans: Sequence[DeletedPlan]


def deleted_of(done: Sequence[PlanDeletion]) -> PlanDeletions:
    """Plans that are gone."""
    return {"deleted_plans": [_plan(one) for one in done]}


def deletion_preview_of(would: Sequence[PlanDeletion]) -> PlanDeletionPreview:
    """Plans that would be gone."""
    return {"would_delete_plans": [_plan(one) for one in would]}


def _plan(one: PlanDeletion) -> DeletedPlan:
    return {
        "plan_id": one.plan.plan_id,
        "name": one.plan.name,
        "subplans": [child.name for child in one.subplans],
        "checkpoints": one.checkpoints,
        "stored_bytes": one.stored_bytes,
        "sandboxes": [str(sandbox.path) for sandbox in one.sandboxes],
        "sandbox_bytes": one.sandbox_bytes,
        "unapplied_work": one.has_work,
    }
