"""Corrections: every attempt to correct a decision, with what it was about to replace."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from cleveragents.errors import InvalidInput, NotFound
from cleveragents.ids import CheckpointId, DecisionId, PlanId, now
from cleveragents.nearest import hints_for_id
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, ERRORED, RUNNING, Stage
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection, Row


class CorrectionMode(StrEnum):
    """How a decision is corrected."""

    REVERT = "revert"  # what followed from it is taken back and decided again
    APPEND = "append"  # nothing is taken back; a subplan carries the fix


class CorrectionState(StrEnum):
    """How far an attempt has come."""

    PENDING = "pending"  # recorded, files not yet where it starts
    EXECUTING = "executing"
    COMPLETE = "complete"
    FAILED = "failed"


# What becomes of the attempts of a plan when the plan moves.
_AFTER: Mapping[Stage, CorrectionState] = {
    RUNNING: CorrectionState.EXECUTING,
    COMPLETE: CorrectionState.COMPLETE,
    ERRORED: CorrectionState.FAILED,
    CANCELLED: CorrectionState.FAILED,
}


_OF_PLAN = "SELECT * FROM correction_attempts WHERE plan_id = :plan_id ORDER BY correction_id"
_BY_PREFIX = """SELECT * FROM correction_attempts
    WHERE substr(correction_id, 1, length(:prefix)) = :prefix"""
_GUIDANCE = "SELECT correction_id, guidance FROM correction_attempts"
_CHOICE = """SELECT attempts.chosen FROM correction_attempts AS attempts
    JOIN decisions AS corrected ON corrected.decision_id = attempts.decision_id
    JOIN decisions AS said ON said.decision_id = attempts.intervention_id
    WHERE attempts.plan_id = :plan_id AND corrected.cursor = :cursor
    AND attempts.mode = :mode AND said.superseded_by IS NULL
    ORDER BY attempts.correction_id DESC LIMIT 1"""
_TAKEN_BACK = "SELECT superseded_by FROM decisions WHERE decision_id = :decision_id"


@frozen
class CorrectionAttempt:
    """One row of correction attempts."""

    correction_id: str
    plan_id: PlanId
    decision_id: DecisionId | None  # what is corrected; None: an error
    intervention_id: str  # the decision that records the guidance
    mode: CorrectionMode
    state: CorrectionState
    guidance: str
    chosen: str | None  # the option that the user chose
    before_id: CheckpointId | None  # the checkpoint of what was there before
    subtree: tuple[Mapping[str, object], ...]  # the decisions it replaces, as they were
    created_at: datetime
    updated_at: datetime


class CorrectionRepository:
    """The rows of correction attempts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, attempt: CorrectionAttempt) -> None:
        """Records an attempt."""
        values = {**vars(attempt), "subtree_json": json.dumps(attempt.subtree)}
        del values["subtree"]
        self._connection.insert("correction_attempts", **values)

    def of_plan(self, plan_id: PlanId) -> Sequence[CorrectionAttempt]:
        """Returns the attempts of a plan, the oldest first."""
        return [_from_row(row) for row in self._connection.rows(_OF_PLAN, plan_id=plan_id)]

    def resolve(self, text: str) -> CorrectionAttempt:
        """Finds an attempt by its id or a prefix of it."""
        rows = self._connection.rows(_BY_PREFIX, prefix=text.upper())
        if not rows or not text:
            near = hints_for_id(text, dict(self._connection.tuples(_GUIDANCE)))
            raise NotFound(f"no correction {text!r}", hints=[*near, "see: agents plan tree PLAN"])
        if len(rows) > 1:
            candidates = [f"{row['correction_id']}  {row['guidance']}" for row in rows]
            raise InvalidInput(
                f"{text!r} names {len(rows)} corrections",
                detail=candidates,
                hints=["type more of the id"],
            )
        return _from_row(rows[0])

    def users_choice(self, plan_id: PlanId, cursor: str) -> str | None:
        """Returns what a user last chose for a decision, while that correction counts."""
        return self._connection.value(
            _CHOICE, plan_id=plan_id, cursor=cursor, mode=CorrectionMode.REVERT
        )

    def set_state(self, correction_id: str, state: CorrectionState) -> None:
        """Records how far an attempt has come."""
        where = {"correction_id": correction_id}
        self._connection.update("correction_attempts", where, state=state, updated_at=now())

    def follow(self, plan_id: PlanId, stage: Stage) -> None:
        """Records what a move of the plan means for attempts that have not come to their end."""
        for attempt in self.of_plan(plan_id):
            if attempt.state in (CorrectionState.PENDING, CorrectionState.COMPLETE):
                continue
            state = _AFTER.get(stage, attempt.state)
            if not self._counts(attempt):
                state = CorrectionState.FAILED  # a rollback took it back
            if state != attempt.state:
                self.set_state(attempt.correction_id, state)

    def _counts(self, attempt: CorrectionAttempt) -> bool:
        taken_back = self._connection.value(_TAKEN_BACK, decision_id=attempt.intervention_id)
        return taken_back is None


def _from_row(fields: Row) -> CorrectionAttempt:
    mode, state = CorrectionMode(fields.pop("mode")), CorrectionState(fields.pop("state"))
    subtree = tuple(json.loads(fields.pop("subtree_json")))
    return CorrectionAttempt(**fields, mode=mode, state=state, subtree=subtree)
