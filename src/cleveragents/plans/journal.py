"""The journal of a plan: what happened to it, in order; written with each effect, never changed.

Rows of other tables say what is; some of them go. An entry says that something happened, in the
transaction that made it so, and its number orders it, whatever the clocks say.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from cleveragents.ids import PlanId, now
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection


class Happening(StrEnum):
    """The kind of an entry."""

    MADE = "made"  # the plan was made from its action
    MOVED = "moved"  # it went to another phase or state
    DECIDED = "decided"  # a decision was recorded
    STEP = "step"  # an attempt at a step was begun
    CHECKPOINT = "checkpoint"  # a checkpoint was made
    OPERATION = "operation"  # a rollback, an apply, a merge or the like was begun
    PINNED = "pinned"  # a checkpoint was pinned or unpinned
    UNDO = "undo"  # the undo of a call was begun
    RELOADED = "reloaded"  # its action file was read again, for the steps that are left


@frozen
class JournalEntry:
    """One row of the journal."""

    seq: int
    at: datetime
    kind: Happening
    ref_id: str  # the row it is about
    detail: Mapping[str, Any]


_ADD = """INSERT INTO journal (plan_id, seq, at, kind, ref_id, detail_json)
    SELECT :plan_id, coalesce(max(seq), 0) + 1, :at, :kind, :ref_id, :detail
    FROM journal WHERE plan_id = :of_plan"""
_OF_PLAN = """SELECT seq, at AS happened_at, kind, ref_id, detail_json
    FROM journal WHERE plan_id = :plan_id AND seq > :after ORDER BY seq"""


def record(
    connection: Connection,
    plan_id: PlanId,
    kind: Happening,
    ref_id: str,
    detail: Mapping[str, object] | None = None,
) -> None:
    """Adds an entry; call it in the transaction that holds the effect."""
    connection.execute(
        _ADD,
        plan_id=plan_id,
        of_plan=plan_id,  # a name stands for one type: one is stored, one is compared
        at=now(),
        kind=kind,
        ref_id=ref_id,
        detail=json.dumps(dict(detail or {})),
    )


def entries(connection: Connection, plan_id: PlanId, after: int = 0) -> Sequence[JournalEntry]:
    """Returns what happened to a plan after an entry, in order."""
    return [
        JournalEntry(
            row["seq"],
            row["happened_at"],
            Happening(row["kind"]),
            row["ref_id"],
            json.loads(row["detail_json"]),
        )
        for row in connection.rows(_OF_PLAN, plan_id=plan_id, after=after)
    ]
