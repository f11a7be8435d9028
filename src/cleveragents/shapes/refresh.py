"""A refresh: what of the project was merged into a sandbox, and what did not fit."""

import os
from collections.abc import Sequence
from typing import TypedDict

from cleveragents.checkpoints.besides import Besides
from cleveragents.engine.bring.refresh import RefreshResult
from cleveragents.ids import PlanId
from cleveragents.shapes.conflict import ConflictRow, conflict_of
from cleveragents.shapes.extent import DryRun, extent_of
from cleveragents.shapes.name import PathName, path_name
from cleveragents.snapshots.merging import MergeResult


class SandboxRefresh(TypedDict):
    """The result of a refresh."""

    plan: PlanId
    files: int  # how many paths were merged
    conflicts: Sequence[ConflictRow]


class ConflictAhead(PathName):
    """A path that would not fit."""

    reason: str


class RefreshPreview(DryRun):
    """The preview of a refresh."""

    plan: PlanId
    changes: Sequence[PathName]
    conflicts: Sequence[ConflictAhead]


def refresh_of(plan_id: PlanId, done: RefreshResult) -> SandboxRefresh:
    """The result of a refresh."""
    conflicts = [conflict_of(conflict) for conflict in done.conflicts]
    return {"plan": plan_id, "files": done.files, "conflicts": conflicts}


def refresh_preview_of(plan_id: PlanId, would: MergeResult, *, moving: bool) -> RefreshPreview:
    """The preview of a refresh."""
    return {
        "plan": plan_id,
        "changes": [path_name(os.fsdecode(change.path)) for change in would.changes],
        "conflicts": [
            {**path_name(os.fsdecode(one.path)), "reason": one.reason} for one in would.conflicts
        ],
        **extent_of(Besides(), len(would.changes)),
        "moving": moving,
    }
