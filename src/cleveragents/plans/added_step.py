"""Steps that were added to a plan's action one by one: each is a row, so that a call costs a call.

Rows are never changed, and an action that loses steps is another action with another number: so
what was read of them once stays true, and only what came since is read again.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from cleveragents.ids import PlanId, ProjectId, new_id
from cleveragents.storage.connection import Connection

if TYPE_CHECKING:
    from cleveragents.plans.step import Step


class AddedSteps(NamedTuple):
    """The steps that were added to one action of a plan."""

    last: str | None = None  # the id of the last one, which tells whether anything came since
    texts: tuple[str, ...] = ()  # as they are stored


NONE_ADDED = AddedSteps()
_OF_PROJECT = """SELECT plan_id, step_id, step_json FROM plan_steps
    JOIN plans USING (plan_id, definition) WHERE project_id = :project_id ORDER BY position"""
_FROM = """SELECT step_id, step_json FROM plan_steps WHERE plan_id = :plan_id
    AND definition = :definition AND position >= :position ORDER BY position"""


class AddedStepRepository:
    """The rows of added steps."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, plan_id: PlanId, definition: int, position: int, step: "Step") -> None:
        """Adds a step behind all others."""
        self._connection.insert(
            "plan_steps",
            step_id=new_id(),
            plan_id=plan_id,
            definition=definition,
            position=position,
            step_json=step.model_dump_json(by_alias=True),
        )

    def read(self, plan_id: PlanId, definition: int, known: AddedSteps = NONE_ADDED) -> AddedSteps:
        """Returns what was added to an action; what is known of it is not read again."""
        overlap = max(len(known.texts) - 1, 0)  # the last that is known, to see that it is there
        rows = self._rows(plan_id, definition, overlap)
        if known.last not in (None, *(row[0] for row in rows[:1])):
            return self.read(plan_id, definition)
        texts = (*known.texts[:overlap], *(row[1] for row in rows))
        return AddedSteps(rows[-1][0] if rows else None, texts)

    def of_project(self, project_id: ProjectId | None) -> Mapping[PlanId, AddedSteps]:
        """Returns what was added to the present action of each plan of a project."""
        rows: defaultdict[PlanId, list[tuple[str, str]]] = defaultdict(list)
        for plan_id, *row in self._connection.tuples(_OF_PROJECT, project_id=project_id):
            rows[plan_id].append((row[0], row[1]))
        return {
            plan_id: AddedSteps(found[-1][0], tuple(text for _, text in found))
            for plan_id, found in rows.items()
        }

    def _rows(self, plan_id: PlanId, definition: int, position: int) -> list[tuple[str, str]]:
        return self._connection.tuples(
            _FROM, plan_id=plan_id, definition=definition, position=position
        )
