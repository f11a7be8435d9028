"""Strategize: an action and its arguments become a plan, or every problem is listed."""

from collections.abc import Iterator
from pathlib import Path

from cleveragents.engine.run.strategist import Strategist
from cleveragents.errors import CleverAgentsError, InvalidInput
from cleveragents.events import PlanMoved, Reporter
from cleveragents.plans.action import Action
from cleveragents.plans.cursor import every_step
from cleveragents.plans.decision import PROMPT_DEFINITION, DecisionRepository, NewDecision
from cleveragents.plans.lifecycle import STRATEGIZED, STRATEGY_FAILED
from cleveragents.plans.plan import Plan, PlanError, PlanRepository
from cleveragents.plans.step import SubplansStep, ToolStep
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold
from cleveragents.tools.registry import ToolRegistry


class StrategizePhase:
    """Makes plans."""

    def __init__(
        self, database: Database, strategist: Strategist, hold: Hold, report: Reporter
    ) -> None:
        self._database = database
        self._strategist = strategist
        self._hold = hold
        self._report = report

    def run(self, project: Project, action: Action, action_file: Path) -> Plan:
        """Records the plan and its root decision, and checks its guarantee.

        A strategist that fails, or a problem with the guarantee, leaves the plan errored, with
        everything that is wrong.
        """
        return self._record(project, action, action_file)

    def run_stepwise(self, project: Project, action: Action) -> Plan:
        """Records a plan whose steps come one by one, each checked when it comes."""
        if action.steps or action.strategist:
            raise InvalidInput("the steps of a session come one by one; its action has none")
        return self._record(project, action, None)

    def _record(self, project: Project, action: Action, action_file: Path | None) -> Plan:
        with self._database.registering() as connection:
            project_id = projects.register(connection, project)
            plan = PlanRepository(connection).add(project_id, action, action_file)
            DecisionRepository(connection).add(plan.plan_id, root_of(action))
            if action.strategist is None:
                return self._settle(connection, plan, unkept(action))
        with self._hold(plan.plan_id, "asking the strategist") as held:
            return self._plan_by_strategist(held, plan, project)

    def _plan_by_strategist(self, held: Held, plan: Plan, project: Project) -> Plan:
        try:
            action = self._strategist.complete(plan.action, plan.plan_id, project.path, ())
            error = unkept(action)
        except CleverAgentsError as problem:
            action, error = plan.action, PlanError(problem.message, detail=problem.detail)
        with self._database.writing(held) as connection:
            PlanRepository(connection).set_action(plan.plan_id, action)
            return self._settle(connection, plan, error)

    def _settle(self, connection: Connection, plan: Plan, error: PlanError | None) -> Plan:
        """Ends the phase, in the transaction that the plan is recorded in."""
        target = STRATEGIZED if error is None else STRATEGY_FAILED
        moved = PlanRepository(connection).move(plan.plan_id, target, error=error)
        self._report(PlanMoved(plan.plan_id, moved.phase, moved.state))
        return moved


def root_of(action: Action) -> NewDecision:
    """The root of a plan's decisions: what it was asked to do."""
    asked = action.description or action.name
    return NewDecision(PROMPT_DEFINITION, "What is to be done?", asked)


def unkept(action: Action) -> PlanError | None:
    """Tells why the promise that the plan can be taken back could not be kept; None: it can."""
    problems = tuple(preflight(action))
    return PlanError("the plan cannot be taken back", detail=problems) if problems else None


def preflight(action: Action) -> Iterator[str]:
    """Yields every step that would break the promise that the plan can be taken back."""
    if not action.rollback.enabled:
        return
    registry = ToolRegistry(action.tools)
    for cursor, step in every_step(action.steps):
        if isinstance(step, SubplansStep):
            for plan in step.subplans.plans:
                for problem in preflight(action.of_subplan(plan)):
                    yield f"step {cursor} ({step.title}): subplan {plan.name}: {problem}"
        if not isinstance(step, ToolStep):
            continue
        declared = registry.find(step.tool).declaration
        if not declared.read_only and not declared.can_be_taken_back:
            effects = ", ".join(declared.side_effects) or "not checkpointable"
            yield (
                f"step {cursor} ({step.title}): tool {declared.name!r} has effects that cannot be "
                f"taken back ({effects}); declare its undo, or set rollback.enabled to false"
            )
