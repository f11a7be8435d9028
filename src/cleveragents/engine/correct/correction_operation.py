"""The operation `correct`: a rollback to a state that says what is to be decided again.

That state has the files of the checkpoint before the decision and a plan document of its own: the
decisions that are not affected go on counting, and so does the user's intervention. Everything is
recorded with the intent, in one transaction; going there is the act of any rollback.
"""

from collections.abc import Mapping

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.rollback import RollbackReads, RollbackResult
from cleveragents.engine.back.restating import restated
from cleveragents.engine.back.rollback import Rollbacks
from cleveragents.engine.back.saving import SafetyCheckpoint
from cleveragents.ids import CheckpointId, DecisionId, PlanId, SnapshotId, new_id, now
from cleveragents.operations.act import TakenBack
from cleveragents.operations.in_sandbox import Correct, Ending
from cleveragents.operations.intent import Companions
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.correction import (
    CorrectionAttempt,
    CorrectionMode,
    CorrectionRepository,
    CorrectionState,
)
from cleveragents.plans.decision import Decision, DecisionRepository, NewDecision
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen, replace
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held


@frozen
class Correction:
    """The correction that is wanted."""

    intervention: NewDecision  # records what the user said
    decision: Decision | None  # None: an error is what is corrected
    chosen: str | None
    affected: tuple[Decision, ...]
    stands: tuple[str, ...]  # ids of the decisions that go on counting
    target: Checkpoint  # the state before all that is affected
    children: Mapping[
        PlanId, SnapshotId | None
    ]  # subplans that go on counting, with what stays merged


class CorrectionOperations:
    """Opens and carries out corrections."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        reads: RollbackReads,
        rollbacks: Rollbacks,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._reads = reads
        self._rollbacks = rollbacks

    def open(
        self,
        held: Held,
        plan: Plan,
        wanted: Correction,
        safety: SafetyCheckpoint,
        going: Companions,
    ) -> Operation[Correct]:
        """Records the attempt, the intervention, the state to go to and the intent."""
        intervention_id = DecisionId(new_id())
        document = replace(
            self._reads.document(plan, wanted.target),
            decisions=(*wanted.stands, intervention_id),
            children=wanted.children,
        )
        goal = restated(
            self._sandboxes.archive(plan.project_id),
            wanted.target,
            document,
            seq=safety.checkpoint.seq + 1,
            reason=f"{wanted.target.name}, to be decided again",
        )
        attempt = _attempt(plan, wanted, safety.checkpoint, intervention_id)
        with self._database.writing(held) as connection:
            CheckpointRepository(connection).add(goal)
            intent = Correct(
                target=goal.checkpoint_id,
                safety=safety.checkpoint.checkpoint_id,
                record=CheckpointId(new_id()),
                ending=Ending(QUEUED),
                going=going,
                was=Ending.where(plan),
                correction=attempt.correction_id,
            )
            operation = OperationRepository(connection).open(plan.plan_id, intent)
            DecisionRepository(connection).add(
                plan.plan_id,
                wanted.intervention,
                decision_id=intervention_id,
                superseded_by=operation.operation_id,
            )
            CorrectionRepository(connection).add(attempt)
        return operation

    def finish(self, held: Held, operation: Operation[Correct]) -> str:
        """Carries out what was interrupted, and tells of it."""
        name = self.carry_out(held, operation).target.name
        return f"an interrupted correction to {name} was finished"

    def carry_out(self, held: Held, operation: Operation[Correct]) -> RollbackResult:
        """Goes to where the plan is decided again; may be called again after a crash."""
        self._set(held, operation, CorrectionState.EXECUTING)
        try:
            return self._rollbacks.carry_out(held, operation)
        except TakenBack:
            self._set(held, operation, CorrectionState.FAILED)
            raise

    def _set(self, held: Held, operation: Operation[Correct], state: CorrectionState) -> None:
        with self._database.writing(held) as connection:
            CorrectionRepository(connection).set_state(operation.intent.correction, state)


def _attempt(
    plan: Plan, wanted: Correction, safety: Checkpoint, intervention_id: str
) -> CorrectionAttempt:
    moment = now()
    return CorrectionAttempt(
        correction_id=new_id(),
        plan_id=plan.plan_id,
        decision_id=None if wanted.decision is None else wanted.decision.decision_id,
        intervention_id=intervention_id,
        mode=CorrectionMode.REVERT,
        state=CorrectionState.PENDING,
        guidance=wanted.intervention.chosen,
        chosen=wanted.chosen,
        before_id=safety.checkpoint_id,
        subtree=tuple(row.to_record() for row in wanted.affected),
        created_at=moment,
        updated_at=moment,
    )
