"""A checkpoint: a durable point to come back to."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, cast

from cleveragents.checkpoints.line import closed_around, line
from cleveragents.checkpoints.missing import Sought, missing
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.errors import Failed, InvalidInput
from cleveragents.ids import CheckpointId, DecisionId, PlanId, ProjectId, SnapshotId, now
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.journal import Happening, record
from cleveragents.plans.lifecycle import Phase
from cleveragents.plans.origin import origin_of
from cleveragents.records import frozen, replace
from cleveragents.snapshots.tree.filter import FORGOTTEN, Filter
from cleveragents.snapshots.tree.manifest import Entry, encode
from cleveragents.storage.connection import Connection, IntegrityError, Row

PREFIX = "cp"
_ERASED = f": {FORGOTTEN}"


@frozen
class Checkpoint:
    """One row of checkpoints."""

    checkpoint_id: CheckpointId
    plan_id: PlanId
    seq: int  # its number in the plan
    decision_id: DecisionId | None
    checkpoint_type: CheckpointType
    resource_id: str | None  # the sandbox; a chat has none
    sandbox_ref: SnapshotId  # the snapshot
    filesystem_path: str
    size_bytes: int  # what it added to the store
    created_at: datetime
    label: str | None
    step_index: int
    state_hash: str  # of the files and the plan document
    metadata: Mapping[str, object]
    parent_id: CheckpointId | None  # the checkpoint whose state it went on from
    pinned: bool

    @property
    def name(self) -> str:
        """Its short name within the plan."""
        return f"{PREFIX}{self.seq}"

    @property
    def reason(self) -> str:
        """Why it was made."""
        return str(self.metadata.get("reason", ""))

    @property
    def filter(self) -> Filter:
        """The filter that it was made with; if that cannot be read, an empty one."""
        patterns: object = self.metadata.get("filter")
        if not isinstance(patterns, list):
            return Filter()
        return Filter(tuple(str(pattern) for pattern in cast("list[object]", patterns)))


def forgotten_paths(checkpoint: Checkpoint) -> list[str]:
    """The paths that it had and that were forgotten: going there leaves them alone."""
    listed: object = checkpoint.metadata.get("not_captured")
    lines = map(str, cast("list[object]", listed) if isinstance(listed, list) else ())
    return [line.removesuffix(_ERASED) for line in lines if line.endswith(_ERASED)]


class Total(NamedTuple):
    """All checkpoints of a plan together."""

    checkpoints: int
    size_bytes: int


def facts(checkpoint: Checkpoint) -> dict[str, object]:
    """Returns the facts that are still told of a checkpoint when it is gone."""
    about = ("reason", "trigger", "source_tool", "files", "seconds")
    return {
        "name": checkpoint.name,
        "type": checkpoint.checkpoint_type,
        "label": checkpoint.label,
        "size_bytes": checkpoint.size_bytes,
        **{name: checkpoint.metadata.get(name) for name in about},
    }


def state_hash(roots: Mapping[str, Entry], document: PlanDocument) -> str:
    """Returns the hash of a state: the files and the plan document, nothing else."""
    digest = hashlib.sha256()
    for name in sorted(roots):
        digest.update(encode({name.encode(): roots[name]}))
    digest.update(json.dumps(document.hashed, sort_keys=True).encode())
    return digest.hexdigest()


def forgotten(rows: Sequence[Checkpoint]) -> int:
    """How many of a plan were deleted: each gets the next number, and the newest always stays."""
    return rows[-1].seq - len(rows) if rows else 0


def lineage(rows: Sequence[Checkpoint]) -> set[CheckpointId]:
    """Returns the ids on the line that leads to the newest checkpoint.

    All others were left behind by a rollback: they stay listed, and can be restored.
    """
    return line({row.checkpoint_id: row.parent_id for row in rows})


def state_before(decision_id: DecisionId, rows: Sequence[Checkpoint]) -> Checkpoint | None:
    """Returns the checkpoint before a decision on the line that leads to the newest one.

    A decision that stood while the steps before it ran again has several.
    """
    on_line = lineage(rows)
    found = [row for row in rows if row.decision_id == decision_id and row.checkpoint_id in on_line]
    return found[-1] if found else None


def left_behind(rows: Sequence[Checkpoint], target: Checkpoint) -> tuple[Checkpoint, ...]:
    """Returns the checkpoints that lead to the present, and would not once a target is gone to."""
    others = [row for row in rows if row.checkpoint_id != target.checkpoint_id]
    going = lineage(rows) - lineage([*others, target])
    return tuple(row for row in rows if row.checkpoint_id in going)


_BY_ID = "SELECT * FROM checkpoints WHERE checkpoint_id = :checkpoint_id"
_OF_PLAN = "SELECT * FROM checkpoints WHERE plan_id = :plan_id ORDER BY seq"
_LATEST = "SELECT * FROM checkpoints WHERE plan_id = :plan_id ORDER BY seq DESC LIMIT 1"
_NEWEST = "SELECT max(seq) FROM checkpoints WHERE plan_id = :plan_id"
_TOTAL = """SELECT count(*), coalesce(sum(size_bytes), 0) FROM checkpoints
    WHERE plan_id = :plan_id"""
_PARENTS = "SELECT checkpoint_id, parent_id FROM checkpoints WHERE plan_id = :plan_id ORDER BY seq"
_DELETE = "DELETE FROM checkpoints WHERE checkpoint_id = :gone"
_REFS = """SELECT checkpoints.sandbox_ref FROM checkpoints
    JOIN plans ON plans.plan_id = checkpoints.plan_id WHERE plans.project_id = :project_id"""


class CheckpointRepository:
    """The rows of checkpoints."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, checkpoint: Checkpoint) -> None:
        """Records a checkpoint whose content is durable already."""
        values = {**vars(checkpoint), "metadata_json": json.dumps(dict(checkpoint.metadata))}
        del values["metadata"]
        try:
            self._connection.insert("checkpoints", **values)
        except IntegrityError as error:
            raise Failed(f"checkpoint {checkpoint.name} cannot be recorded: {error}") from error
        about = facts(checkpoint)
        identity = checkpoint.checkpoint_id
        record(self._connection, checkpoint.plan_id, Happening.CHECKPOINT, identity, about)

    def of_plan(self, plan_id: PlanId) -> Sequence[Checkpoint]:
        """Returns the checkpoints of a plan, the oldest first."""
        return self.found(_OF_PLAN, plan_id=plan_id)

    def latest(self, plan_id: PlanId) -> Checkpoint | None:
        """Returns the newest checkpoint of a plan."""
        row = self._connection.row(_LATEST, plan_id=plan_id)
        return None if row is None else _from_row(row)

    def found(self, query: str, **values: object) -> list[Checkpoint]:
        """Returns the rows that a query of whole rows finds."""
        return [_from_row(row) for row in self._connection.rows(query, **values)]

    def total(self, plan_id: PlanId) -> Total:
        """Returns how many checkpoints a plan has, and how many bytes they added."""
        ((count, size),) = self._connection.tuples(_TOTAL, plan_id=plan_id)
        return Total(count, int(size))

    def get(self, checkpoint_id: CheckpointId) -> Checkpoint:
        """Returns a checkpoint that is known to be there."""
        (row,) = self._connection.rows(_BY_ID, checkpoint_id=checkpoint_id)
        return _from_row(row)

    def lineage(self, plan_id: PlanId) -> set[CheckpointId]:
        """Returns the ids on the line that leads to the newest checkpoint of a plan."""
        return line(self.parents(plan_id))

    def next_seq(self, plan_id: PlanId) -> int:
        """Returns the number the next checkpoint gets; the newest one is never deleted."""
        return (self._connection.value(_NEWEST, plan_id=plan_id) or 0) + 1

    def resolve(self, plan_id: PlanId, text: str) -> Checkpoint:
        """Finds a checkpoint by number (`3`, `cp3`), id, prefix, label, or `@` (the latest)."""
        rows = self.of_plan(plan_id)
        wanted = text.removeprefix(f"{PREFIX}_").upper()
        number = text.removeprefix(PREFIX)
        if text == "@" and rows:
            return rows[-1]
        if number.isdecimal():
            found = [row for row in rows if row.seq == int(number)]
        else:
            found = [row for row in rows if wanted and row.checkpoint_id.startswith(wanted)]
            if not found and self._started_from(plan_id, wanted):
                found = [row for row in rows if row.seq == 1]  # the same state, in the fork
            found = found or [row for row in rows if text and row.label == text]
        if len(found) > 1:
            candidates = [f"{row.name}  {row.checkpoint_id}" for row in found]
            raise InvalidInput(
                f"{text!r} names {len(found)} checkpoints",
                detail=candidates,
                hints=["type its number, or more of the id"],
            )
        if not found:
            name = f"{PREFIX}{int(number)}" if number.isdecimal() else ""
            raise missing(self._connection, Sought(plan_id, text, name, wanted), rows)
        return found[0]

    def set_pinned(self, checkpoint: Checkpoint, *, pinned: bool) -> Checkpoint:
        """Says whether retention must leave a checkpoint alone."""
        where = {"checkpoint_id": checkpoint.checkpoint_id}
        self._connection.update("checkpoints", where, pinned=pinned)
        detail = {"name": checkpoint.name, "pinned": pinned}
        identity = checkpoint.checkpoint_id
        record(self._connection, checkpoint.plan_id, Happening.PINNED, identity, detail)
        return replace(checkpoint, pinned=pinned)

    def delete(self, *doomed: Checkpoint) -> None:
        """Deletes rows of one plan; the line of those that went on from them is closed.

        Who went on from whom is read here: what the caller knows of it may be older.
        """
        gone = {row.checkpoint_id for row in doomed}
        parents = self.parents(doomed[0].plan_id) if doomed else {}
        self.relink(closed_around(parents, gone))
        for checkpoint_id in gone:
            self._connection.execute(_DELETE, gone=checkpoint_id)

    def relink(self, parents: Mapping[CheckpointId, CheckpointId | None]) -> None:
        """Says of rows which checkpoint each went on from."""
        for checkpoint_id, parent_id in parents.items():
            where = {"checkpoint_id": checkpoint_id}
            self._connection.update("checkpoints", where, parent_id=parent_id)

    def parents(self, plan_id: PlanId) -> dict[CheckpointId, CheckpointId | None]:
        """Returns which checkpoint each one of a plan went on from, the oldest first."""
        return dict(self._connection.tuples(_PARENTS, plan_id=plan_id))

    def refs_of_project(self, project_id: ProjectId) -> set[SnapshotId]:
        """Returns every snapshot that a checkpoint of the project needs."""
        return set(self._connection.column(_REFS, project_id=project_id))

    def _started_from(self, plan_id: PlanId, identity: str) -> bool:
        """Whether a plan is a fork of the checkpoint with that id."""
        origin = origin_of(self._connection, plan_id)
        return origin is not None and bool(identity) and origin.checkpoint_id.startswith(identity)


def record_of_rollback(target: Checkpoint, seq: int, checkpoint_id: CheckpointId) -> Checkpoint:
    """Returns the row that a rollback appends: the target's state, again, as the newest."""
    return replace(
        target,
        checkpoint_id=checkpoint_id,
        seq=seq,
        decision_id=None,
        checkpoint_type=CheckpointType.ROLLBACK,
        size_bytes=0,
        created_at=now(),
        label=None,
        parent_id=target.checkpoint_id,
        pinned=False,
        metadata={
            "reason": f"rolled back to {target.name}",
            "target": target.checkpoint_id,
            "phase": Phase.EXECUTE,
            "filter": target.metadata.get("filter", []),
            "files": target.metadata.get("files"),
            "not_captured": target.metadata.get("not_captured", []),
        },
    )


def _from_row(fields: Row) -> Checkpoint:
    kind = CheckpointType(fields.pop("checkpoint_type"))
    metadata = _metadata(fields.pop("metadata_json"))
    pinned = bool(fields.pop("pinned"))
    return Checkpoint(**fields, checkpoint_type=kind, metadata=metadata, pinned=pinned)


def _metadata(text: str) -> Mapping[str, object]:
    """Reads the metadata of one row; what cannot be read is reported in its place."""
    try:
        found: dict[str, object] = dict(json.loads(text))
    except (ValueError, TypeError) as error:
        return {"problem": f"the metadata cannot be read: {error}"}
    return found
