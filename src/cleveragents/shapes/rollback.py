"""A rollback: what it did, what it would do, and files of a checkpoint that were only written."""

from collections.abc import Sequence
from pathlib import Path
from typing import NotRequired, TypedDict

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.reads import RollbackForesight
from cleveragents.checkpoints.rollback import RollbackResult
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.plans.lifecycle import QUEUED, Phase
from cleveragents.shapes.change import ChangeRow, changes_of
from cleveragents.shapes.extent import DryRun, extent_of
from cleveragents.shapes.undo import UndoRunRow, undo_of


class RollbackSummary(TypedDict):
    """The checkpoint that the plan went back to."""

    plan: PlanId
    checkpoint: CheckpointId
    label: str | None
    files_reverted: int


class RollbackImpact(TypedDict):
    """The effect on all else, in words."""

    child_plans_invalidated: int
    sandbox: str
    decisions_after_cp: str
    tool_calls_after_cp: str


class RollbackState(TypedDict):
    """Where the plan stands now."""

    phase: Phase
    state: str  # with what it waits for
    checkpoints_remaining: int


class Rollback(TypedDict):
    """The result of a rollback."""

    rollback_summary: RollbackSummary
    changes_reverted: Sequence[ChangeRow]
    impact: RollbackImpact
    post_rollback_state: RollbackState
    undo: NotRequired[Sequence[UndoRunRow]]  # only where calls were to be undone


class _Aim(TypedDict):
    plan: PlanId
    checkpoint: CheckpointId


class RebuildPreview(_Aim, DryRun):
    """The preview of making a lost sandbox again."""


class RollbackPreview(_Aim, DryRun):
    """The preview of a rollback."""

    changes: Sequence[ChangeRow]


class Extraction(TypedDict):
    """The files of a checkpoint in a directory of their own."""

    checkpoint: CheckpointId
    directory: str
    written: int  # how many paths
    damaged: Sequence[str]  # what could not be written


def rollback_of(result: RollbackResult) -> Rollback:
    """The result of a rollback."""
    found: Rollback = {
        "rollback_summary": _summary(result),
        "changes_reverted": changes_of(result.changes),
        "impact": _impact(result),
        "post_rollback_state": _state(result),
    }
    if result.undo:
        found["undo"] = [undo_of(run) for run in result.undo]
    return found


def rollback_preview_of(would: RollbackForesight, *, moving: bool) -> RollbackPreview:
    """The preview of a rollback."""
    return {
        **_aim(would.target),
        "changes": changes_of(would.files),
        "moving": moving,
        **extent_of(would.besides, len(would.files)),
    }


def rebuild_preview_of(would: RollbackForesight, *, moving: bool) -> RebuildPreview:
    """The preview of making a lost sandbox again: all files of the checkpoint come back."""
    files = int(str(would.target.metadata.get("files") or 0))
    return {**_aim(would.target), **extent_of(would.besides, files), "moving": moving}


def extraction_of(target: Checkpoint, to: Path, written: int, lost: Sequence[str]) -> Extraction:
    """The paths that were written to a directory, and those that were not."""
    return {
        "checkpoint": target.checkpoint_id,
        "directory": str(to),
        "written": written,
        "damaged": list(lost),
    }


def _aim(target: Checkpoint) -> _Aim:
    return {"plan": target.plan_id, "checkpoint": target.checkpoint_id}


def _summary(result: RollbackResult) -> RollbackSummary:
    return {
        "plan": result.plan.plan_id,
        "checkpoint": result.target.checkpoint_id,
        "label": result.target.label,
        "files_reverted": len(result.changes),
    }


def _impact(result: RollbackResult) -> RollbackImpact:
    return {
        "child_plans_invalidated": result.children,
        "sandbox": f"restored to {result.target.name}",
        "decisions_after_cp": f"{result.decisions} discarded",
        "tool_calls_after_cp": f"{result.tool_calls - len(result.not_undone)} undone",
    }


def _state(result: RollbackResult) -> RollbackState:
    plan = result.plan
    waiting = " (awaiting input)" if plan.stage == QUEUED else ""
    return {
        "phase": plan.phase,
        "state": f"{plan.state}{waiting}",
        "checkpoints_remaining": result.checkpoints_remaining,
    }
