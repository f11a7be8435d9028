"""Where a plan stands."""

import os
from collections.abc import Sequence
from typing import NotRequired, TypedDict

from cleveragents.checkpoints.checkpoint import Checkpoint, forgotten
from cleveragents.engine.read.status import PlanStatus, StepStatus
from cleveragents.ids import CheckpointId
from cleveragents.operations.kind import Kind
from cleveragents.operations.operation import AnyOperation
from cleveragents.plans.conflict import Conflict
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.shapes.failure import ErrorRow, error_of
from cleveragents.shapes.name import FileName, file_name
from cleveragents.shapes.plan import PlanRow, plan_of


class StepRow(TypedDict):
    """How far one step has come."""

    step: str
    status: str  # done | failed | running | interrupted | pending


class ProgressRow(StepRow):
    """How far one step has come, and how it was confined."""

    level: str | None  # what its processes were confined to; null: it has not run
    way: str | None  # by what; null: they were not confined


class SandboxPlace(TypedDict):
    """Where a plan works."""

    strategy: str
    path: str
    branch: str | None
    status: str  # whether it is there, and if not, why


class Execution(TypedDict):
    """The progress of a plan."""

    sandbox: SandboxPlace | None  # null: it has none yet
    tool_calls: int
    files_modified: int | None  # null: the files cannot be looked at
    child_plans: int
    checkpoints: int


class StatusCheckpoint(TypedDict):
    """A checkpoint, as far as it matters to where a plan stands."""

    seq: int
    checkpoint_id: CheckpointId
    created_at: str
    label: str | None


class FileConflict(FileName):
    """A file that two sides changed; `plan conflicts` tells more."""

    reason: str


class StuckOperation(TypedDict):
    """An interrupted act that cannot be finished."""

    kind: Kind
    reason: str


class ChildPlan(PlanRow):
    """A subplan."""

    conflicts: int  # that are open in it, and keep it from being merged


class PlanReport(PlanRow):
    """Everything worth knowing about a plan."""

    progress: Sequence[ProgressRow]
    execution: Execution
    checkpoints: Sequence[StatusCheckpoint]
    checkpoints_forgotten: int  # how many were deleted, or let go by the limit
    children: Sequence[ChildPlan]
    conflicts: Sequence[FileConflict]
    waits: bool  # its next step runs once conflicts are resolved
    interrupted: bool  # it was running and its process is gone
    unfinished_operations: Sequence[Kind]
    stuck_operations: Sequence[StuckOperation]
    error: NotRequired[ErrorRow]  # only of a plan that is errored


def report_of(found: PlanStatus) -> PlanReport:
    """Where a plan stands."""
    plan = found.plan
    report: PlanReport = {
        **plan_of(plan),
        "progress": [_progress(step) for step in found.progress],
        "execution": _execution(found),
        "checkpoints": [_checkpoint(row) for row in found.checkpoints],
        "checkpoints_forgotten": forgotten(found.checkpoints),
        "children": [
            {**plan_of(child), "conflicts": found.conflicts_below.get(child.plan_id, 0)}
            for child in found.children
        ],
        "conflicts": conflicts_of(found.conflicts),
        "waits": found.waits,
        "interrupted": found.interrupted,
        "unfinished_operations": [operation.kind for operation in found.unfinished],
        "stuck_operations": [_stuck(one) for one in found.unfinished if one.is_stuck],
    }
    if plan.error is not None:
        report["error"] = error_of(plan.error)
    return report


def step_of(step: StepStatus) -> StepRow:
    """How far a step has come."""
    return {"step": step.step, "status": step.status}


def _progress(step: StepStatus) -> ProgressRow:
    confined = step.confined
    return {
        **step_of(step),
        "level": None if confined is None else str(confined.level),
        "way": None if confined is None or confined.way is None else str(confined.way),
    }


def conflicts_of(conflicts: Sequence[Conflict]) -> list[FileConflict]:
    """The files that two sides changed."""
    return [{**file_name(os.fsdecode(one.path)), "reason": one.reason} for one in conflicts]


def _execution(found: PlanStatus) -> Execution:
    return {
        "sandbox": None if found.sandbox is None else _sandbox(found.sandbox),
        "tool_calls": found.tool_calls,
        "files_modified": found.files_modified,
        "child_plans": len(found.children),
        "checkpoints": len(found.checkpoints),
    }


def _sandbox(sandbox: Sandbox) -> SandboxPlace:
    return {
        "strategy": sandbox.strategy,
        "path": str(sandbox.path),
        "branch": sandbox.branch,
        "status": sandbox.condition,
    }


def _checkpoint(row: Checkpoint) -> StatusCheckpoint:
    return {
        "seq": row.seq,
        "checkpoint_id": row.checkpoint_id,
        "created_at": row.created_at.isoformat(),
        "label": row.label,
    }


def _stuck(operation: AnyOperation) -> StuckOperation:
    return {"kind": operation.kind, "reason": operation.reason}
