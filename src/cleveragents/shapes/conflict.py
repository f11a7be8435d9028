"""What does not go together in a plan's sandbox, and what became of it."""

import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

from cleveragents.checkpoints.besides import Besides
from cleveragents.engine.bring.conflicts import SolvedConflict
from cleveragents.engine.bring.resolution import ResolutionProposal
from cleveragents.ids import CheckpointId
from cleveragents.plans.conflict import Conflict
from cleveragents.shapes.change import ChangeRow, changes_of
from cleveragents.shapes.extent import DryRun, extent_of
from cleveragents.shapes.name import PathName, path_name


class ConflictRow(PathName):
    """A path that two sides changed."""

    source: str  # what was merged in: project, or the id of a subplan
    reason: str
    versions: Mapping[str, str | None]  # the modes of base, parent and child; null: it has none


class ConflictList(TypedDict):
    """What nobody has solved yet, by path."""

    conflicts: Sequence[ConflictRow]


class Resolution(PathName):
    """A conflict that was solved."""

    taken: str  # parent, child, or the name of a file
    open: int  # how many are left
    safety: CheckpointId | None  # what takes it back; null: the plan has no checkpoints


class ResolutionPreview(PathName, DryRun):
    """What solving a conflict would do."""

    taken: str
    changes: Sequence[ChangeRow]
    made_by_hand: Sequence[PathName]  # what no side of the conflict has


def conflict_of(conflict: Conflict) -> ConflictRow:
    """A path that two sides changed."""
    return {
        **path_name(os.fsdecode(conflict.path)),
        "source": conflict.source,
        "reason": conflict.reason,
        "versions": {
            side: None if entry is None else f"{entry.mode:o}"
            for side, entry in conflict.versions.items()
        },
    }


def list_of(left: Sequence[Conflict]) -> ConflictList:
    """What nobody has solved yet."""
    return {"conflicts": [conflict_of(conflict) for conflict in left]}


def resolution_of(path: str, take: str, solved: SolvedConflict, left: int) -> Resolution:
    """What was taken for a path, and how many conflicts are left."""
    safety = None if solved.before is None else solved.before.checkpoint_id
    return {**path_name(path), "taken": take, "open": left, "safety": safety}


def resolution_preview_of(
    path: str, would: ResolutionProposal, *, moving: bool
) -> ResolutionPreview:
    """What solving a conflict would do."""
    return {
        **path_name(path),
        "taken": would.take,
        "changes": changes_of(would.changes),
        "made_by_hand": [path_name(os.fsdecode(each)) for each in would.made],
        **extent_of(Besides(), len(would.changes)),
        "moving": moving,
    }
