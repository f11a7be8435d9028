"""Rows that name snapshots: they are made to name the ones that took their places."""

import json
import re
from collections.abc import Mapping, Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, state_hash
from cleveragents.checkpoints.stored import document_of
from cleveragents.ids import ProjectId, SnapshotId
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.erasing import Paths, Renamed
from cleveragents.snapshots.tree import tree_path
from cleveragents.storage.connection import Connection

_ID = re.compile(r"[0-9a-f]{64}")
_OF_PROJECT = "plan_id IN (SELECT plan_id FROM plans WHERE project_id = :project_id)"
# Every column but those of checkpoints that may name a snapshot, alone or in JSON.
_NAMING: Mapping[tuple[str, str], Sequence[str]] = {
    ("plans", "plan_id"): ("merged_ref",),
    ("sandboxes", "sandbox_id"): ("base_ref", "refreshed_ref"),
    ("operations", "operation_id"): ("intent_json", "outcome_json"),
    ("conflicts", "conflict_id"): ("refs_json",),
}
_CHECKPOINTS = f"SELECT * FROM checkpoints WHERE {_OF_PROJECT}"  # noqa: S608 - no value in it
_CONFLICTS = f"""SELECT conflict_id, plan_id, path, closed_by FROM conflicts
    WHERE {_OF_PROJECT}"""  # noqa: S608 - no value in it
_DROP_CONFLICT = "DELETE FROM conflicts WHERE conflict_id = :conflict_id"


def checkpoints(connection: Connection, project_id: ProjectId) -> Sequence[Checkpoint]:
    """Returns the checkpoints of all plans of a project."""
    return CheckpointRepository(connection).found(_CHECKPOINTS, project_id=project_id)


def conflicts_at(
    connection: Connection, project_id: ProjectId, paths: Sequence[bytes], *, still_open: bool
) -> dict[str, tuple[str, bytes]]:
    """Returns the conflicts about paths and what is in them: plan and path of each, by id."""
    return {
        conflict_id: (plan_id, path)
        for conflict_id, plan_id, path, closed in connection.tuples(
            _CONFLICTS, project_id=project_id
        )
        if (closed is None) is still_open and not set(paths).isdisjoint(tree_path.and_above(path))
    }


def swap(
    connection: Connection,
    project_id: ProjectId,
    archive: Archive,
    renamed: Renamed,
    erased: Paths,
) -> None:
    """Names snapshots by their new ids wherever a row of a project names one."""
    for row in checkpoints(connection, project_id):
        if row.sandbox_ref in renamed:
            _restate(connection, archive, row, renamed[row.sandbox_ref], erased)
    for (table, key), columns in _NAMING.items():
        query = f"SELECT {key}, {', '.join(columns)} FROM {table} WHERE {_OF_PROJECT}"  # noqa: S608 - names are ours
        for identity, *found in connection.tuples(query, project_id=project_id):
            anew = {
                column: _ID.sub(lambda one: renamed.get(SnapshotId(one[0]), one[0]), text)
                for column, text in zip(columns, found, strict=True)
                if text is not None
            }
            if list(anew.values()) != [text for text in found if text is not None]:
                connection.update(table, {key: identity}, **anew)


def drop_conflicts(connection: Connection, project_id: ProjectId, paths: Sequence[bytes]) -> None:
    """Deletes resolved conflicts about paths that are erased: their versions are gone."""
    for conflict_id in conflicts_at(connection, project_id, paths, still_open=False):
        connection.execute(_DROP_CONFLICT, conflict_id=conflict_id)


def _restate(
    connection: Connection,
    archive: Archive,
    row: Checkpoint,
    reference: SnapshotId,
    erased: Paths,
) -> None:
    """Makes the row of a checkpoint true of the snapshot that it has now."""
    snapshot = archive.load(reference)
    values: dict[str, object] = {
        "sandbox_ref": reference,
        "state_hash": state_hash(snapshot.roots, document_of(snapshot)),
    }
    if "problem" not in row.metadata:  # else what it says cannot be read, and stays as it is
        told: dict[str, object] = {
            "filter": snapshot.filter.patterns,
            "not_captured": snapshot.not_captured,
        }
        files = row.metadata.get("files")
        if isinstance(files, int):
            told["files"] = files - _files(archive, row.sandbox_ref, erased)
        values["metadata_json"] = json.dumps({**row.metadata, **told})
    connection.update("checkpoints", {"checkpoint_id": row.checkpoint_id}, **values)


def _files(archive: Archive, was: SnapshotId, erased: Paths) -> int:
    """How many files go from a snapshot."""
    return sum(1 for path in erased.get(was, ()) for _ in archive.eraser.files(was, path))
