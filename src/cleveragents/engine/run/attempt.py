"""One attempt at one step: recorded as started, run, and recorded with its effect."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from cleveragents.engine.hold.stopping import StopRequests
from cleveragents.events import Reporter, StepFailed, StepFinished, StepOutput, StepStarted
from cleveragents.ids import CheckpointId
from cleveragents.plans.cursor import title_at
from cleveragents.plans.handed import handed_by
from cleveragents.plans.plan import Plan
from cleveragents.plans.step import RunningStep
from cleveragents.plans.step_run import StepRun, StepRunRepository
from cleveragents.records import frozen
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.durability import sync_directory, sync_file, sync_file_system
from cleveragents.storage.held import Held
from cleveragents.tools.commands import CallRules, Commands, rules_of
from cleveragents.tools.function import result_path
from cleveragents.tools.tool import AnyTool, Call, Outcome, perform


@frozen
class Attempt:
    """The attempt at the step at the cursor."""

    step: RunningStep
    tool: AnyTool
    given: Mapping[str, object]
    on_success: Callable[[Connection], None]  # what success means, recorded together with it
    number: int = 1
    left: int = 0  # how many more may follow
    started_from: CheckpointId | None = None  # the checkpoint it starts from


class StepAttempts:
    """Makes attempts at steps; what they print is kept in the output directory."""

    def __init__(
        self,
        database: Database,
        commands: Commands,
        stopping: StopRequests,
        report: Reporter,
    ) -> None:
        self._database = database
        self._commands = commands
        self._stopping = stopping
        self._report = report

    def make(self, held: Held, plan: Plan, sandbox: Sandbox, attempt: Attempt) -> Outcome:
        """Tries the step at the cursor once."""
        self._commands.heed(plan.plan_id, lambda: handed_by(plan.action))
        rules = rules_of(attempt.step, attempt.tool.declaration, plan.action.confine)
        run = self._start(held, plan, attempt, rules)
        began = time.monotonic()
        call = self._call(plan, sandbox, run, rules)
        outcome = perform(attempt.tool, call, attempt.given)
        if not outcome.ok:
            self._stopping.check(plan.plan_id)  # it did not fail, it was stopped
        if attempt.tool.declaration.undo is not None:
            _keep_output(Path(run.output_path))  # its undo is told what it was
        if attempt.tool.declaration.is_unsafe_to_repeat:
            sync_file_system(sandbox.path)  # what it left must last as long as that it succeeded
        self._finish(held, run, outcome, attempt)
        seconds = time.monotonic() - began
        about = (plan.plan_id, plan.step_index, run.name, seconds, outcome.summary)
        self._report(StepFinished(*about) if outcome.ok else StepFailed(*about, attempt.left))
        return outcome

    def _start(self, held: Held, plan: Plan, attempt: Attempt, rules: CallRules) -> StepRun:
        title = title_at(plan.action.steps, plan.cursor)
        tool = attempt.tool.declaration.name
        confined = self._commands.confinement.confined(rules.confine)
        with self._database.writing(held) as connection:
            run = StepRunRepository(connection).start(
                plan,
                name=title,
                tool=tool,
                attempt=attempt.number,
                checkpoint_id=attempt.started_from,
                output_dir=self._commands.outputs(plan.plan_id),
                confined=confined,
            )
        total = len(plan.action.steps)
        self._report(StepStarted(plan.plan_id, plan.step_index, total, title, tool, attempt.number))
        return run

    def _finish(self, held: Held, run: StepRun, outcome: Outcome, attempt: Attempt) -> None:
        """Records the result and the progress it means in one transaction."""
        with self._database.writing(held) as connection:
            StepRunRepository(connection).end(
                run.step_run_id,
                ok=outcome.ok,
                summary=outcome.summary,
                exit_code=outcome.exit_code,
                tail=outcome.tail,
            )
            if outcome.ok:
                attempt.on_success(connection)

    def _call(self, plan: Plan, sandbox: Sandbox, run: StepRun, rules: CallRules) -> Call:
        return self._commands.call(
            plan.plan_id,
            sandbox.path,
            run.step_run_id,
            Path(run.output_path),
            must_stop=lambda: self._stopping.is_due(plan.plan_id),
            on_line=lambda text: self._report(StepOutput(plan.plan_id, text)),
            rules=rules,
        )


def _keep_output(path: Path) -> None:
    """Makes what a call printed and returned durable."""
    for file in filter(Path.exists, (path, result_path(path))):
        sync_file(file)
    sync_directory(path.parent)
