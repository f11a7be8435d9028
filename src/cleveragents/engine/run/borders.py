"""The borders of any step: checkpoints before it, and the policy if it fails."""

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType, Trigger
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.events import PlanMoved, Reporter
from cleveragents.operations.in_sandbox import Ending
from cleveragents.plans.action import OnFailure
from cleveragents.plans.cursor import FIRST, title_at
from cleveragents.plans.lifecycle import ERRORED
from cleveragents.plans.plan import Plan, PlanError, PlanRepository
from cleveragents.plans.step import Step
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held
from cleveragents.tools.tool import Outcome


class StepBorders:
    """Does what all kinds of steps have in common."""

    def __init__(
        self,
        database: Database,
        reads: CheckpointReads,
        checkpoints: CheckpointActs,
        report: Reporter,
    ) -> None:
        self._database = database
        self._reads = reads
        self._checkpoints = checkpoints
        self._report = report

    def enter(self, held: Held, plan: Plan, step: Step) -> Checkpoint | None:
        """Makes the checkpoints that are due before a step of any kind, if rollback is enabled.

        Returns the one that holds the state before the step, if a setting asked for it.
        """
        if not plan.keeps_checkpoints:
            return None
        if step.checkpoint is not None:
            reason = f"named by step {step.title}"
            named = CheckpointRequest(
                CheckpointType.MANUAL, reason, label=step.checkpoint, pinned=True
            )
            self._checkpoints.make(held, named)
        return self._checkpoints.make_due(held, Trigger.BEFORE_STEP, f"before step {step.title}")

    def give_up(
        self,
        held: Held,
        plan: Plan,
        outcome: Outcome,
        before: Checkpoint | None,
        *,
        tool: str,
        policy: OnFailure | None = None,
    ) -> None:
        """Keeps the failed state of the step at the cursor, then does what the policy says."""
        title = title_at(plan.action.steps, plan.cursor)
        if before is not None:
            self._checkpoints.make_due(
                held, Trigger.ON_ERROR, f"step {title} failed", source_tool=tool
            )
        policy = policy or plan.action.rollback.on_failure
        target = self._target_on_failure(plan, before, policy)
        where = "as the failed step left them" if target is None else f"restored to {target.name}"
        tail = tuple(outcome.tail.splitlines()[-10:])
        error = PlanError(outcome.summary, title, plan.step_index, plan.cursor, tail, where)
        if target is None:
            self._fail(held, error)
            return
        ending = Ending(ERRORED, error)
        self._checkpoints.roll_back(held, target, ending=ending)

    def _target_on_failure(
        self, plan: Plan, before: Checkpoint | None, policy: OnFailure
    ) -> Checkpoint | None:
        if before is None or policy is OnFailure.KEEP:
            return None
        if policy is OnFailure.START:
            return self._start(plan)
        return before

    def _start(self, plan: Plan) -> Checkpoint:
        """The first state in which the plan had the action that it has now."""
        rows = self._reads.list_checkpoints(plan.plan_id)
        for row in rows if plan.definition else ():
            document = self._reads.document(plan.plan_id, row) if row.step_index == 0 else None
            if document and (document.cursor, document.definition) == (FIRST, plan.definition):
                return row
        return rows[0]

    def _fail(self, held: Held, error: PlanError) -> None:
        with self._database.writing(held) as connection:
            moved = PlanRepository(connection).move(held.plan_id, ERRORED, error=error)
        self._report(PlanMoved(held.plan_id, moved.phase, moved.state))
