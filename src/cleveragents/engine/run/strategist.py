"""The strategist: an external command that makes the steps of a plan."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from cleveragents.engine.hold.stopping import Stopping
from cleveragents.engine.run.asking import Asking
from cleveragents.errors import Failed
from cleveragents.plans.action import Action, with_steps
from cleveragents.sandbox.process import StepEnvironment
from cleveragents.tools.tool import Call

SECONDS = 1800.0  # how long it may take


class StrategistAnswer(BaseModel):
    """What a strategist answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: tuple[JsonValue, ...]


class Strategist:
    """Asks the strategist of an action, in the project, with the environment of a step."""

    def __init__(self, environment: StepEnvironment, output_dir: Path, stopping: Stopping) -> None:
        self._environment = environment
        self._output_dir = output_dir
        self._stopping = stopping

    def complete(
        self, action: Action, plan_id: str, project: Path, guidance: Sequence[str]
    ) -> Action:
        """Returns the action with the steps it answered; without usable ones it has failed."""
        home = self._output_dir / plan_id
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        asking = Asking(str(action.strategist), StrategistAnswer, lambda _: None)
        call = Call(
            project,
            self._environment.seen((), {}, plan_id),
            plan_id,
            home / "strategist.log",
            SECONDS,
            lambda _line: None,
            lambda: self._stopping.is_due(plan_id),
        )
        outcome = asking.put(call, _question(action, project, guidance))
        if not outcome.ok:
            raise Failed(
                f"the strategist failed: {outcome.summary}", detail=outcome.tail.splitlines()[-10:]
            )
        return with_steps(action, asking.answer.steps)


def _question(action: Action, project: Path, guidance: Sequence[str]) -> Mapping[str, object]:
    """What a strategist is asked; docs/reference/choosers.md has its schema."""
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
