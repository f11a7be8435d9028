"""A tool step: a tool call between its checkpoints, tried again as often as the step says."""

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType, Trigger
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.run.attempt import Attempt, StepAttempts
from cleveragents.engine.run.borders import StepBorders
from cleveragents.plans.cursor import following
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step import ToolStep
from cleveragents.records import replace
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.storage.connection import Connection
from cleveragents.storage.held import Held
from cleveragents.tools.declaration import Declaration
from cleveragents.tools.registry import ToolRegistry


class ToolSteps:
    """Runs the steps that call a tool."""

    def __init__(
        self,
        reads: CheckpointReads,
        checkpoints: CheckpointActs,
        attempts: StepAttempts,
        borders: StepBorders,
    ) -> None:
        self._reads = reads
        self._checkpoints = checkpoints
        self._attempts = attempts
        self._borders = borders

    def run(self, held: Held, plan: Plan, step: ToolStep, sandbox: Sandbox) -> bool:
        """Runs a step with its checkpoints and retries; tells if it succeeded."""
        tool = ToolRegistry(plan.action.tools).find(step.tool)
        before = self._checkpoint_before(held, plan, step, tool.declaration)
        started_from = before.checkpoint_id if before else None

        def move_on(connection: Connection) -> None:
            reached = following(plan.action.steps, plan.cursor)
            PlanRepository(connection).set_cursor(plan.plan_id, reached)

        first = Attempt(
            step, tool, step.with_, move_on, left=step.retries, started_from=started_from
        )
        outcome = self._attempts.make(held, plan, sandbox, first)
        for number in range(2, step.retries + 2):
            if outcome.ok:
                break
            if before is not None:
                self._checkpoints.restore_files(held, before)
            again = replace(first, number=number, left=step.retries + 1 - number)
            outcome = self._attempts.make(held, plan, sandbox, again)
        if outcome.ok:
            self._checkpoint_after(held, plan, step, tool.declaration)
        else:
            self._borders.give_up(held, plan, outcome, before, tool=step.tool)
        return outcome.ok

    def _checkpoint_before(
        self, held: Held, plan: Plan, step: ToolStep, declared: Declaration
    ) -> Checkpoint | None:
        """Makes what is due before a call; returns the latest state to come back to.

        If one cannot be made, its error leaves here and the tool does not run.
        """
        saved = self._borders.enter(held, plan, step)
        if not plan.keeps_checkpoints:
            return None
        title = step.title
        # What is saved before the step is saved before its tool: nothing has run in between.
        if saved is None and not declared.read_only:
            saved = self._checkpoints.make_due(
                held,
                Trigger.BEFORE_TOOL_EXECUTE,
                f"before {declared.name} in step {title}",
                source_tool=declared.name,
            )
        if saved is None and step.retries:
            reason = f"retries of step {title} start from it"
            retried = CheckpointRequest(CheckpointType.STEP, reason, even_if_unchanged=False)
            saved = self._checkpoints.make(held, retried)
        return saved or self._reads.latest_checkpoint(plan.plan_id)

    def _checkpoint_after(
        self, held: Held, plan: Plan, step: ToolStep, declared: Declaration
    ) -> None:
        if plan.keeps_checkpoints and not declared.read_only:
            self._checkpoints.make_due(
                held,
                Trigger.AFTER_TOOL_EXECUTE,
                f"after {declared.name} in step {step.title}",
                source_tool=declared.name,
            )
