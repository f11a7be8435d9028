"""The strategist: an external command that makes the steps of a plan."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from cleveragents.engine.hold.stopping import StopRequests
from cleveragents.engine.run.asking import Questions
from cleveragents.errors import Failed
from cleveragents.ids import PlanId
from cleveragents.plans.action import Action, with_steps
from cleveragents.plans.handed import handed_by
from cleveragents.tools.commands import CallRules, Commands
from cleveragents.tools.tool import told

SECONDS = 1800.0  # how long it may take


class StrategistAnswer(BaseModel):
    """The answer of a strategist."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: tuple[JsonValue, ...]


class Strategist:
    """Asks the strategist of an action, in the project, with the environment of a step."""

    def __init__(self, commands: Commands, stopping: StopRequests) -> None:
        self._commands = commands
        self._stopping = stopping

    def complete(
        self, action: Action, plan_id: PlanId, project: Path, guidance: Sequence[str]
    ) -> Action:
        """Returns the action with the steps it answered; without usable ones it has failed."""
        asking = Questions(str(action.strategist), StrategistAnswer, lambda _: None)
        self._commands.heed(plan_id, lambda: handed_by(action))
        call = self._commands.call(
            plan_id,
            project,
            plan_id,
            self._commands.outputs(plan_id) / "strategist.log",
            must_stop=lambda: self._stopping.is_due(plan_id),
            rules=CallRules(timeout=SECONDS, confine=tuple(filter(None, [action.confine]))),
        )
        outcome = told(call, asking.put(call, _question(action, project, guidance)))
        if not outcome.ok:
            raise Failed(
                f"the strategist failed: {outcome.summary}", detail=outcome.tail.splitlines()[-10:]
            )
        return with_steps(action, asking.answer.steps)


def _question(action: Action, project: Path, guidance: Sequence[str]) -> Mapping[str, object]:
    """The question to a strategist; docs/reference/choosers.md has its schema."""
    return {
        "name": action.name,
        "description": action.description,
        "arguments": {
            name: None if declared is None else declared.default
            for name, declared in action.arguments.items()
        },
        "guidance": list(guidance),
        "project": str(project),
    }
