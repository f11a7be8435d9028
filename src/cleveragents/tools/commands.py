"""The one way in which plans run commands: steps, undo calls, choosers, strategists, validations.

What a command sees, where it prints to and by which mark it is found again is settled here and
nowhere else.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cleveragents.confinement.confinement import Confinement
from cleveragents.ids import PlanId
from cleveragents.masking import Handed, Masking, secret_values
from cleveragents.records import field, frozen
from cleveragents.sandbox.process import ProcessEnd, StepEnvironment
from cleveragents.tools.tool import SHELL, Call, run_to_end

if TYPE_CHECKING:
    from cleveragents.tools.declaration import Declaration


@frozen
class CallRules:
    """The settings of a call, from its step and its tool."""

    pass_env: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout: float | None = None
    confine: Sequence[str] = ()  # levels that are asked for; the strictest counts
    network: bool = False


NO_RULES = CallRules()


class CalledStep(Protocol):
    """A step, as far as it says how its tool is called."""

    @property
    def pass_env(self) -> Sequence[str]: ...
    @property
    def env(self) -> Mapping[str, str]: ...
    @property
    def timeout(self) -> float | None: ...
    @property
    def confine(self) -> str | None: ...


def rules_of(step: CalledStep, declared: "Declaration", confine: str | None = None) -> CallRules:
    """Puts what a step says together with what its tool declares and its action asks for."""
    passed = (*declared.pass_env, *step.pass_env)
    asked = tuple(one for one in (confine, step.confine) if one is not None)
    timeout = step.timeout or declared.timeout
    return CallRules(passed, step.env, timeout, asked, declared.network)


def _to_nobody(line: str) -> None:
    """Keeps output in its file alone."""
    del line


class Commands:
    """Prepares and runs the commands of plans."""

    def __init__(
        self,
        environment: StepEnvironment,
        output_dir: Path,
        masking: Masking,
        confinement: Confinement,
    ) -> None:
        self.masking = masking
        self.confinement = confinement
        self._environment = environment
        self._output_dir = output_dir
        self._heeded: set[PlanId] = set()

    def outputs(self, plan_id: PlanId) -> Path:
        """Where what the commands of a plan print is kept; made if it is not there."""
        found = self._output_dir / plan_id
        found.mkdir(parents=True, exist_ok=True, mode=0o700)
        return found

    def heed(self, plan_id: PlanId, handed: Callable[[], Handed]) -> None:
        """Masks what any step of a plan is handed, whichever step prints it."""
        if plan_id not in self._heeded:
            self._heeded.add(plan_id)
            found = handed()
            self.masking.learn([*self._environment.handed(found.variables), *found.values])

    def call(
        self,
        plan_id: PlanId,
        directory: Path,
        mark: str,
        output: Path,
        *,
        must_stop: Callable[[], bool],
        on_line: Callable[[str], None] = _to_nobody,
        rules: CallRules = NO_RULES,
    ) -> Call:
        """Prepares a call that works in a directory; all it starts bears the mark."""
        self.masking.learn([*self._environment.handed(rules.pass_env), *secret_values(rules.env)])
        return Call(
            directory,
            self._environment.seen(rules.pass_env, rules.env, mark),
            mark,
            output,
            rules.timeout,
            on_line,
            must_stop,
            self.masking,
            self.confinement.cell(plan_id, directory, rules.confine, network=rules.network),
            self.confinement.rooms,
        )


def run_line(call: Call, line: str) -> ProcessEnd:
    """Runs a line as the shell reads it."""
    return run_to_end(call, SHELL, "-c", line)
