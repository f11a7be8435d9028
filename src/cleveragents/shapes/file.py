"""Single files as checkpoints have them, and where paths changed."""

import base64
import os
from collections.abc import Sequence
from typing import NotRequired, TypedDict

from cleveragents.engine.read.path_history import PathChange, PathStory
from cleveragents.engine.read.stored_files import StoredFile, kind_of
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.shapes.name import PathName, path_name
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.scan import shown


class StoredPath(PathName):
    """A path in a checkpoint."""

    plan_id: PlanId
    checkpoint: str  # its name, like cp3
    checkpoint_id: CheckpointId
    kind: str  # file | link | directory
    mode: str  # kind and permissions, in octal


class FileContent(StoredPath):
    """A file, with its content."""

    size: int
    text: str | None  # None: it is no UTF-8
    base64: NotRequired[str]  # only of content that is no UTF-8


class LinkTarget(StoredPath):
    """A symbolic link."""

    target: PathName  # where it leads, as it is written in the link


class DirectoryEntry(PathName):
    """The entries of a directory."""

    kind: str  # file | link | directory | special file
    mode: str  # kind and permissions, in octal
    size: int | None  # of a file


class DirectoryListing(StoredPath):
    """A directory, with the names in it."""

    entries: Sequence[DirectoryEntry]


class WrittenFile(StoredPath):
    """A file or a link that was written to a new place."""

    size: int
    written_to: str


class PathChangeRow(PathName):
    """How a checkpoint differs at a path from the one before it."""

    plan_id: PlanId
    plan: str  # its name
    checkpoint: str  # its name, like cp3
    checkpoint_id: CheckpointId
    created_at: str
    reason: str  # why the checkpoint was made
    label: str | None
    left_behind: bool  # by a rollback
    status: str  # added | modified | deleted
    kind: str  # file | link | directory | special file
    size: int | None  # of a file; None: it is not there any more
    size_before: int | None  # None: it was not there


class PathChanges(TypedDict):
    """Where a path changed: the newest plan first, in it the newest checkpoint."""

    changes: Sequence[PathChangeRow]
    unchanged_in: PlanId | None  # where nothing changed: the newest plan that has such a path


def content_of(found: StoredFile) -> FileContent | LinkTarget | DirectoryListing:
    """A path as a checkpoint has it."""
    if found.entry.is_dir:
        return {**_stored(found), "entries": [_entry(*one) for one in found.listing().items()]}
    data = b"".join(found.pieces())
    if found.kind == "link":
        return {**_stored(found), "target": path_name(os.fsdecode(data))}
    try:
        return {**_stored(found), "size": len(data), "text": data.decode()}
    except UnicodeDecodeError:
        encoded = base64.b64encode(data).decode()
        return {**_stored(found), "size": len(data), "text": None, "base64": encoded}


def written_of(found: StoredFile, target: str) -> WrittenFile:
    """The same, once it was written."""
    return {**_stored(found), "size": found.entry.size, "written_to": target}


def changes_of(story: PathStory) -> PathChanges:
    """Where a path changed."""
    there = story.unchanged_in
    return {
        "changes": [_change(one) for one in story.changes],
        "unchanged_in": None if there is None else there.plan_id,
    }


def _stored(found: StoredFile) -> StoredPath:
    return {
        **path_name(shown(found.path)),
        "plan_id": found.checkpoint.plan_id,
        "checkpoint": found.checkpoint.name,
        "checkpoint_id": found.checkpoint.checkpoint_id,
        "kind": found.kind,
        "mode": f"{found.entry.mode:o}",
    }


def _entry(name: bytes, entry: Entry) -> DirectoryEntry:
    return {
        **path_name(os.fsdecode(name)),
        "kind": kind_of(entry),
        "mode": f"{entry.mode:o}",
        "size": _size(entry),
    }


def _change(change: PathChange) -> PathChangeRow:
    row = change.checkpoint
    return {
        **path_name(shown(change.path)),
        "plan_id": change.plan.plan_id,
        "plan": change.plan.name,
        "checkpoint": row.name,
        "checkpoint_id": row.checkpoint_id,
        "created_at": row.created_at.isoformat(),
        "reason": row.reason,
        "label": row.label,
        "left_behind": change.is_left_behind,
        "status": change.status,
        "kind": kind_of(change.entry),
        "size": _size(change.after),
        "size_before": _size(change.before),
    }


def _size(entry: Entry | None) -> int | None:
    return entry.size if entry is not None and entry.is_file else None
