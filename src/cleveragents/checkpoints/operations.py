"""Operations: intents that are recorded before they are carried out, so a crash can be finished.

Each kind has one idempotent `carry_out` that ends in the closing transaction. The command that
opened the operation and recovery both call it; nothing else closes an intent.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, insert, select, update

from cleveragents.ids import new_id, now
from cleveragents.plans.journal import Happening, record
from cleveragents.plans.lifecycle import Phase
from cleveragents.storage.tables import operations, plans


class Kind(StrEnum):
    """What an operation does."""

    ROLLBACK = "rollback"
    CORRECT = "correct"
    REVERT = "revert"
    PRUNE = "prune"
    REFRESH = "refresh"
    RESTORE = "restore"
    MERGE = "merge"
    VALIDATE = "validate"
    APPLY = "apply"
    UNAPPLY = "unapply"


class Status(StrEnum):
    """How far an operation has come."""

    OPEN = "open"
    DONE = "done"
    ABORTED = "aborted"  # taken back to where it started


# What a finished operation still keeps; of an apply it is everything, until it is taken back.
STILL_NEEDED = {
    Kind.MERGE: "theirs",  # the result of a subplan, that a rollback or correction merges again
    Kind.REFRESH: "base",  # what the checkpoints since then go on from
}


@dataclass(frozen=True)
class Operation:
    """One row of operations."""

    operation_id: str
    plan_id: str
    kind: Kind
    status: Status
    intent: Mapping[str, Any]  # all that carrying out and closing need; snapshots under `keeps`
    outcome: Mapping[str, object] | None
    opened_at: datetime
    closed_at: datetime | None


# Asked at every checkpoint beyond the limit, so put together once.
_UNFINISHED = (
    select(operations)
    .where(operations.c.plan_id == bindparam("plan_id"), operations.c.status == Status.OPEN)
    .order_by(operations.c.operation_id)
)
_EXTEND = (
    update(operations)
    .where(operations.c.operation_id == bindparam("extended_id"))
    .values(intent_json=bindparam("intent"))
)


class OperationRepository:
    """The rows of operations."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def open(self, plan_id: str, kind: Kind, intent: Mapping[str, object]) -> Operation:
        """Records an intent."""
        operation_id = new_id()
        self._connection.execute(
            insert(operations).values(
                operation_id=operation_id,
                plan_id=plan_id,
                kind=kind,
                status=Status.OPEN,
                intent_json=json.dumps(dict(intent)),
                opened_at=now(),
            )
        )
        record(self._connection, plan_id, Happening.OPERATION, operation_id)
        row = (
            self._connection.execute(
                select(operations).where(operations.c.operation_id == operation_id)
            )
            .mappings()
            .one()
        )
        return _from_row(row)

    def extend(self, operation_id: str, intent: Mapping[str, object]) -> None:
        """Makes an open operation mean more than it did."""
        values = {"extended_id": operation_id, "intent": json.dumps(dict(intent))}
        self._connection.execute(_EXTEND, values)

    def close(self, operation_id: str, status: Status, outcome: Mapping[str, object]) -> None:
        """Closes an intent; call it in the transaction that holds its effect."""
        self._connection.execute(
            update(operations)
            .where(operations.c.operation_id == operation_id)
            .values(status=status, outcome_json=json.dumps(dict(outcome)), closed_at=now())
        )

    def latest(self, plan_id: str, kind: Kind) -> Operation:
        """Returns the newest operation of a kind that was finished."""
        rows = self._connection.execute(
            select(operations)
            .where(
                operations.c.plan_id == plan_id,
                operations.c.kind == kind,
                operations.c.status == Status.DONE,
            )
            .order_by(operations.c.operation_id.desc())
            .limit(1)
        )
        return _from_row(rows.mappings().one())

    def kept_refs(self, project_id: str) -> set[str]:
        """Returns the snapshots that operations of a project keep, finished ones included."""
        rows = self._connection.execute(
            select(operations, plans.c.phase)
            .join(plans, plans.c.plan_id == operations.c.plan_id)
            .where(plans.c.project_id == project_id, operations.c.kind != Kind.PRUNE)
            .order_by(operations.c.operation_id)
        )
        found: set[str] = set()
        applied: dict[str, set[str]] = {}
        for row in rows:
            intent = json.loads(row.intent_json)
            if row.status == Status.OPEN:
                found |= set(intent.get("keeps", ()))
            elif row.status == Status.DONE and row.kind == Kind.APPLY:
                needed = row.phase == Phase.APPLY  # else it has been taken back
                applied[row.plan_id] = set(intent["keeps"]) if needed else set()
            elif row.status == Status.DONE and row.kind in STILL_NEEDED:
                found.add(intent[STILL_NEEDED[row.kind]])
        return found.union(*applied.values())

    def of_plan(self, plan_id: str) -> Sequence[Operation]:
        """Returns every operation of a plan in order."""
        rows = self._connection.execute(
            select(operations)
            .where(operations.c.plan_id == plan_id)
            .order_by(operations.c.operation_id)
        )
        return [_from_row(row) for row in rows.mappings()]

    def unfinished(self, plan_id: str) -> Sequence[Operation]:
        """Returns what was begun and not closed, in order."""
        rows = self._connection.execute(_UNFINISHED, {"plan_id": plan_id})
        return [_from_row(row) for row in rows.mappings()]

    def unfinished_kinds(self) -> Mapping[str, Sequence[str]]:
        """Returns the kinds of what was begun and not closed, by plan."""
        rows = self._connection.execute(
            select(operations.c.plan_id, operations.c.kind)
            .where(operations.c.status == Status.OPEN)
            .order_by(operations.c.operation_id)
        )
        found: dict[str, list[str]] = {}
        for plan_id, kind in rows:
            found.setdefault(plan_id, []).append(kind)
        return found

    def forgotten(self, project_id: str) -> set[str]:
        """Returns the snapshots of a project whose rows were deleted, by all prunes ever."""
        rows = self._connection.scalars(
            select(operations.c.intent_json)
            .join(plans, plans.c.plan_id == operations.c.plan_id)
            .where(plans.c.project_id == project_id, operations.c.kind == Kind.PRUNE)
        )
        return {str(ref) for intent in rows for ref in json.loads(intent)["refs"]}


def _from_row(row: RowMapping) -> Operation:
    fields = dict(row)
    kind, status = Kind(fields.pop("kind")), Status(fields.pop("status"))
    intent = json.loads(fields.pop("intent_json"))
    outcome = json.loads(fields.pop("outcome_json") or "null")
    return Operation(**fields, kind=kind, status=status, intent=intent, outcome=outcome)
