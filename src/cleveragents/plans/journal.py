"""The journal of a plan: what happened to it, in order; written with each effect, never changed.

Rows of other tables say what is; some of them go. An entry says that something happened, in the
transaction that made it so, and its number orders it, whatever the clocks say.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select
from sqlalchemy.sql.expression import BindParameter

from cleveragents.ids import now
from cleveragents.storage.tables import journal


class Happening(StrEnum):
    """What an entry is about."""

    MADE = "made"  # the plan was made from its action
    MOVED = "moved"  # it went to another phase or state
    DECIDED = "decided"  # a decision was recorded
    STEP = "step"  # an attempt at a step was begun
    CHECKPOINT = "checkpoint"  # a checkpoint was made
    OPERATION = "operation"  # a rollback, an apply, a merge or the like was begun
    PINNED = "pinned"  # a checkpoint was pinned or unpinned
    UNDO = "undo"  # the undo of a call was begun


@dataclass(frozen=True)
class Entry:
    """One row of the journal."""

    seq: int
    at: datetime
    kind: Happening
    ref_id: str  # the row it is about
    detail: Mapping[str, Any]


def _given(column: str) -> BindParameter[Any]:
    return bindparam(column, type_=journal.c[column].type)


# Said at every step and checkpoint, so put together once.
_GIVEN = ("plan_id", "at", "kind", "ref_id", "detail_json")
_ADD = insert(journal).from_select(
    ["seq", *_GIVEN],
    select(func.coalesce(func.max(journal.c.seq), 0) + 1, *map(_given, _GIVEN)).where(
        journal.c.plan_id == bindparam("plan_id")
    ),
)


def record(
    connection: Connection,
    plan_id: str,
    kind: Happening,
    ref_id: str,
    detail: Mapping[str, object] | None = None,
) -> None:
    """Adds an entry; call it in the transaction that holds the effect."""
    connection.execute(
        _ADD,
        {
            "plan_id": plan_id,
            "at": now(),
            "kind": kind,
            "ref_id": ref_id,
            "detail_json": json.dumps(dict(detail or {})),
        },
    )


def entries(connection: Connection, plan_id: str) -> Sequence[Entry]:
    """Returns what happened to a plan, in order."""
    rows = connection.execute(
        select(journal).where(journal.c.plan_id == plan_id).order_by(journal.c.seq)
    )
    return [
        Entry(row.seq, row.at, Happening(row.kind), row.ref_id, json.loads(row.detail_json))
        for row in rows
    ]
