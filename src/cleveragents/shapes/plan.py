"""Plans: one row each, in lists and where one is made."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from cleveragents.ids import CheckpointId, PlanId
from cleveragents.plans.lifecycle import Phase, State
from cleveragents.plans.plan import Plan
from cleveragents.shapes.name import FileName, file_name

if TYPE_CHECKING:  # lists of plans know nothing of checkpoints
    from cleveragents.checkpoints.checkpoint import Checkpoint


class PlanRow(TypedDict):
    """A plan and where it stands."""

    plan_id: PlanId
    kind: str  # plan | chat
    name: str
    phase: Phase
    state: State
    attempt: int  # how many times it was run
    steps: int  # how many it has
    next_step: int  # the index of the step that comes next, from 0
    created_at: str
    parent_plan_id: PlanId | None  # of a subplan: the plan it is part of
    merged: bool  # of a subplan: its result is in its parent


class ListedPlan(PlanRow):
    """A plan in the list of its project."""

    unfinished: Sequence[str]  # operations that were interrupted and wait to be finished
    conflicts: int  # how many are open
    conflict_files: Sequence[FileName]  # where


class PlanList(TypedDict):
    """The plans of a project, the newest first, subplans in order after theirs."""

    plans: Sequence[ListedPlan]


class Fork(PlanRow):
    """A plan that goes on from a checkpoint of another one."""

    forked_from: PlanId
    checkpoint: CheckpointId


def plan_of(plan: Plan) -> PlanRow:
    """A plan and where it stands."""
    return {
        "plan_id": plan.plan_id,
        "kind": plan.kind,
        "name": plan.name,
        "phase": plan.phase,
        "state": plan.state,
        "attempt": plan.attempt,
        "steps": plan.step_count,
        "next_step": plan.step_index,
        "created_at": plan.created_at.isoformat(),
        "parent_plan_id": plan.parent_plan_id,
        "merged": plan.merged_ref is not None,
    }


def list_of(
    plans: Sequence[Plan],
    unsettled: Mapping[str, Sequence[str]],
    conflicts: Mapping[str, Sequence[bytes]],
) -> PlanList:
    """Plans, each with what was interrupted and what is in conflict."""
    return {
        "plans": [
            {
                **plan_of(plan),
                "unfinished": unsettled[plan.plan_id],
                "conflicts": len(conflicts.get(plan.plan_id, ())),
                "conflict_files": [
                    file_name(os.fsdecode(path)) for path in conflicts.get(plan.plan_id, ())
                ],
            }
            for plan in plans
        ]
    }


def fork_of(made: Plan, origin: Plan, checkpoint: "Checkpoint") -> Fork:
    """A plan, and what it goes on from."""
    return {
        **plan_of(made),
        "forked_from": origin.plan_id,
        "checkpoint": checkpoint.checkpoint_id,
    }
