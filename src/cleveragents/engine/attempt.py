"""One attempt at one step: recorded as started, run, and recorded with its effect."""

import time
from pathlib import Path

from cleveragents.events import Reporter, StepFailed, StepFinished, StepOutput, StepStarted
from cleveragents.plans.cursor import following, title_at
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step import ToolStep
from cleveragents.plans.step_run import StepRun, StepRunRepository
from cleveragents.sandbox.process import StepEnvironment
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.snapshots.durability import sync_directory, sync_file, sync_file_system
from cleveragents.storage.database import Database
from cleveragents.tools.function import result_path
from cleveragents.tools.registry import ToolRegistry
from cleveragents.tools.tool import AnyTool, Call, Outcome, perform


class StepAttempts:
    """Makes attempts at steps; what they print is kept in the output directory."""

    def __init__(
        self,
        database: Database,
        environment: StepEnvironment,
        output_dir: Path,
        report: Reporter,
    ) -> None:
        self._database = database
        self._environment = environment
        self._output_dir = output_dir
        self._report = report

    def make(
        self,
        plan: Plan,
        step: ToolStep,
        sandbox: Sandbox,
        *,
        number: int,
        started_from: str | None,
    ) -> Outcome:
        """Tries the step at the cursor once; `started_from` is the checkpoint it starts from."""
        tool = ToolRegistry(plan.action.tools).find(step.tool)
        run = self._start(plan, step, number, started_from)
        began = time.monotonic()
        outcome = perform(tool, self._call(plan, step, tool, sandbox, run), step.with_)
        if tool.declaration.undo is not None:
            _keep_output(Path(run.output_path))  # its undo is told what it was
        if tool.declaration.is_unsafe_to_repeat:
            sync_file_system(sandbox.path)  # what it left must last as long as that it succeeded
        self._finish(plan, run, outcome)
        seconds = time.monotonic() - began
        left = step.retries + 1 - number
        self._report(
            StepFinished(plan.plan_id, plan.step_index, run.name, seconds, outcome.summary)
            if outcome.ok
            else StepFailed(plan.plan_id, plan.step_index, run.name, seconds, outcome.summary, left)
        )
        return outcome

    def _start(self, plan: Plan, step: ToolStep, number: int, started_from: str | None) -> StepRun:
        title = title_at(plan.action.steps, plan.cursor)
        self._outputs(plan).mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._database.unit_of_work() as connection:
            run = StepRunRepository(connection).start(
                plan.plan_id,
                plan.cursor,
                name=title,
                tool=step.tool,
                attempt=number,
                checkpoint_id=started_from,
                output_dir=self._outputs(plan),
            )
        total = len(plan.action.steps)
        self._report(StepStarted(plan.plan_id, plan.step_index, total, title, step.tool, number))
        return run

    def _finish(self, plan: Plan, run: StepRun, outcome: Outcome) -> None:
        """Records the result and the progress it means in one transaction."""
        with self._database.unit_of_work() as connection:
            StepRunRepository(connection).finish(
                run.step_run_id,
                ok=outcome.ok,
                summary=outcome.summary,
                exit_code=outcome.exit_code,
                tail=outcome.tail,
            )
            if outcome.ok:
                reached = following(plan.action.steps, plan.cursor)
                PlanRepository(connection).set_cursor(plan.plan_id, reached)

    def _call(
        self, plan: Plan, step: ToolStep, tool: AnyTool, sandbox: Sandbox, run: StepRun
    ) -> Call:
        def on_start(pid: int, started: str) -> None:
            with self._database.unit_of_work() as connection:
                StepRunRepository(connection).set_process(run.step_run_id, pid, started)

        passed = (*tool.declaration.pass_env, *step.pass_env)
        return Call(
            sandbox.path,
            self._environment.seen(passed, step.env, run.step_run_id),
            run.step_run_id,
            Path(run.output_path),
            step.timeout or tool.declaration.timeout,
            on_start,
            lambda text: self._report(StepOutput(plan.plan_id, text)),
        )

    def _outputs(self, plan: Plan) -> Path:
        return self._output_dir / plan.plan_id


def _keep_output(path: Path) -> None:
    """Makes what a call printed and returned durable."""
    for file in filter(Path.exists, (path, result_path(path))):
        sync_file(file)
    sync_directory(path.parent)
