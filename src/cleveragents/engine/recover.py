"""Recovery: whoever comes to change a plan first finishes what a crash left open."""

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cleveragents.checkpoints.operations import Kind, Operation, OperationRepository
from cleveragents.checkpoints.pruning import Pruning
from cleveragents.checkpoints.rollback import RollbackResult, Rollbacks, TakenBack
from cleveragents.engine.application import Applications
from cleveragents.engine.correction_operation import CorrectionOperations
from cleveragents.engine.meanwhile import Meanwhile
from cleveragents.engine.merge import Merges
from cleveragents.engine.refresh import Refreshes
from cleveragents.engine.resolution import Resolutions
from cleveragents.engine.restore import Restores
from cleveragents.engine.stuck import refuse_stuck
from cleveragents.engine.validate import Validations
from cleveragents.errors import Busy, Damaged
from cleveragents.events import Note, Reporter
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.lifecycle import RUNNING
from cleveragents.plans.step_run import STARTED, StepRunRepository
from cleveragents.plans.undo_run import UndoRunRepository, UndoStatus
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.database import Database
from cleveragents.storage.fault import is_the_machines, told
from cleveragents.storage.lock import Locks

NAMES = {Kind.ROLLBACK: "rollback", Kind.CORRECT: "correction", Kind.REVERT: "reversion"}


@dataclass(frozen=True)
class Finishers:
    """Whatever opens operations, and so knows how to finish them."""

    rollbacks: Rollbacks
    corrections: CorrectionOperations
    pruning: Pruning
    refreshes: Refreshes
    restores: Restores
    resolutions: Resolutions
    merges: Merges
    validations: Validations
    applications: Applications


class Ownership:
    """Takes the lock of a plan, then recovers it; a plan already owned is recovered already."""

    def __init__(
        self,
        database: Database,
        locks: Locks,
        sandboxes: Sandboxes,
        finishers: Finishers,
        meanwhile: Meanwhile,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._meanwhile = meanwhile
        self._locks = locks
        self._finishers = finishers
        self._report = report

    @contextmanager
    def own(self, plan_id: str, doing: str, *, files: bool = True) -> Generator[None]:
        """While inside, this process is the only one that changes the plan.

        Whoever leaves its `files` alone may do so beside an operation that is stuck.
        """
        with ExitStack() as held:
            with _with_ways_out(plan_id):
                taken_now = held.enter_context(self._locks.own(plan_id, doing))
            if taken_now:
                self._recover(plan_id)
                if files:
                    self._refuse_stuck(plan_id)
            try:
                yield
            finally:
                if taken_now:  # whoever owns it next finds nobody at work in its sandbox
                    self._sandboxes.settle()

    def take_over(self, plan_id: str) -> None:
        """Ends the process that owns the plan, stopped or stuck as it may be."""
        ended = self._locks.end_owner(plan_id)
        text = "nobody owned the plan" if ended is None else f"ended: {ended}"
        self._report(Note(plan_id, text))

    def owner_state(self, plan_id: str) -> str | None:
        """Returns the state of the process that owns the plan, as the kernel writes it."""
        return self._locks.owner_state(plan_id)

    def _recover(self, plan_id: str) -> None:
        """Ends what a dead run left running, then finishes open operations in their order.

        It may itself be killed: everything here can be done again.
        """
        by = self._finishers
        finish: Mapping[Kind, Callable[[Operation], None]] = {
            Kind.ROLLBACK: lambda operation: self._go_back(operation, by.rollbacks.carry_out),
            Kind.REVERT: lambda operation: self._go_back(operation, by.rollbacks.carry_out),
            Kind.CORRECT: lambda operation: self._go_back(operation, by.corrections.carry_out),
            Kind.PRUNE: by.pruning.carry_out,
            Kind.REFRESH: by.refreshes.carry_out,
            Kind.RESTORE: self._finish_restore,
            Kind.RESOLVE: self._finish_resolution,
            Kind.MERGE: self._finish_merge,
            Kind.VALIDATE: by.validations.carry_out,
            Kind.APPLY: by.applications.finish,
            Kind.UNAPPLY: by.applications.finish,
        }
        with self._database.unit_of_work() as connection:
            unfinished = OperationRepository(connection).unfinished(plan_id)
            runs = StepRunRepository(connection).unfinished(plan_id)
            children = ChildRepository(connection).counting(plan_id)
            undos = [
                run
                for operation in unfinished
                for one in (plan_id, *operation.intent.get("children", ()))
                for run in UndoRunRepository(connection).of_operation(one, operation.operation_id)
            ]
        for run in runs:
            if run.status == STARTED:
                self._end_left_behind(plan_id, run.step_run_id, run.output_path)
        for undo in undos:
            if undo.status is UndoStatus.STARTED:
                self._end_left_behind(undo.plan_id, undo.undo_run_id, undo.output_path)
        for child in children:
            if child.stage == RUNNING:
                self._recover_child(child.plan_id)
        for operation in unfinished:
            if not operation.is_stuck:
                self._finish(operation, finish)

    def _finish(
        self, operation: Operation, finish: Mapping[Kind, Callable[[Operation], None]]
    ) -> None:
        """Carries an operation out; what can never be carried out must not hold up the others."""
        if operation.unreadable:
            return self._set_aside(operation, Damaged(operation.unreadable))
        try:
            self._keep_edits(operation)
            return finish[operation.kind](operation)
        except Exception as error:
            if is_the_machines(error):
                raise
            return self._set_aside(operation, error)

    def _keep_edits(self, operation: Operation) -> None:
        saved = self._meanwhile.keep(operation)
        if saved is not None:
            goes_on = f"an interrupted {operation.kind} goes on"
            text = f"{saved.name} holds what was there before {goes_on}"
            self._report(Note(operation.plan_id, text))

    def _set_aside(self, operation: Operation, error: Exception) -> None:
        why = told(error)
        with self._database.unit_of_work() as connection:
            stuck = OperationRepository(connection).set_stuck(operation.operation_id, why)
        ending = "it is set aside" if stuck else "it was taken back"
        named = f"an interrupted {operation.kind} could not be finished"
        self._report(Note(operation.plan_id, f"{named}; {ending}: {why['reason']}"))

    def _refuse_stuck(self, plan_id: str) -> None:
        with self._database.reading() as connection:
            refuse_stuck(connection, plan_id)

    def _end_left_behind(self, plan_id: str, mark: str, output: str) -> None:
        """Ends what a dead run left running, or it goes on writing; names who else is there."""
        others = self._sandboxes.end_left_behind(plan_id, mark, Path(output).parent)
        if others:
            text = f"still at work in the sandbox, and not ended: {', '.join(others)}"
            self._report(Note(plan_id, text))

    def _recover_child(self, plan_id: str) -> None:
        """Does the same for a child that died with its parent, unless somebody else runs it."""
        with suppress(Busy), self.own(plan_id, "recovering the subplan", files=False):
            pass

    def _finish_merge(self, operation: Operation) -> None:
        self._finishers.merges.carry_out(operation)
        self._report(Note(operation.plan_id, "an interrupted merge of a subplan was finished"))

    def _finish_resolution(self, operation: Operation) -> None:
        self._finishers.resolutions.carry_out(operation)
        text = f"the interrupted resolve of {operation.intent['path']} was finished"
        self._report(Note(operation.plan_id, text))

    def _finish_restore(self, operation: Operation) -> None:
        try:
            source = self._finishers.restores.carry_out(operation).source
        except TakenBack as error:
            text = f"an interrupted restore could not be finished and was taken back: {error}"
        else:
            text = f"an interrupted restore from {source.name} was finished"
        self._report(Note(operation.plan_id, text))

    def _go_back(
        self, operation: Operation, carry_out: Callable[[Operation], RollbackResult]
    ) -> None:
        named = f"an interrupted {NAMES[operation.kind]}"
        try:
            with ExitStack() as owned:
                for child_id in operation.intent.get("settled", ()):
                    doing = "cancelling the subplan"
                    owned.enter_context(self.own(child_id, doing, files=False))
                result = carry_out(operation)
        except TakenBack as error:
            text = f"{named} could not be finished and was taken back: {error}"
        else:
            text = f"{named} to {result.target.name} was finished"
        self._report(Note(operation.plan_id, text))


@contextmanager
def _with_ways_out(plan_id: str) -> Generator[None]:
    """Tells whoever meets an owner what else there is but to wait."""
    try:
        yield
    except Busy as busy:
        ways = [
            f"or stop the run: agents plan cancel {plan_id}",
            f"or end its process if it hangs, and go on: agents plan resume {plan_id} --take-over",
        ]
        raise Busy(busy.message, detail=busy.detail, hints=[*busy.hints, *ways]) from busy
