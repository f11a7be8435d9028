"""Which calls a rollback takes back with what their tools declare, and which nothing can undo."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from cleveragents.errors import CleverAgentsError
from cleveragents.plans.cursor import step_at
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.plan import Plan
from cleveragents.plans.ran import ActionsOfRuns
from cleveragents.plans.step_run import StepRun, StepRunRepository
from cleveragents.plans.undo_run import UndoRun, UndoRunRepository, UndoStatus
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection
from cleveragents.tools.own import OWN

if TYPE_CHECKING:
    from cleveragents.plans.step import ToolStep
    from cleveragents.tools.declaration import Declaration


@frozen
class UndoDue:
    """A call that a rollback has to undo."""

    run: StepRun
    step: "ToolStep"
    declared: "Declaration"


@frozen
class CallLeft:
    """A call whose effects outside the sandbox a rollback leaves as they are."""

    step: str
    tool: str
    effects: str

    @property
    def told(self) -> str:
        """The effect that stays, in one line."""
        return f"step {self.step}: {self.tool} cannot be undone: {self.effects}"


@frozen
class CallsAfter:
    """The calls after a checkpoint, for a rollback to it."""

    due: tuple[UndoDue, ...]  # the newest first
    left: tuple[CallLeft, ...]


def calls_after(connection: Connection, plan: Plan, document: PlanDocument) -> CallsAfter:
    """Tells which calls have to be undone to make a document the present, and which cannot."""
    runs = StepRunRepository(connection).not_in(plan.plan_id, document.counting)
    undone = UndoRunRepository(connection).latest(plan.plan_id)
    waiting = [
        (run, undone.get(run.step_run_id))
        for run in reversed(runs)
        if run.tool not in OWN  # nothing of theirs is outside the sandbox
        and (run.step_run_id not in undone or not undone[run.step_run_id].worked)
    ]
    return _sorted_out(ActionsOfRuns(connection, plan), waiting) if waiting else CallsAfter((), ())


def _sorted_out(
    actions: ActionsOfRuns, runs: Sequence[tuple[StepRun, UndoRun | None]]
) -> CallsAfter:
    # Late: what reads actions is slow to import, and most rollbacks take no such call back.
    from cleveragents.tools.registry import ToolRegistry  # noqa: PLC0415

    due: list[UndoDue] = []
    left: list[CallLeft] = []
    for run, before in runs:
        # A step of another kind calls none but our own: what asks for a decision is a command.
        action = actions.of(run)
        step = cast("ToolStep", step_at(action.steps, run.cursor))
        try:
            declared = ToolRegistry(action.tools).find(run.tool).declaration
        except CleverAgentsError as error:  # it was removed since, so nobody knows what it did
            left.append(CallLeft(run.name, run.tool, error.message))
            continue
        if before is not None and before.status is UndoStatus.UNKNOWN and not declared.idempotent:
            left.append(CallLeft(run.name, run.tool, before.summary))
        elif declared.undo is not None:
            due.append(UndoDue(run, step, declared))
        elif declared.side_effects:
            left.append(CallLeft(run.name, run.tool, ", ".join(declared.side_effects)))
    return CallsAfter(tuple(due), tuple(left))
