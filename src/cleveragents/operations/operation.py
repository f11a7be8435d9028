"""The rows of operations: intents that are recorded before they are carried out."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar, cast

from cleveragents.errors import Damaged
from cleveragents.ids import OperationId, PlanId, ProjectId, SnapshotId, new_id, now
from cleveragents.operations.in_sandbox import Prune
from cleveragents.operations.intent import Intent
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.reading import TYPES, Unreadable, read_intent
from cleveragents.plans.journal import Happening, record
from cleveragents.plans.lifecycle import Phase
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection, Row

POSTPONED = {"postponed": True}  # the outcome of a prune that the next sweep carries out as well
GIVEN_UP = "given_up"  # in the outcome: ended without knowing what the files are
I_co = TypeVar("I_co", bound=Intent, covariant=True)
I = TypeVar("I", bound=Intent)  # noqa: E741 - an intent


@frozen
class Operation(Generic[I_co]):
    """One row of operations."""

    operation_id: OperationId
    plan_id: PlanId
    kind: Kind
    status: Status
    intent: I_co
    outcome: Mapping[str, object] | None
    opened_at: datetime
    closed_at: datetime | None

    @property
    def unreadable(self) -> str | None:
        """Why nobody knows what it was to do."""
        return self.intent.why if isinstance(self.intent, Unreadable) else None

    @property
    def is_stuck(self) -> bool:
        """Whether it was tried in vain and is not tried again."""
        return self.status is Status.STUCK

    @property
    def holds_files(self) -> bool:
        """Whether files may be half-way while it is not finished; a prune changes none."""
        return self.kind is not Kind.PRUNE

    @property
    def reason(self) -> str:
        """Why it cannot be carried out."""
        return str((self.outcome or {}).get("reason", "nobody knows why"))


AnyOperation = Operation[Intent]

_DELETE = "DELETE FROM operations WHERE operation_id = :operation_id"
_BY_ID = "SELECT * FROM operations WHERE operation_id = :operation_id"
_OF_PLAN = "SELECT * FROM operations WHERE plan_id = :plan_id ORDER BY operation_id"
_UNFINISHED = """SELECT * FROM operations
    WHERE plan_id = :plan_id AND status IN (:open, :stuck) ORDER BY operation_id"""
_LATEST = """SELECT * FROM operations
    WHERE plan_id = :plan_id AND kind = :kind AND status = :status
    ORDER BY operation_id DESC LIMIT 1"""
_KINDS = """SELECT plan_id, kind FROM operations
    WHERE status IN (:open, :stuck) ORDER BY operation_id"""
_BESIDES = """SELECT plans.plan_id, operations.kind, operations.status, operations.intent_json,
    operations.outcome_json, plans.phase, operations.operation_id IN
        (SELECT operation_id FROM moments WHERE operation_id IS NOT NULL)
    FROM operations JOIN plans ON plans.plan_id = operations.plan_id
    WHERE plans.project_id = :project_id AND operations.kind != :kind
    ORDER BY operations.operation_id"""
_INTENTS = """SELECT operations.intent_json FROM operations
    JOIN plans ON plans.plan_id = operations.plan_id
    WHERE plans.project_id = :project_id AND operations.kind = :kind"""
_WAITING_INTENTS = """SELECT operations.intent_json FROM operations
    JOIN plans ON plans.plan_id = operations.plan_id WHERE plans.project_id = :project_id
    AND operations.kind != :kind AND operations.status IN (:open, :stuck)"""
_POSTPONED_INTENTS = """SELECT operations.intent_json FROM operations
    JOIN plans ON plans.plan_id = operations.plan_id
    WHERE plans.project_id = :project_id AND operations.outcome_json = :postponed"""
_SETTLE_POSTPONED = """UPDATE operations SET outcome_json = :swept
    WHERE outcome_json = :postponed
    AND plan_id IN (SELECT plan_id FROM plans WHERE project_id = :project_id)"""
_NOT_CLOSED = {"open": Status.OPEN, "stuck": Status.STUCK}


class OperationRepository:
    """The rows of operations."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def open(self, plan_id: PlanId, intent: I) -> Operation[I]:
        """Records an intent."""
        operation_id, moment = OperationId(new_id()), now()
        self._connection.insert(
            "operations",
            operation_id=operation_id,
            plan_id=plan_id,
            kind=intent.kind,
            status=Status.OPEN,
            intent_json=json.dumps(intent.to_record()),
            opened_at=moment,
        )
        record(self._connection, plan_id, Happening.OPERATION, operation_id)
        return Operation(
            operation_id, plan_id, intent.kind, Status.OPEN, intent, None, moment, None
        )

    def extend(self, operation_id: OperationId, intent: Intent) -> None:
        """Makes an open operation mean more than it did."""
        where = {"operation_id": operation_id}
        self._connection.update("operations", where, intent_json=json.dumps(intent.to_record()))

    def close(
        self, operation_id: OperationId, status: Status, outcome: Mapping[str, object]
    ) -> None:
        """Closes an intent; call it in the transaction that holds its effect."""
        self._connection.update(
            "operations",
            {"operation_id": operation_id},
            status=status,
            outcome_json=json.dumps(dict(outcome)),
            closed_at=now(),
        )

    def set_stuck(self, operation_id: OperationId, why: Mapping[str, str]) -> None:
        """Notes that an open operation cannot be carried out."""
        where = {"operation_id": operation_id, "status": Status.OPEN}
        outcome_json = json.dumps(dict(why))
        self._connection.update("operations", where, status=Status.STUCK, outcome_json=outcome_json)

    def delete(self, operations: Iterable[AnyOperation]) -> None:
        """Deletes operations that nobody can take back any more."""
        for one in operations:
            self._connection.execute(_DELETE, operation_id=one.operation_id)

    def give_up(self, operation: AnyOperation) -> None:
        """Closes an operation that is stuck; what it kept stays kept, nobody knows the files."""
        outcome = {**(operation.outcome or {}), GIVEN_UP: True}
        self.close(operation.operation_id, Status.ABORTED, outcome)

    def postponed_bytes(self, project_id: ProjectId) -> int:
        """Returns how much prunes of a project have left to the next sweep."""
        intents = self._connection.column(
            _POSTPONED_INTENTS, project_id=project_id, postponed=json.dumps(POSTPONED)
        )
        return sum(Prune.from_record(_read(intent)).size_bytes for intent in intents)

    def settle_postponed(self, project_id: ProjectId) -> None:
        """Notes that a sweep has freed what was left to it."""
        values = {"postponed": json.dumps(POSTPONED), "swept": json.dumps({"bytes_freed": 0})}
        self._connection.execute(_SETTLE_POSTPONED, project_id=project_id, **values)

    def latest(self, plan_id: PlanId, type_: type[I]) -> Operation[I]:
        """Returns the newest operation of a kind that was finished; refuses an unreadable one."""
        (row,) = self._connection.rows(
            _LATEST, plan_id=plan_id, kind=type_.kind, status=Status.DONE
        )
        found = _from_row(row)
        if not isinstance(found.intent, type_):
            raise Damaged(str(found.unreadable))
        return cast("Operation[I]", found)

    def kept_refs(self, project_id: ProjectId) -> set[SnapshotId]:
        """Returns the snapshots that operations of a project keep, finished ones included."""
        rows = self._connection.tuples(_BESIDES, project_id=project_id, kind=Kind.PRUNE)
        found: set[SnapshotId] = set()
        applied: dict[PlanId, set[SnapshotId]] = {}
        for plan_id, kind, status, text, outcome, phase, is_noted in rows:
            intent = read_intent(kind, _read(text))
            if is_noted:  # chats tell by them what was ours
                found |= set(intent.placed)
            if status in _NOT_CLOSED.values() or GIVEN_UP in _read(outcome):
                found |= set(intent.keeps)
            elif status == Status.DONE and kind == Kind.APPLY:
                needed = phase == Phase.APPLY  # else it has been taken back
                applied[plan_id] = set(intent.keeps) if needed else set()
            elif status == Status.DONE:
                found |= set(intent.kept_when_done)
        return found.union(*applied.values())

    def refuse_unreadable(self, project_id: ProjectId) -> None:
        """Refuses to say what may go while nobody can tell what an unfinished operation needs."""
        waiting = self._connection.column(
            _WAITING_INTENTS, project_id=project_id, kind=Kind.PRUNE, **_NOT_CLOSED
        )
        if not all(map(_read, waiting)):
            raise Damaged(
                "an unfinished operation cannot be read, so nothing that it may need can go"
            )

    def of_plan(self, plan_id: PlanId) -> Sequence[AnyOperation]:
        """Returns every operation of a plan in order."""
        return [_from_row(row) for row in self._connection.rows(_OF_PLAN, plan_id=plan_id)]

    def find(self, operation_id: OperationId) -> AnyOperation | None:
        """Returns an operation; None: its plan was deleted, or nobody can take it back any more."""
        row = self._connection.row(_BY_ID, operation_id=operation_id)
        return None if row is None else _from_row(row)

    def unfinished(self, plan_id: PlanId) -> Sequence[AnyOperation]:
        """Returns what was begun and not closed, in order, what is stuck included."""
        rows = self._connection.rows(_UNFINISHED, plan_id=plan_id, **_NOT_CLOSED)
        return [_from_row(row) for row in rows]

    def unfinished_kinds(self) -> Mapping[str, Sequence[str]]:
        """Returns the kinds of what was begun and not closed, by plan."""
        found: dict[str, list[str]] = {}
        for plan_id, kind in self._connection.tuples(_KINDS, **_NOT_CLOSED):
            found.setdefault(plan_id, []).append(kind)
        return found

    def forgotten(self, project_id: ProjectId) -> set[SnapshotId]:
        """Returns the snapshots of a project whose rows were deleted, by all prunes ever."""
        intents = self._connection.column(_INTENTS, project_id=project_id, kind=Kind.PRUNE)
        return {ref for intent in intents for ref in Prune.from_record(_read(intent)).refs}


def _from_row(fields: Row) -> AnyOperation:
    named, status = fields.pop("kind"), Status(fields.pop("status"))
    intent = read_intent(named, _read(fields.pop("intent_json")))
    outcome = _read(fields.pop("outcome_json")) or None
    kind = Kind(named) if named in TYPES else Kind.UNKNOWN
    return Operation(**fields, kind=kind, status=status, intent=intent, outcome=outcome)


def _read(text: str | None) -> dict[str, Any]:
    """Returns what JSON of ours says; nothing if it cannot be read."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
