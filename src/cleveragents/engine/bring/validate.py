"""Validate: the commands that must pass in the sandbox before its result may be applied.

They are no steps: whatever they leave in the sandbox is taken away again.
"""

import time
from collections.abc import Sequence

from cleveragents.checkpoints.stored import safeguard_of
from cleveragents.engine.back.workplaces import Workplaces
from cleveragents.engine.hold.stopping import StopRequests
from cleveragents.errors import Interrupted, Refused
from cleveragents.events import Reporter, StepOutput, Validated
from cleveragents.ids import SnapshotId
from cleveragents.operations.in_sandbox import Validate
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.handed import handed_by
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.records import as_dict, frozen
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.sandbox.workplace import SandboxWorkplace
from cleveragents.snapshots.tree.giving_up import to_the_end
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held
from cleveragents.tools.commands import CallRules, Commands, run_line
from cleveragents.tools.tool import told_end

TAIL_LINES = 10


@frozen
class Check:
    """How one command ended."""

    command: str
    exit_code: int
    seconds: float
    tail: str  # the last of what it printed
    output_path: str
    told: str  # how it ended, and why as far as that can be known


class Validations:
    """Runs the commands of plans as operations."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        workplaces: Workplaces,
        commands: Commands,
        stopping: StopRequests,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._workplaces = workplaces
        self._commands = commands
        self._stopping = stopping
        self._report = report

    def check(
        self, held: Held, plan: Plan, sandbox: Sandbox, result_ref: SnapshotId
    ) -> Sequence[Check]:
        """Runs every command; refuses if one fails, with the end of what it printed."""
        intent = Validate(snapshot=result_ref, keeps=(result_ref,))
        with self._database.writing(held) as connection:
            operation = OperationRepository(connection).open(plan.plan_id, intent)
        checks: list[Check] = []
        for command in plan.action.validate_:
            if not self._stopping.is_due(plan.plan_id):
                checks.append(self._run(plan, sandbox, operation, len(checks), command))
        stopped = self._stopping.is_due(plan.plan_id)
        with to_the_end():  # who stops it wants the traces of it gone
            self._workplace(held, plan).put_back(self._snapshot(plan, operation))
        self._close(held, operation, Status.ABORTED if stopped else Status.DONE, checks)
        if stopped:
            raise Interrupted(
                "stopped while validating; nothing was applied",
                hints=[f"try again: agents plan apply {plan.plan_id}"],
            )
        _refuse_failed(checks)
        return checks

    def finish(self, held: Held, operation: Operation[Validate]) -> str:
        """Ends what an interrupted validation left running and takes its traces away."""
        plan_id, mark = operation.plan_id, operation.operation_id
        self._sandboxes.end_left_behind(plan_id, mark, self._commands.outputs(plan_id))
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(plan_id)
            saved = safeguard_of(connection, operation.intent.ends.was)
        place = self._workplace(held, plan)
        place.bring_to(self._snapshot(plan, operation), saved)
        place.purge()
        self._close(held, operation, Status.ABORTED, ())
        return ""  # whoever applies runs it again

    def _run(
        self, plan: Plan, sandbox: Sandbox, operation: Operation[Validate], index: int, command: str
    ) -> Check:
        self._commands.heed(plan.plan_id, lambda: handed_by(plan.action))
        mark = operation.operation_id
        output = self._commands.outputs(plan.plan_id) / f"validate-{mark}-{index}.log"
        call = self._commands.call(
            plan.plan_id,
            sandbox.path,
            mark,
            output,
            must_stop=lambda: self._stopping.is_due(plan.plan_id),
            on_line=lambda text: self._report(StepOutput(plan.plan_id, text)),
            rules=CallRules(confine=tuple(filter(None, [plan.action.confine]))),
        )
        began = time.monotonic()
        ended = run_line(call, command)
        seconds = round(time.monotonic() - began, 3)
        told = self._commands.masking.text(command)
        self._report(Validated(plan.plan_id, told, ended.exit_code, seconds))
        return Check(told, ended.exit_code, seconds, ended.tail, str(output), told_end(call, ended))

    def _workplace(self, held: Held, plan: Plan) -> SandboxWorkplace:
        return self._workplaces.of(held, plan.project_id, Kind.VALIDATE.noun)

    def _snapshot(self, plan: Plan, operation: Operation[Validate]) -> Snapshot:
        return self._sandboxes.archive(plan.project_id).load(operation.intent.snapshot)

    def _close(
        self, held: Held, operation: Operation[Validate], status: Status, checks: Sequence[Check]
    ) -> None:
        outcome = {"checks": [as_dict(check) for check in checks]}
        with self._database.writing(held) as connection:
            OperationRepository(connection).close(operation.operation_id, status, outcome)


def _refuse_failed(checks: Sequence[Check]) -> None:
    failed = [check for check in checks if check.exit_code != 0]
    if not failed:
        return
    detail: list[str] = []
    for check in failed:
        detail.append(f"{check.command}: {check.told}")
        detail += [f"  {line}" for line in check.tail.splitlines()[-TAIL_LINES:]]
    raise Refused(
        f"{len(failed)} of {len(checks)} validations failed; nothing was applied",
        detail=detail,
        hints=[f"the whole output: {failed[0].output_path}"],
    )
