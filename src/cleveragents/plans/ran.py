"""The action that a call was made for: its plan may follow another one by now."""

from functools import cached_property
from typing import TYPE_CHECKING

from cleveragents.plans.journal import Happening, entries
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step_run import StepRun
from cleveragents.storage.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cleveragents.plans.action import Action


class ActionsOfRuns:
    """Tells by the journal which action each call of a plan was made for."""

    def __init__(self, connection: Connection, plan: Plan) -> None:
        self._plan = plan
        self._connection = connection
        self._read: dict[int, Action] = {}

    def of(self, run: StepRun) -> "Action":
        """Returns the action whose step a call was."""
        number = self._numbers.get(run.step_run_id, self._unnumbered)
        if number not in self._read:
            self._read[number] = PlanRepository(self._connection).action_of(self._plan, number)
        return self._read[number]

    @cached_property
    def _numbers(self) -> "Mapping[str, int]":
        if not PlanRepository(self._connection).newest_definition(self._plan.plan_id):
            return {}  # it has had no other
        return {
            entry.ref_id: entry.detail["definition"]
            for entry in entries(self._connection, self._plan.plan_id)
            if entry.kind is Happening.STEP and "definition" in entry.detail
        }

    @cached_property
    def _unnumbered(self) -> int:
        """That of calls which versions before this one made: they knew no reload."""
        happened = entries(self._connection, self._plan.plan_id)
        replaced = [row.detail["replaced"] for row in happened if row.kind is Happening.RELOADED]
        return next(iter(replaced), self._plan.definition)
