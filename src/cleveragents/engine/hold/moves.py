"""Moves plans along their lifecycle, each in a transaction of its own, and tells of it."""

from cleveragents.events import Event, PlanMoved, Reporter
from cleveragents.ids import PlanId
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.lifecycle import COMPLETE, RUNNING, Stage
from cleveragents.plans.plan import Plan, PlanError, PlanRepository
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held


class PlanMoves:
    """Where plans stand, and moving them."""

    def __init__(self, database: Database, report: Reporter) -> None:
        self._database = database
        self._report = report

    def plan(self, plan_id: PlanId) -> Plan:
        """Returns a plan as it is now."""
        with self._database.reading() as connection:
            return PlanRepository(connection).get(plan_id)

    def move(self, held: Held, stage: Stage, *, error: PlanError | None = None) -> Plan:
        """Moves a plan; what the lifecycle does not allow is refused."""
        with self._database.writing(held) as connection:
            moved = PlanRepository(connection).move(held.plan_id, stage, error=error)
        self.tell(PlanMoved(held.plan_id, moved.phase, moved.state))
        return moved

    def cancel_children(self, held: Held) -> list[PlanId]:
        """Cancels the subplans that are not at their end; returns those that still run."""
        with self._database.writing(held) as connection:
            repository = ChildRepository(connection)
            open_ = [child for child in repository.below(held.plan_id) if child.stage != COMPLETE]
            running = [child.plan_id for child in open_ if child.stage == RUNNING]
            for child in (child for child in open_ if child.plan_id not in running):
                repository.cancel(child)
        return running

    def tell(self, event: Event) -> None:
        """Reports what happened to a plan."""
        self._report(event)
