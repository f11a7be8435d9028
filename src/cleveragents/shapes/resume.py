"""How a plan would go on."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.engine.run.resume import Course, Preview
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.operations.kind import Kind
from cleveragents.shapes.change import ChangeRow, changes_of


class NothingLeft(TypedDict):
    """That a plan is complete already."""

    plan_id: PlanId
    steps_left: int  # none
    moving: bool  # another process is at work on the plan


class ResumePreview(TypedDict):
    """How a plan would go on."""

    plan_id: PlanId
    interrupted: bool  # its last run did not come to an end of its own
    unfinished_operations: Sequence[Kind]  # what would be finished first
    checkpoint: CheckpointId | None  # to which the files go back first; null: they stay as they are
    changes: Sequence[ChangeRow]  # of the files, on the way there
    next_step: int  # its index, from 0
    steps_left: int
    finished_steps_again: Sequence[str]
    unsafe_steps: Sequence[str]  # whose side effects would happen a second time
    conflicts: int  # that it would stop at, before its next step
    moving: bool  # another process is at work on the plan


def nothing_left_of(plan_id: PlanId, *, moving: bool) -> NothingLeft:
    """That a plan is complete already."""
    return {"plan_id": plan_id, "steps_left": 0, "moving": moving}


def resume_preview_of(found: Preview, *, moving: bool) -> ResumePreview:
    """How a plan would go on."""
    course = found.course
    return {
        "plan_id": course.plan.plan_id,
        "interrupted": course.interrupted,
        "unfinished_operations": [operation.kind for operation in found.unfinished],
        "checkpoint": None if course.start is None else course.start.checkpoint_id,
        "changes": changes_of(found.changes),
        "next_step": next_index(course),
        "steps_left": len(course.plan.action.steps) - next_index(course),
        "finished_steps_again": list(course.again),
        "unsafe_steps": list(course.unsafe),
        "conflicts": found.conflicts,
        "moving": moving,
    }


def next_index(course: Course) -> int:
    """The index of the step that comes next."""
    return course.plan.step_index if course.start is None else course.start.step_index
