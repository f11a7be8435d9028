"""Finds plans and lists them; changes nothing and needs no lock."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cleveragents.errors import NotFound
from cleveragents.ids import made_at
from cleveragents.operations.operation import OperationRepository
from cleveragents.plans.conflict import ConflictRepository
from cleveragents.plans.lifecycle import RUNNING
from cleveragents.plans.naming import PlanNames
from cleveragents.plans.plan import CHAT, PLAN, Plan, PlanRepository
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.storage.database import Database

if TYPE_CHECKING:
    from cleveragents.engine.read.status import PlanStatus

# Whatever is done to a plan has an id that begins with its time.
_LAST_ACT = """WITH here AS (SELECT plan_id FROM plans WHERE project_id = :project_id
        AND kind = :kind)
    SELECT max(act) FROM (
        SELECT max(operation_id) AS act FROM operations WHERE plan_id IN (SELECT plan_id FROM here)
        UNION ALL
        SELECT max(step_run_id) FROM step_runs WHERE plan_id IN (SELECT plan_id FROM here)
        UNION ALL
        SELECT max(decision_id) FROM decisions WHERE plan_id IN (SELECT plan_id FROM here)
    ) AS acts"""


class PlanReader:
    """Finds plans; to tell where one stands takes more, and is handed in."""

    def __init__(
        self,
        database: Database,
        is_owned: Callable[[str], bool],
        project: Project,
        status: "Callable[[Plan], PlanStatus]",
    ) -> None:
        self._database = database
        self._is_owned = is_owned
        self._project = project
        self._status = status

    def find(self, text: str) -> Plan:
        """Finds a plan by `@`, `@-`, its id or the beginning of it, or its name."""
        with self._database.reading() as connection:
            project_id = projects.known(connection, self._project)
            try:
                return PlanRepository(connection).get(PlanNames(connection).find(text, project_id))
            except NotFound as error:
                missing = error
        raise self._with_way(missing)

    def _with_way(self, missing: NotFound) -> NotFound:
        """An error that names the way to plans that this directory had at another place."""
        old = self.moved_from()
        if old is not None:
            from cleveragents.chats.moved import FOLLOW  # noqa: PLC0415 - as above

            missing.hints = (FOLLOW.format(old=old), *missing.hints)
        return missing

    def shown(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Tells what stands for ids in printed commands: `@`, or a beginning that is unique."""
        with self._database.reading() as connection:
            names, project_id = PlanNames(connection), projects.known(connection, self._project)
            return {one: names.shown(one, project_id) for one in ids}

    def short(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Tells the unique beginning of ids."""
        with self._database.reading() as connection:
            names = PlanNames(connection)
            return {one: names.short(one) for one in ids}

    def unsettled(self, plans: Sequence[Plan]) -> Mapping[str, Sequence[str]]:
        """Tells of each plan what was interrupted and waits to be finished."""
        with self._database.reading() as connection:
            begun = OperationRepository(connection).unfinished_kinds()
        return {
            plan.plan_id: [*begun.get(plan.plan_id, ()), *self._lost_run(plan)] for plan in plans
        }

    def conflicts(self) -> Mapping[str, Sequence[bytes]]:
        """Tells in which paths conflicts are open, by plan."""
        with self._database.reading() as connection:
            return ConflictRepository(connection).open_paths()

    def _lost_run(self, plan: Plan) -> Sequence[str]:
        return ["run"] if is_interrupted(self._database, self._is_owned, plan) else []

    def list(
        self,
        *,
        limit: int | None = None,
        state: str | None = None,
        name: str | None = None,
        kind: str = PLAN,
    ) -> Sequence[Plan]:
        """Returns the plans of the project, the oldest first; of some of them, the newest.

        The limit counts plans that stand at the top; subplans come along with theirs. Chats are
        plans of another kind.
        """
        with self._database.reading() as connection:
            project_id = projects.known(connection, self._project)
            if limit is state is name is None:
                return PlanRepository(connection).of_project(project_id, kind)
            # Late: few ask for some.
            from cleveragents.plans.listing import listed  # noqa: PLC0415

            return listed(connection, project_id, limit=limit, state=state, name=name, kind=kind)

    def last_act_at(self) -> datetime | None:
        """Returns when the last thing was done to a plan here, whatever has become of it."""
        with self._database.reading() as connection:
            here = projects.known(connection, self._project)
            last = connection.value(_LAST_ACT, project_id=here, kind=PLAN)
        return None if last is None else made_at(last)

    def moved_from(self) -> Path | None:
        """Returns where this very directory was when plans were made for it, if it has moved."""
        # Late: only who finds no plan asks, and what knows sandboxes knows snapshots.
        from cleveragents.chats.moved import moved_from  # noqa: PLC0415

        with self._database.reading() as connection:
            return moved_from(connection, self._project)

    def status(self, plan: Plan) -> "PlanStatus":
        """Tells everything about a plan, from what is stored and what is on the disk."""
        return self._status(plan)


def is_interrupted(database: Database, is_owned: Callable[[str], bool], plan: Plan) -> bool:
    """Tells whether a plan was running and its process is gone.

    A run that ended, or another one that began, since the plan was looked up is no such thing.
    """
    if plan.kind == CHAT or plan.stage != RUNNING or is_owned(plan.plan_id):
        return False
    with database.reading() as connection:
        return PlanRepository(connection).get(plan.plan_id).updated_at == plan.updated_at
