"""Strategize: an action and its arguments become a plan, or every problem is listed."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from cleveragents.events import PlanMoved, Reporter
from cleveragents.plans.action import Action, read_action
from cleveragents.plans.cursor import every_step
from cleveragents.plans.decision import PROMPT_DEFINITION, DecisionRepository, NewDecision
from cleveragents.plans.lifecycle import STRATEGIZED, STRATEGY_FAILED
from cleveragents.plans.plan import Plan, PlanError, PlanRepository
from cleveragents.plans.step import ToolStep
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.storage.database import Database
from cleveragents.tools.registry import ToolRegistry


class StrategizePhase:
    """Makes plans."""

    def __init__(self, database: Database, report: Reporter) -> None:
        self._database = database
        self._report = report

    def run(self, project: Project, action_file: Path, arguments: Mapping[str, str]) -> Plan:
        """Reads the action, records the plan and its root decision, and checks its guarantee.

        A problem in the file or an argument leaves no row; one with the guarantee leaves the
        plan errored, with everything that is wrong.
        """
        action = read_action(action_file, arguments)
        problems = list(preflight(action))
        error = PlanError("the plan cannot be taken back", detail=tuple(problems))
        with self._database.unit_of_work() as connection:
            repository = PlanRepository(connection)
            plan = repository.add(projects.register(connection, project), action, action_file)
            asked = action.description or action.name
            root = NewDecision(PROMPT_DEFINITION, "What is to be done?", asked)
            DecisionRepository(connection).add(plan.plan_id, root)
            target = STRATEGY_FAILED if problems else STRATEGIZED
            plan = repository.move(plan.plan_id, target, error=error if problems else None)
        self._report(PlanMoved(plan.plan_id, plan.phase, plan.state))
        return plan


def preflight(action: Action) -> Iterator[str]:
    """Yields every step that would break the promise that the plan can be taken back."""
    if not action.rollback.enabled:
        return
    registry = ToolRegistry(action.tools)
    for cursor, step in every_step(action.steps):
        if not isinstance(step, ToolStep):
            continue
        declared = registry.find(step.tool).declaration
        if not declared.read_only and not declared.can_be_taken_back:
            effects = ", ".join(declared.side_effects) or "not checkpointable"
            yield (
                f"step {cursor} ({step.title}): tool {declared.name!r} has effects that cannot be "
                f"taken back ({effects}); declare its undo, or set rollback.enabled to false"
            )
