"""The deeds here, their undo and redo."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.undo.deeds import Deed, Fate
from cleveragents.engine.undo.series import Part, SeriesForesight, SeriesResult
from cleveragents.engine.undo.service import RetraceForesight, RetraceResult
from cleveragents.ids import CheckpointId, OperationId, PlanId
from cleveragents.shapes.act import REDO, ActRow, ConflictingPath, KeptRow, OpRow
from cleveragents.shapes.change import ChangeRow, changes_of
from cleveragents.shapes.extent import DryRun, extent_of
from cleveragents.shapes.name import file_name

PLAN = "plan"


class UndoReport(TypedDict):
    """The result or preview of an undo or a redo; all null and empty: there was nothing to do."""

    kind: str | None  # what it was done to: plan
    plan: PlanId | None
    act: ActRow | None
    taken_back: Sequence[ChangeRow]  # of a redo: brought again
    kept: Sequence[KeptRow]
    conflicts: Sequence[ConflictingPath]  # what stands in the way; only a dry run tells of any
    safety: CheckpointId | None  # what was there before; null: an apply has a way back of its own
    operation: OperationId | None  # null: nothing was done
    redo: str | None  # the command that does it, or what was taken back before it, again


class UndoPreview(UndoReport, DryRun):
    """The preview of an undo or a redo."""


class OpLog(TypedDict):
    """Everything that was done here, the newest first."""

    acts: Sequence[OpRow]
    next_undo: str | None  # the id of the act that `agents undo` takes back
    next_redo: str | None  # the id of the act that `agents redo` does again


class UndoSeries(TypedDict):
    """The result of `agents undo --pick`."""

    undone: Sequence[UndoReport]  # of the newest act first
    left: Sequence[OpRow]  # acts that were to be taken back, and were not
    why: str | None  # why not; null: all were taken back
    redo: str | None  # the command that does the last of them again


class PlacePreview(TypedDict):
    """The changes in one place."""

    where: str  # your project, a branch, or the sandbox of a plan
    changes: Sequence[ChangeRow]
    unknown: str | None  # why it cannot be told


class UndoSeriesPreview(TypedDict):
    """The preview of `agents undo --pick`."""

    acts: Sequence[OpRow]  # that would be taken back, the newest first
    places: Sequence[PlacePreview]
    conflicts: Sequence[ConflictingPath]  # what stands in the way of the newest
    moving: bool  # another process is at work on one of the plans


def nothing() -> UndoReport:
    """The answer where there was nothing to do."""
    return {
        "kind": None,
        "plan": None,
        "act": None,
        "taken_back": [],
        "kept": [],
        "conflicts": [],
        "safety": None,
        "operation": None,
        "redo": None,
    }


def retrace_of(result: RetraceResult) -> UndoReport:
    """The result of an undo or a redo; of one that was only finished, the files are not known."""
    done = result.done
    return {
        **_about(result.deed),
        "taken_back": changes_of(done.files if done else ()),
        "kept": [] if done is None else [*_mine(done.mine), *map(_kept, done.kept)],
        "safety": result.safety,
        "operation": result.operation.operation_id,
        "redo": REDO if result.is_more_forward else None,
    }


def retrace_preview_of(would: RetraceForesight, *, moving: bool) -> UndoPreview:
    """The preview of an undo or a redo."""
    effect = would.effect
    return {
        **_about(would.deed),
        "taken_back": changes_of(effect.files),
        "kept": _mine(effect.mine),
        "conflicts": [_obstacle(each) for each in effect.obstacles],
        **extent_of(effect.besides, len(effect.files)),
        "moving": moving,
    }


def undo_series_of(result: SeriesResult) -> UndoSeries:
    """The deeds that were taken back, and those that were not."""
    return {
        "undone": [retrace_of(each) for each in result.done],
        "left": [op_row_of(deed) for deed in result.left],
        "why": None if result.error is None else result.error.message,
        "redo": REDO if result.last.is_more_forward else None,
    }


def undo_series_preview_of(would: SeriesForesight, *, moving: bool) -> UndoSeriesPreview:
    """The deeds that would be taken back."""
    return {
        "acts": [op_row_of(deed) for deed in would.deeds],
        "places": [_place(part) for part in would.parts],
        "conflicts": [_obstacle(each) for each in would.first.obstacles],
        "moving": moving,
    }


def _place(part: Part) -> PlacePreview:
    changes = changes_of(part.files)
    return {"where": part.where, "changes": changes, "unknown": part.unknown or None}


def op_log_of(acts: Sequence[OpRow], next_undo: str | None, next_redo: str | None) -> OpLog:
    """The acts here, as many as are wanted."""
    return {"acts": acts, "next_undo": next_undo, "next_redo": next_redo}


def _about(deed: Deed) -> UndoReport:
    return {**nothing(), "kind": PLAN, "plan": deed.plan.plan_id, "act": _act(deed)}


def _act(deed: Deed) -> ActRow:
    return {
        "id": deed.deed_id,
        "type": deed.kind,
        "at": deed.at.isoformat(),
        "text": deed.told,
        "files": deed.files,
    }


def op_row_of(deed: Deed) -> OpRow:
    """An act on a plan, and what has become of it."""
    by = deed.undo or deed.ended_by
    return {
        **_act(deed),
        "kind": PLAN,
        "plan": deed.plan.plan_id,
        "name": deed.plan.name,
        "stands": deed.fate is Fate.STANDS,
        "state": deed.fate,
        "taken_back_by": None if by is None else by.operation_id,
    }


def _kept(path: str) -> KeptRow:
    return {**file_name(path), "why": "it holds other files"}


def _mine(paths: Sequence[str]) -> list[KeptRow]:
    return [{**file_name(path), "why": "left as you have it"} for path in paths]


def _obstacle(each: Obstacle) -> ConflictingPath:
    return {**file_name(each.path), "reason": each.why}
