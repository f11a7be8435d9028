"""A decision: a recorded choice in the plan's tree."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, RowMapping, bindparam, func, insert, select, update

from cleveragents.ids import new_id, now
from cleveragents.storage.tables import checkpoints, decision_influences, decisions

PROMPT_DEFINITION = "prompt_definition"  # the root: what the plan was asked to do
STRATEGY_CHOICE = "strategy_choice"  # one of the options of a step


# Asked at every checkpoint, so put together once.
_ACTIVE = select(decisions.c.decision_id).where(
    decisions.c.plan_id == bindparam("plan_id"), decisions.c.superseded_by.is_(None)
)


@dataclass(frozen=True)
class Decision:
    """One row of decisions."""

    decision_id: str
    plan_id: str
    parent_id: str | None
    seq: int
    decision_type: str
    cursor: str | None  # the step that asked for it; None: no step did
    question: str
    chosen: str
    alternatives: tuple[str, ...]
    confidence: float | None
    rationale: str | None
    checkpoint_id: str | None  # the state before it
    superseded_by: str | None  # the operation that took it back
    created_at: datetime


@dataclass(frozen=True)
class NewDecision:
    """What is recorded of a decision; the rest follows from where and when it is made."""

    decision_type: str
    question: str
    chosen: str
    alternatives: tuple[str, ...] = ()
    confidence: float | None = None
    rationale: str | None = None
    cursor: str | None = None
    parent_id: str | None = None
    checkpoint_id: str | None = None
    influenced_by: tuple[str, ...] = ()  # ids of the decisions it depends on


class DecisionRepository:
    """The rows of decisions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, plan_id: str, new: NewDecision) -> str:
        """Records a decision, and with the checkpoint before it that it is its own."""
        newest = self._connection.scalar(
            select(func.max(decisions.c.seq)).where(decisions.c.plan_id == plan_id)
        )
        decision_id = new_id()
        values = dict(vars(new))
        del values["influenced_by"]
        self._connection.execute(
            insert(decisions).values(
                decision_id=decision_id,
                plan_id=plan_id,
                seq=(newest or 0) + 1,
                alternatives_json=json.dumps(values.pop("alternatives")),
                created_at=now(),
                **values,
            )
        )
        for other in new.influenced_by:
            self._connection.execute(
                insert(decision_influences).values(decision_id=decision_id, influenced_by=other)
            )
        self._connection.execute(
            update(checkpoints)
            .where(checkpoints.c.checkpoint_id == new.checkpoint_id)
            .values(decision_id=decision_id)
        )
        return decision_id

    def of_plan(self, plan_id: str) -> Sequence[Decision]:
        """Returns every decision of a plan in order."""
        rows = self._connection.execute(
            select(decisions).where(decisions.c.plan_id == plan_id).order_by(decisions.c.seq)
        )
        return [_from_row(row) for row in rows.mappings()]

    def counting(self, plan_id: str) -> Sequence[Decision]:
        """Returns the decisions of a plan that nothing took back, in order."""
        return [row for row in self.of_plan(plan_id) if row.superseded_by is None]

    def active(self, plan_id: str) -> Sequence[str]:
        """Returns the ids of the decisions that count at present."""
        return self._connection.scalars(_ACTIVE, {"plan_id": plan_id}).all()

    def make_active(self, plan_id: str, listed: Sequence[str], operation_id: str) -> int:
        """Makes exactly the listed decisions count; returns how many were taken back."""
        taken_back = [decision for decision in self.active(plan_id) if decision not in listed]
        for decision_id in taken_back:
            self._mark(decision_id, operation_id)
        for decision_id in listed:
            self._mark(decision_id, None)
        return len(taken_back)

    def _mark(self, decision_id: str, operation_id: str | None) -> None:
        self._connection.execute(
            update(decisions)
            .where(decisions.c.decision_id == decision_id)
            .values(superseded_by=operation_id)
        )


def _from_row(row: RowMapping) -> Decision:
    fields = dict(row)
    alternatives = tuple(json.loads(fields.pop("alternatives_json")))
    return Decision(**fields, alternatives=alternatives)
