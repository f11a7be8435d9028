"""The failure of a plan, and where its files are."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.engine.read.status import PlanStatus
from cleveragents.ids import PlanId
from cleveragents.plans.lifecycle import Phase, State
from cleveragents.plans.plan import PlanError
from cleveragents.shapes.undo import UndoRunRow, undo_of


class ErrorRow(TypedDict):
    """Why a plan is errored."""

    message: str
    step: str | None
    step_index: int | None
    cursor: str | None  # of the step that failed
    detail: Sequence[str]
    files: str  # where the files are now


class FailureReport(TypedDict):
    """The failure, the calls that were not undone, and the commands that help."""

    plan_id: PlanId
    phase: Phase
    state: State
    error: ErrorRow | None
    tool: str | None  # that the step called
    exit_code: int | None
    output_path: str | None  # where all of what it printed is kept
    left: str | None  # the short name of the checkpoint that holds what it left
    not_undone: Sequence[UndoRunRow]
    next: Sequence[str]


def error_of(error: PlanError) -> ErrorRow:
    """Why a plan is errored."""
    return {
        "message": error.message,
        "step": error.step,
        "step_index": error.step_index,
        "cursor": error.cursor,
        "detail": list(error.detail),
        "files": error.files,
    }


def failure_of(found: PlanStatus, next_steps: Sequence[str]) -> FailureReport:
    """The failure of a plan, if there is one."""
    plan, failed, left = found.plan, found.failed, found.left_by_failure
    return {
        "plan_id": plan.plan_id,
        "phase": plan.phase,
        "state": plan.state,
        "error": None if plan.error is None else error_of(plan.error),
        "tool": failed.tool if failed else None,
        "exit_code": failed.exit_code if failed else None,
        "output_path": failed.output_path if failed else None,
        "left": left.name if left else None,
        "not_undone": [undo_of(run) for run in found.not_undone],
        "next": next_steps,
    }
