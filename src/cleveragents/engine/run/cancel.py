"""Cancel: a plan ends where it is, to be resumed or taken back later."""

import time

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.hold.moves import PlanMoves
from cleveragents.engine.hold.stopping import StopRequests
from cleveragents.engine.run.resume import Resumption
from cleveragents.errors import Busy, Refused
from cleveragents.ids import PlanId
from cleveragents.operations.in_sandbox import Ending
from cleveragents.plans.action import OnFailure
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, MOVES, RUNNING, written
from cleveragents.plans.plan import Plan
from cleveragents.storage.held import Held, Hold

WAIT_SECONDS = 30.0  # for an owner to come to a point where it can stop
LOOK_SECONDS = 0.1


class Cancellation:
    """Cancels plans: from the loop that runs one, or from any other process."""

    def __init__(
        self,
        moves: PlanMoves,
        checkpoints: CheckpointActs,
        resumption: Resumption,
        stopping: StopRequests,
        hold: Hold,
    ) -> None:
        self._moves = moves
        self._checkpoints = checkpoints
        self._resumption = resumption
        self.stopping = stopping
        self._hold = hold

    def cancel(self, plan_id: PlanId) -> Plan:
        """Asks the owner of a plan to cancel it, or does so itself where there is none."""
        seen = self._moves.plan(plan_id)
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            self.stopping.ask(plan_id)
            try:
                with self._hold(plan_id, "cancelling the plan") as held:
                    return self._settle(held, seen)
            except Busy as busy:
                if time.monotonic() > deadline:
                    raise Busy(
                        f"{busy.message}; it was asked to cancel the plan",
                        hints=[f"end it: agents plan resume {plan_id} --take-over, then cancel"],
                    ) from busy
            time.sleep(LOOK_SECONDS)

    def carry_out(self, held: Held) -> Plan:
        """Cancels a plan; finished work stays, a half-done step does not.

        The files go back to before a step that was cut off, unless the policy keeps what a
        failed step leaves, or finished steps would be taken back with it.
        """
        plan_id = held.plan_id
        target = self._target(self._moves.plan(plan_id))
        if target is None:
            self._moves.move(held, CANCELLED)
        else:
            ending = Ending(CANCELLED)
            self._checkpoints.roll_back(held, target, ending=ending)
        for child_id in self._moves.cancel_children(held):
            self.stopping.ask(child_id)
        self.stopping.withdraw(plan_id)
        return self._moves.plan(plan_id)

    def _target(self, plan: Plan) -> Checkpoint | None:
        if plan.stage == COMPLETE or plan.action.rollback.on_failure is OnFailure.KEEP:
            return None
        course = self._resumption.course(plan, restore=False)
        return course.start if course.interrupted and not course.again else None

    def _settle(self, held: Held, seen: Plan) -> Plan:
        """Does what is left to do once nobody else owns the plan."""
        plan_id = held.plan_id
        plan = self._moves.plan(plan_id)
        overtaken = plan.stage == COMPLETE and seen.stage == RUNNING
        if overtaken or CANCELLED not in MOVES[plan.stage]:
            self.stopping.withdraw(plan_id)
        if overtaken:
            raise Refused(
                "the plan came to its end before it could be cancelled",
                hints=[f"take it back: agents plan rollback {plan_id}"],
            )
        if plan.stage == CANCELLED:
            return plan
        if CANCELLED not in MOVES[plan.stage]:
            raise Refused(
                f"a plan in {written(plan.stage)} cannot be cancelled",
                hints=[f"see where it stands: agents plan status {plan_id}"],
            )
        return self.carry_out(held)
