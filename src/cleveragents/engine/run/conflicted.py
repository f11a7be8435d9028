"""Open conflicts and a run: it stops before its next step, unless the settings let it go on."""

from collections.abc import Sequence

from cleveragents.counting import counted
from cleveragents.errors import Refused
from cleveragents.ids import PlanId
from cleveragents.plans.conflict import Conflict, ConflictRepository
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.plan import Plan
from cleveragents.snapshots.tree.scan import shown
from cleveragents.storage.database import Database


class ConflictStop:
    """Knows what plans have to wait for."""

    def __init__(self, database: Database, *, is_on: bool) -> None:
        self._database = database
        self._is_on = is_on

    def waited_for(self, plan_id: PlanId) -> Sequence[Conflict]:
        """Returns the conflicts that keep a plan from its next step."""
        if not self._is_on:
            return ()
        with self._database.reading() as connection:
            return ConflictRepository(connection).open(plan_id)

    def awaited_at(self, document: PlanDocument) -> int:
        """Tells how many conflicts stop a plan that goes on from a document of it."""
        if not self._is_on:
            return 0
        with self._database.reading() as connection:
            found = ConflictRepository(connection).open_paths()
        unmerged = [child for child, merged in document.children.items() if merged is None]
        return len(document.conflicts) + sum(len(found.get(child, ())) for child in unmerged)

    def refuse(self, plan: Plan) -> None:
        """Refuses to run a step of a plan that has to wait; nothing has changed yet."""
        left = self.waited_for(plan.plan_id)
        if left:
            raise Refused(
                f"the plan waits: {counted(len(left), 'conflict is', 'conflicts are')} open",
                detail=[f"{shown(conflict.path)}: {conflict.reason}" for conflict in left],
                hints=[f"resolve them first: agents plan conflicts {plan.plan_id}"],
            )
