"""A conflict: a path of a plan's sandbox that two sides changed, waiting for somebody to choose.

Whatever merges into a sandbox records what did not go together here: a refresh from the project,
or a subplan. The parent's side is the one nearer to the project: after a refresh the project's own,
after a merge that of the plan into which a subplan was merged.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from cleveragents.ids import CauseId, OperationId, PlanId, ProjectId, SnapshotId, new_id, now
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection, Row

if TYPE_CHECKING:
    from cleveragents.snapshots.tree.manifest import Entry

PROJECT = "project"  # the source of what a refresh merged in; a subplan's is its id
BASE, PARENT, CHILD = "base", "parent", "child"
MINE, PLAN = "mine", "plan"  # the sides as users call them
SIDES = {MINE: PARENT, PLAN: CHILD, PARENT: PARENT, CHILD: CHILD}  # by every word for one
_IT = b"it"

_OPEN = "SELECT * FROM conflicts WHERE plan_id = :plan_id AND closed_by IS NULL ORDER BY path"
_PATHS = "SELECT plan_id, path FROM conflicts WHERE closed_by IS NULL ORDER BY plan_id, path"
_RELEASE = "UPDATE conflicts SET closed_by = NULL WHERE closed_by = :operation_id"
_REFS = """SELECT refs_json FROM conflicts JOIN plans ON plans.plan_id = conflicts.plan_id
    WHERE plans.project_id = :project_id"""


@frozen
class Conflict:
    """One row of conflicts."""

    conflict_id: str
    plan_id: PlanId
    path: bytes
    source: str  # what was merged in: the project, or the id of a subplan
    reason: str
    versions: "Mapping[str, Entry | None]"  # of base, parent and child
    refs: tuple[SnapshotId, ...]  # the snapshots that hold their content
    closed_by: str | None
    taken: str | None
    created_at: datetime


class ConflictRepository:
    """The rows of conflicts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, conflict: Conflict, operation_id: OperationId) -> None:
        """Records what an operation will leave; it counts as open once `release` says so."""
        values = {
            **vars(conflict),
            "versions_json": json.dumps({k: _text(v) for k, v in conflict.versions.items()}),
            "refs_json": json.dumps(conflict.refs),
            "closed_by": operation_id,
        }
        del values["versions"], values["refs"]
        self._connection.insert("conflicts", **values)

    def release(self, operation_id: OperationId) -> int:
        """Opens what an operation left; call it in its closing transaction. Returns how many."""
        return self._connection.execute(_RELEASE, operation_id=operation_id)

    def open(self, plan_id: PlanId) -> Sequence[Conflict]:
        """Returns what nobody has resolved yet, by path."""
        return [_from_row(row) for row in self._connection.rows(_OPEN, plan_id=plan_id)]

    def open_paths(self) -> Mapping[str, Sequence[bytes]]:
        """Returns where conflicts are open, by plan; plans without one are not in it."""
        found: dict[str, list[bytes]] = {}
        for plan_id, path in self._connection.tuples(_PATHS):
            found.setdefault(plan_id, []).append(path)
        return found

    def close(self, conflict_id: str, closed_by: str, taken: str) -> None:
        """Says how a conflict was resolved."""
        self._set(conflict_id, closed_by, taken)

    def make_open(self, plan_id: PlanId, listed: Sequence[str], cause: CauseId) -> None:
        """Makes exactly the listed ones open, in the name of an operation."""
        for conflict in self.open(plan_id):
            if conflict.conflict_id not in listed:
                self._set(conflict.conflict_id, cause, None)
        for conflict_id in listed:
            self._set(conflict_id, None, None)

    def refs_of_project(self, project_id: ProjectId) -> set[SnapshotId]:
        """Returns the snapshots that hold versions of conflicts."""
        texts = self._connection.column(_REFS, project_id=project_id)
        return {ref for text in texts for ref in json.loads(text)}

    def _set(self, conflict_id: str, closed_by: str | None, taken: str | None) -> None:
        where = {"conflict_id": conflict_id}
        self._connection.update("conflicts", where, closed_by=closed_by, taken=taken)


def new_conflict(
    plan_id: PlanId,
    path: bytes,
    *,
    source: str,
    reason: str,
    versions: "Mapping[str, Entry | None]",
    refs: Iterable[SnapshotId],
) -> Conflict:
    """Makes a conflict that is not recorded yet."""
    return Conflict(
        new_id(), plan_id, path, source, reason, versions, tuple(refs), None, None, now()
    )


def _from_row(fields: Row) -> Conflict:
    texts: dict[str, str | None] = json.loads(fields.pop("versions_json"))
    versions = {side: _entry(text) for side, text in texts.items()}
    refs = tuple(json.loads(fields.pop("refs_json")))
    return Conflict(**fields, versions=versions, refs=refs)


def _text(entry: "Entry | None") -> str | None:
    """An entry as a manifest writes it."""
    from cleveragents.snapshots.tree.manifest import encode  # noqa: PLC0415 - who counts needs none

    return None if entry is None else encode({_IT: entry}).hex()


def _entry(text: str | None) -> "Entry | None":
    from cleveragents.snapshots.tree.manifest import decode  # noqa: PLC0415 - as above

    return None if text is None else decode(bytes.fromhex(text))[_IT]
