"""What does not go together in a plan's sandbox, and what became of it."""

import os
import stat
from collections.abc import Mapping, Sequence
from typing import TypedDict

from cleveragents.checkpoints.besides import Besides
from cleveragents.engine.bring.conflicts import ResolvedConflict
from cleveragents.engine.bring.resolution import ResolutionProposal
from cleveragents.engine.bring.versions import ConflictView, Version
from cleveragents.ids import CheckpointId
from cleveragents.plans.conflict import BASE, MINE, PLAN, Conflict
from cleveragents.shapes.change import ChangeRow, changes_of
from cleveragents.shapes.extent import DryRun, extent_of
from cleveragents.shapes.name import PathName, path_name
from cleveragents.snapshots.tree.manifest import Entry

KINDS = {stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFDIR: "directory"}


class ConflictRow(PathName):
    """A path that two sides changed."""

    source: str  # what was merged in: project, or the id of a subplan
    reason: str
    versions: Mapping[str, str | None]  # the modes of base, parent and child; null: it has none


class ConflictList(TypedDict):
    """What nobody has resolved yet, by path."""

    conflicts: Sequence[ConflictRow]


class VersionRow(TypedDict):
    """One version of a path in conflict."""

    kind: str  # file | link | directory | other
    mode: str
    size: int
    sha256: str | None  # of what it holds; null: a directory, or more than 4 MiB
    text: str | None  # null: it is no text, or more than 4 MiB


class ConflictDetail(PathName):
    """A conflict with both versions and what they came from."""

    source: str  # what was merged in: project, or the id of a subplan
    reason: str
    base: VersionRow | None  # null: there is none
    mine: VersionRow | None  # null: deleted there
    plan: VersionRow | None
    diffs: Mapping[str, Sequence[str]]  # lines of mine and plan to the base, else of between


class Resolution(PathName):
    """A conflict that was resolved."""

    taken: str  # mine, plan, the older words parent and child, or the name of a file
    open: int  # how many are left
    safety: CheckpointId | None  # what takes it back; null: the plan has no checkpoints


class ResolutionPreview(PathName, DryRun):
    """What resolving a conflict would do."""

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
    """What nobody has resolved yet."""
    return {"conflicts": [conflict_of(conflict) for conflict in left]}


def detail_of(view: ConflictView) -> ConflictDetail:
    """A conflict with both versions and what they came from."""
    conflict, rows = view.conflict, {name: _row(one) for name, one in view.versions.items()}
    return {
        **path_name(os.fsdecode(conflict.path)),
        "source": conflict.source,
        "reason": conflict.reason,
        "base": rows[BASE],
        "mine": rows[MINE],
        "plan": rows[PLAN],
        "diffs": {name: list(diff.patch) for name, diff in view.diffs.items()},
    }


def _row(version: Version | None) -> VersionRow | None:
    if version is None:
        return None
    entry = version.entry
    return {
        "kind": kind_of(entry),
        "mode": f"{entry.mode:o}",
        "size": entry.size,
        "sha256": None if version.content is None else entry.content.hex(),
        "text": version.text,
    }


def kind_of(entry: Entry) -> str:
    """What stands at a path, in a word."""
    return KINDS.get(entry.kind, "other")


def resolution_of(path: str, take: str, resolved: ResolvedConflict, left: int) -> Resolution:
    """What was taken for a path, and how many conflicts are left."""
    safety = None if resolved.before is None else resolved.before.checkpoint_id
    return {**path_name(path), "taken": take, "open": left, "safety": safety}


def resolution_preview_of(
    path: str, would: ResolutionProposal, *, moving: bool
) -> ResolutionPreview:
    """What resolving a conflict would do."""
    return {
        **path_name(path),
        "taken": would.take,
        "changes": changes_of(would.changes),
        "made_by_hand": [path_name(os.fsdecode(each)) for each in would.made],
        **extent_of(Besides(), len(would.changes)),
        "moving": moving,
    }
