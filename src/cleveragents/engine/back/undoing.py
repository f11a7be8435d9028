"""Undo: what a tool declares to compensate a call, run when a rollback takes the call back.

Undo calls stand outside the all-or-nothing of files and rows. They run once the intent of a
rollback is recorded and before a file changes, the newest call first. Each is recorded as started
before it runs; one that had started when its process died is not run again unless its tool is
idempotent. A call that was undone stays undone: taking the rollback back does not make it again,
and no later rollback undoes it twice.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cleveragents.checkpoints.undo import UndoDue
from cleveragents.events import CallUndone, Reporter
from cleveragents.ids import OperationId
from cleveragents.plans.handed import handed_by
from cleveragents.plans.plan import Plan
from cleveragents.plans.step_run import StepRun
from cleveragents.plans.undo_run import UndoRun, UndoRunRepository, UndoStatus
from cleveragents.sandbox.survivors import end_left_behind
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held
from cleveragents.tools.commands import Commands, rules_of
from cleveragents.tools.compensation import compensate
from cleveragents.tools.function import result_path
from cleveragents.tools.tool import Call

if TYPE_CHECKING:
    from cleveragents.plans.step import ToolStep
    from cleveragents.tools.declaration import Declaration

NOT_TWICE = "it had started when its process died, and is not run twice"


class UndoCalls:
    """Undoes the calls that a rollback takes back."""

    def __init__(self, database: Database, commands: Commands, report: Reporter) -> None:
        self._database = database
        self._commands = commands
        self._report = report

    def carry_out(
        self,
        held: Held,
        operation_id: OperationId,
        plan: Plan,
        due: Sequence[UndoDue],
        sandbox: Path,
    ) -> None:
        """Undoes calls one by one; one that fails is reported and stops nothing else."""
        for call in due:
            with self._database.reading() as connection:
                earlier = UndoRunRepository(connection).latest(plan.plan_id)
            before = earlier.get(call.run.step_run_id)
            if before is not None and self._is_settled(held, before, operation_id, call.declared):
                continue
            self._undo(held, operation_id, plan, call, sandbox)

    def give_up(self, held: Held, operation_id: OperationId) -> None:
        """Ends and settles what a dead process left running, for a rollback that is taken back."""
        with self._database.reading() as connection:
            runs = UndoRunRepository(connection).of_operation(held.plan_id, operation_id)
        for run in runs:
            if run.status is UndoStatus.STARTED:
                self._settle(held, run)

    def _is_settled(
        self, held: Held, before: UndoRun, operation_id: OperationId, declared: "Declaration"
    ) -> bool:
        """Whether an undo that was tried must not be tried now."""
        if before.status is UndoStatus.STARTED and declared.idempotent:
            end_left_behind(before.undo_run_id, Path(before.output_path).parent)
            return False
        if before.status is UndoStatus.STARTED:
            self._settle(held, before)
        return before.operation_id == operation_id

    def _settle(self, held: Held, run: UndoRun) -> None:
        end_left_behind(run.undo_run_id, Path(run.output_path).parent)
        self._finish(held, run, UndoStatus.UNKNOWN, NOT_TWICE)

    def _undo(
        self, held: Held, operation_id: OperationId, plan: Plan, call: UndoDue, sandbox: Path
    ) -> None:
        self._commands.heed(plan.plan_id, lambda: handed_by(plan.action))
        output_dir = self._commands.outputs(plan.plan_id)
        with self._database.writing(held) as connection:
            started = UndoRunRepository(connection).start(
                plan.plan_id, operation_id, call.run.step_run_id, output_dir
            )
        outcome = compensate(
            str(call.declared.undo),
            self._call(plan, call, sandbox, started),
            _told_to_undo(call.step, call.run),
        )
        status = UndoStatus.SUCCEEDED if outcome.ok else UndoStatus.FAILED
        last = outcome.tail.strip().rpartition("\n")[2]
        summary = f"{outcome.summary}: {last}" if last and not outcome.ok else outcome.summary
        self._finish(held, started, status, summary, outcome.tail)

    def _finish(
        self, held: Held, run: UndoRun, status: UndoStatus, summary: str, tail: str = ""
    ) -> None:
        with self._database.writing(held) as connection:
            ended = UndoRunRepository(connection).end(run.undo_run_id, status, summary, tail)
        self._report(CallUndone(ended.plan_id, ended.worked, ended.told))

    def _call(self, plan: Plan, due: UndoDue, sandbox: Path, run: UndoRun) -> Call:
        return self._commands.call(
            plan.plan_id,
            sandbox,
            run.undo_run_id,
            Path(run.output_path),
            must_stop=lambda: False,  # a rollback comes to its end
            rules=rules_of(due.step, due.declared, plan.action.confine),
        )


def _output(path: Path) -> object:
    """The output of a call; of a Python tool, its return value."""
    returned = result_path(path)
    if returned.exists():
        return json.loads(returned.read_text())
    return path.read_text(errors="replace") if path.exists() else ""


def _told_to_undo(step: "ToolStep", run: StepRun) -> bytes:
    """The standard input of an undo command."""
    return json.dumps(
        {
            "tool": run.tool,
            "step": run.name,
            "status": run.status,
            "exit_code": run.exit_code,
            "input": step.with_,
            "output": _output(Path(run.output_path)),
        }
    ).encode()
