"""Recovery: whoever comes to change a plan first finishes what a crash left open."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from cleveragents.engine.hold.found import keep_found
from cleveragents.engine.hold.stopping import NOTHING_CHANGED, StopRequests
from cleveragents.engine.hold.stuck import refuse_stuck
from cleveragents.errors import Busy, Damaged, Gone, Interrupted, Unsettled
from cleveragents.events import Note, Reporter
from cleveragents.ids import PlanId
from cleveragents.operations.act import Acts, TakenBack
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.lifecycle import RUNNING
from cleveragents.plans.plan import PlanRepository
from cleveragents.plans.step_run import STARTED, StepRunRepository
from cleveragents.plans.undo_run import UndoRunRepository, UndoStatus
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.tree.giving_up import at_any_file
from cleveragents.storage.database import Database
from cleveragents.storage.fault import is_the_machines, told
from cleveragents.storage.held import Held
from cleveragents.storage.lock import Locks

# Ways out for who meets a chat that another process owns.
WITH_CHATS = (
    "or end that process if it hangs: what it began is finished by your next agents undo or redo",
)


class Ownership:
    """Takes the lock of a plan, then recovers it; a plan already owned is recovered already."""

    def __init__(
        self,
        database: Database,
        locks: Locks,
        sandboxes: Sandboxes,
        acts: Acts,
        stopping: StopRequests,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._locks = locks
        self._acts = acts
        self._stopping = stopping
        self._report = report
        self._held: dict[str, Held] = {}  # by plan, each of the thread that has its lock

    @contextmanager
    def hold(self, plan_id: PlanId, doing: str, *, files: bool = True) -> Generator[Held]:
        """While inside, this thread is the only one that changes the plan.

        Whoever leaves its `files` alone may do so beside an operation that is stuck.
        """
        with ExitStack() as stack:
            with self._with_ways_out(plan_id):
                taken_now = stack.enter_context(self._locks.own(plan_id, doing))
            if not taken_now:
                yield self._held[plan_id]
                return
            held = self._held[plan_id] = Held(plan_id, self.hold)
            try:
                with at_any_file(self._stopping.check_file):
                    self._make_ready(held, files=files)
                    yield held
            except Interrupted as error:
                self._tell_of_begun(held, error)
                raise
            finally:
                held.end()
                del self._held[plan_id]
                self._sandboxes.wait_for_purging()  # who holds it next finds nobody at work

    @contextmanager
    def _with_ways_out(self, plan_id: PlanId) -> Generator[None]:
        """Tells whoever meets an owner what else there is but to wait."""
        try:
            yield
        except Busy as busy:
            with self._database.reading() as connection:
                is_chat = PlanRepository(connection).get(plan_id).is_chat
            ways = WITH_CHATS if is_chat else ways_out(plan_id)
            raise Busy(busy.message, detail=busy.detail, hints=[*busy.hints, *ways]) from busy

    @contextmanager
    def note(self, plan_id: PlanId, doing: str, patience: float = 0.0) -> Generator[Held]:
        """Holds a chat to write down what happens; what a crash left open stays open.

        A hook must neither wait for that nor change files by it: the user does, by their next act.
        """
        with self._locks.own(plan_id, doing, patience):
            held = Held(plan_id, self.hold)
            try:
                yield held
            finally:
                held.end()

    def _tell_of_begun(self, held: Held, error: Interrupted) -> None:
        """Tells who interrupted an act that it has begun: then the next command finishes it."""
        ways = error.hints or [f"see where it stands: agents plan status {held.plan_id}"]
        with self._database.reading() as connection:
            unfinished = OperationRepository(connection).unfinished(held.plan_id)
        for operation in unfinished:
            if operation.holds_files and not operation.is_stuck:
                finishes = "the next command that changes the plan finishes"
                told = f"interrupted; {finishes} the {operation.kind.noun}"
                raise Interrupted(told, hints=ways) from error
        if held.has_changed and error.message == NOTHING_CHANGED:
            raise Interrupted(
                "interrupted; what was done before that stands", hints=ways
            ) from error

    def _make_ready(self, held: Held, *, files: bool) -> None:
        plan_id = held.plan_id
        self._sandboxes.refuse_elsewhere(plan_id)
        self._recover(held, files=files)
        if files:
            self._sandboxes.ready_to_change(plan_id)
            self._refuse_stuck(plan_id)
            keep_found(self._database, self._sandboxes, plan_id)

    def take_over(self, plan_id: PlanId) -> None:
        """Ends the process that owns the plan, stopped or stuck as it may be."""
        ended = self._locks.end_owner(plan_id)
        text = "nobody owned the plan" if ended is None else f"ended: {ended}"
        self._report(Note(plan_id, text))

    def owner_state(self, plan_id: PlanId) -> str | None:
        """Returns the state of the process that owns the plan, as the kernel writes it."""
        return self._locks.owner_state(plan_id)

    def _recover(self, held: Held, *, files: bool) -> None:
        """Ends what a dead run left running, then finishes open operations in their order.

        It may itself be killed: everything here can be done again.
        """
        plan_id = held.plan_id
        with self._database.reading() as connection:
            unfinished = OperationRepository(connection).unfinished(plan_id)
            runs = StepRunRepository(connection).unfinished(plan_id)
            children = ChildRepository(connection).counting(plan_id)
            undos = [
                run
                for operation in unfinished
                for one in (plan_id, *operation.intent.takes_along.plans)
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
                self._recover_child(held, child.plan_id)
        waiting = [operation for operation in unfinished if not operation.is_stuck]
        if any(operation.holds_files for operation in waiting):
            self._sandboxes.ready_to_change(plan_id)
        for operation in waiting:
            self._finish_or_wait(held, operation, files=files)

    def _finish_or_wait(self, held: Held, operation: AnyOperation, *, files: bool) -> None:
        """Carries an operation out; who leaves the files alone need not wait for a directory."""
        try:
            self._finish(held, operation)
        except (Gone, Unsettled) as error:
            if files:
                raise
            waits = f"the interrupted {operation.kind.noun} waits until that is mended"
            told = "; ".join([error.message, *error.detail, waits])
            self._report(Note(operation.plan_id, told))

    def _finish(self, held: Held, operation: AnyOperation) -> None:
        """Carries an operation out; what can never be carried out must not hold up the others."""
        if operation.unreadable:
            return self._set_aside(held, operation, Damaged(operation.unreadable))
        act = self._acts(operation.kind)  # out here: not to be able to make one says nothing of it
        try:
            told = act.finish(held, operation)
        except TakenBack as error:
            named = f"an interrupted {operation.kind.noun}"
            told = f"{named} could not be finished and was taken back: {error}"
        except Exception as error:
            if is_the_machines(error):
                raise
            return self._set_aside(held, operation, error)
        if told:
            self._report(Note(operation.plan_id, told))
        return None

    def _set_aside(self, held: Held, operation: AnyOperation, error: Exception) -> None:
        why = told(error)
        with self._database.writing(held) as connection:
            OperationRepository(connection).set_stuck(operation.operation_id, why)
        named = f"an interrupted {operation.kind.noun} could not be finished"
        self._report(Note(operation.plan_id, f"{named}; it is set aside: {why['reason']}"))

    def _refuse_stuck(self, plan_id: PlanId) -> None:
        with self._database.reading() as connection:
            refuse_stuck(connection, plan_id)

    def _end_left_behind(self, plan_id: PlanId, mark: str, output: str) -> None:
        """Ends what a dead run left running, or it goes on writing; names who else is there."""
        others = self._sandboxes.end_left_behind(plan_id, mark, Path(output).parent)
        if others:
            text = f"still at work in the sandbox, and not ended: {', '.join(others)}"
            self._report(Note(plan_id, text))

    def _recover_child(self, held: Held, plan_id: PlanId) -> None:
        """Does the same for a child that died with its parent, unless somebody else runs it."""
        with suppress(Busy), held.with_(plan_id, "recovering the subplan", files=False):
            pass


def ways_out(plan_id: PlanId) -> list[str]:
    """Ways out for who meets a plan that another process owns."""
    return [
        f"watch it: agents plan watch {plan_id}",
        f"or stop the run: agents plan cancel {plan_id}",
        f"or end its process if it hangs, and resume: agents plan resume {plan_id} --take-over",
    ]
