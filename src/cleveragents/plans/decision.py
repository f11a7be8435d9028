"""A decision: a recorded choice in the plan's tree."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from cleveragents.errors import InvalidInput, NotFound
from cleveragents.ids import CauseId, CheckpointId, DecisionId, PlanId, new_id, now
from cleveragents.nearest import hints_for_id
from cleveragents.plans.cursor import holder
from cleveragents.plans.journal import Happening, record
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection, Row

PROMPT_DEFINITION = "prompt_definition"  # the root: what the plan was asked to do
SUBPLAN_SPAWN = "subplan_spawn"  # a plan of its own for a part of the work
STRATEGY_CHOICE = "strategy_choice"  # one of the options of a step
USER_INTERVENTION = "user_intervention"  # what a user said was wrong with a decision
ERROR_RECOVERY = "error_recovery"  # what a user said about an error
REVERSION = "reversion"  # why the plan was planned anew
INTERVENTIONS = (USER_INTERVENTION, ERROR_RECOVERY, REVERSION)


_OF_PLAN = "SELECT * FROM decisions WHERE plan_id = :plan_id ORDER BY seq"
_BY_PREFIX = "SELECT * FROM decisions WHERE substr(decision_id, 1, length(:prefix)) = :prefix"
_QUESTIONS = "SELECT decision_id, question FROM decisions"
_ACTIVE = "SELECT decision_id FROM decisions WHERE plan_id = :plan_id AND superseded_by IS NULL"
_NEWEST = "SELECT max(seq) FROM decisions WHERE plan_id = :plan_id"
_INFLUENCES = """SELECT influences.decision_id, influences.influenced_by
    FROM decision_influences AS influences
    JOIN decisions ON decisions.decision_id = influences.decision_id
    WHERE decisions.plan_id = :plan_id"""


@frozen
class Decision:
    """One row of decisions."""

    decision_id: DecisionId
    plan_id: PlanId
    parent_id: DecisionId | None
    seq: int
    decision_type: str
    cursor: str | None  # the step that asked for it; None: no step did
    question: str
    chosen: str
    alternatives: tuple[str, ...]
    confidence: float | None
    rationale: str | None
    checkpoint_id: CheckpointId | None  # the state before it
    superseded_by: str | None  # the operation that took it back
    created_at: datetime

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON data."""
        return {**vars(self), "created_at": self.created_at.isoformat()}


@frozen
class NewDecision:
    """A decision that is to be recorded; the rest follows from where and when it is made."""

    decision_type: str
    question: str
    chosen: str
    alternatives: tuple[str, ...] = ()
    confidence: float | None = None
    rationale: str | None = None
    cursor: str | None = None
    parent_id: DecisionId | None = None
    checkpoint_id: CheckpointId | None = None
    influenced_by: tuple[str, ...] = ()  # ids of the decisions it depends on


class DecisionRepository:
    """The rows of decisions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(
        self,
        plan_id: PlanId,
        new: NewDecision,
        *,
        decision_id: DecisionId | None = None,
        superseded_by: str | None = None,
    ) -> DecisionId:
        """Records a decision, and with the checkpoint before it that it is its own.

        One that an operation will make count is recorded in the name of that operation.
        """
        newest = self._connection.value(_NEWEST, plan_id=plan_id)
        decision_id = decision_id or DecisionId(new_id())
        values = dict(vars(new))
        del values["influenced_by"]
        self._connection.insert(
            "decisions",
            decision_id=decision_id,
            plan_id=plan_id,
            seq=(newest or 0) + 1,
            alternatives_json=json.dumps(values.pop("alternatives")),
            superseded_by=superseded_by,
            created_at=now(),
            **values,
        )
        for other in new.influenced_by:
            pair = {"decision_id": decision_id, "influenced_by": other}
            self._connection.insert("decision_influences", **pair)
        if new.checkpoint_id is not None:
            self.follows(decision_id, new.checkpoint_id)
        told = _noted(vars(new))
        record(self._connection, plan_id, Happening.DECIDED, decision_id, told)
        return decision_id

    def follows(self, decision_id: DecisionId, checkpoint_id: CheckpointId) -> None:
        """Records that a checkpoint is the state before a decision."""
        where = {"checkpoint_id": checkpoint_id}
        self._connection.update("checkpoints", where, decision_id=decision_id)

    def resolve(self, text: str) -> Decision:
        """Finds a decision by its id or a prefix of it."""
        rows = self._connection.rows(_BY_PREFIX, prefix=text.upper())
        if not rows or not text:
            near = hints_for_id(text, dict(self._connection.tuples(_QUESTIONS)))
            raise NotFound(f"no decision {text!r}", hints=[*near, "see: agents plan tree PLAN"])
        if len(rows) > 1:
            candidates = [f"{row['decision_id']}  {row['question']}" for row in rows]
            raise InvalidInput(
                f"{text!r} names {len(rows)} decisions",
                detail=candidates,
                hints=["type more of the id"],
            )
        return _from_row(rows[0])

    def of_plan(self, plan_id: PlanId) -> Sequence[Decision]:
        """Returns every decision of a plan in order."""
        return [_from_row(row) for row in self._connection.rows(_OF_PLAN, plan_id=plan_id)]

    def counting(self, plan_id: PlanId) -> Sequence[Decision]:
        """Returns the decisions of a plan that nothing took back, in order."""
        return [row for row in self.of_plan(plan_id) if row.superseded_by is None]

    def influences(self, plan_id: PlanId) -> Sequence[tuple[DecisionId, DecisionId]]:
        """Returns which decision of a plan depends on which, as pairs."""
        rows = self._connection.tuples(_INFLUENCES, plan_id=plan_id)
        return [(decision, influence) for decision, influence in rows]

    def holding(self, plan_id: PlanId, cursor: str) -> DecisionId:
        """Returns the parent of a new decision: that whose option holds the step, or the root."""
        earlier = self.counting(plan_id)
        root = next(row for row in earlier if row.decision_type == PROMPT_DEFINITION)
        holders = {row.cursor: row.decision_id for row in earlier if row.cursor}
        return holders.get(holder(cursor) or "", root.decision_id)

    def active(self, plan_id: PlanId) -> Sequence[DecisionId]:
        """Returns the ids of the decisions that count at present."""
        return self._connection.column(_ACTIVE, plan_id=plan_id)

    def make_active(self, plan_id: PlanId, listed: Sequence[DecisionId], cause: CauseId) -> int:
        """Makes exactly the listed decisions count; returns how many were taken back."""
        active, wanted = self.active(plan_id), set(listed)
        taken_back = [decision for decision in active if decision not in wanted]
        for decision_id in taken_back:
            self._mark(decision_id, cause)
        for decision_id in wanted.difference(active):
            self._mark(decision_id, None)
        return len(taken_back)

    def _mark(self, decision_id: DecisionId, cause: CauseId | None) -> None:
        where = {"decision_id": decision_id}
        self._connection.update("decisions", where, superseded_by=cause)


def noted(row: Decision) -> dict[str, object]:
    """Returns what the journal keeps of a decision: what is shown of it, and never changes."""
    return _noted(vars(row))


def _noted(fields: Mapping[str, object]) -> dict[str, object]:
    kept = ("decision_type", "cursor", "question", "chosen", "rationale")
    return {name: fields[name] for name in kept}


def _from_row(fields: Row) -> Decision:
    alternatives = tuple(json.loads(fields.pop("alternatives_json")))
    return Decision(**fields, alternatives=alternatives)
