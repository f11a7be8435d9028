"""Execute: runs the steps of a plan in its sandbox, with a checkpoint at every milestone."""

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TypeVar

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.hold.moves import PlanMoves
from cleveragents.engine.hold.stopping import CancelAsked
from cleveragents.engine.run.cancel import Cancellation
from cleveragents.engine.run.reload import Reload
from cleveragents.engine.run.resume import Course, Resumption, refuse_unsafe
from cleveragents.errors import CleverAgentsError, Failed, Interrupted, Refused, in_words
from cleveragents.events import Note, SandboxReady
from cleveragents.ids import PlanId
from cleveragents.plans.action_file import ACTION_CHANGED, reloading
from cleveragents.plans.lifecycle import COMPLETE, ERRORED, QUEUED, RUNNING
from cleveragents.plans.plan import Plan, PlanError
from cleveragents.plans.step import AnyStep
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.tree.giving_up import at_any_file
from cleveragents.storage.durability import sync_file_system
from cleveragents.storage.held import Held, Hold

S_contra = TypeVar("S_contra", bound=AnyStep, contravariant=True)


class StepKind(Protocol[S_contra]):
    """Knows how steps of one kind are run."""

    def run(self, held: Held, plan: Plan, step: S_contra, sandbox: Sandbox) -> bool: ...


AnyStepKind = StepKind[Any]  # each knows its own steps


class ExecutePhase:
    """Runs plans; `run` is the loop, `run_step` one step of it."""

    def __init__(
        self,
        moves: PlanMoves,
        sandboxes: Sandboxes,
        checkpoints: CheckpointActs,
        kinds: Mapping[type[AnyStep], AnyStepKind],
        resumption: Resumption,
        cancellation: Cancellation,
        hold: Hold,
    ) -> None:
        self._moves = moves
        self._sandboxes = sandboxes
        self._checkpoints = checkpoints
        self._kinds = kinds
        self._resumption = resumption
        self._cancellation = cancellation
        self._hold = hold

    def run(
        self,
        plan_id: PlanId,
        *,
        restore: bool = False,
        retry_unsafe: bool = False,
        reload: bool = False,
    ) -> Plan:
        """Runs the plan from its cursor; finished work is never run or wiped again.

        With `restore` (resume) its files are first put back to the latest checkpoint, whatever
        they are now; without, only those of a run that did not come to an end of its own. With
        `reload` the steps that are left are read again from the action file.
        """
        with self._hold(plan_id, "executing the plan") as held:
            plan = self._moves.plan(plan_id)
            if plan.stage == COMPLETE:
                _refuse_reload(plan, reload=reload)
                self._moves.tell(Note(plan_id, "the plan is complete already; nothing was run"))
                return plan
            plan = self.begin(held, plan, restore=restore, retry_unsafe=retry_unsafe, reload=reload)
            with self.in_order(held):
                self._run_steps(held, plan)
            self._checkpoints.tidy(held)
            return self._moves.plan(plan_id)

    def begin(
        self,
        held: Held,
        plan: Plan,
        *,
        restore: bool,
        retry_unsafe: bool,
        reload: bool = False,
    ) -> Plan:
        """Takes a plan to where its steps run, its files with it."""
        self._refuse(plan)
        self.refuse_conflicted(plan)
        # Made before this run; whoever made it and still waits makes it again.
        self._cancellation.stopping.withdraw(plan.plan_id)
        course = self._resumption.course(plan, restore=restore)
        if not retry_unsafe:
            refuse_unsafe(course)
        renewed = self._resumption.reloads.prepare(plan, course.start) if reload else None
        with self._stopping_at_files(held):
            running = self._start(held, course, renewed)
        with self.in_order(held):
            self._milestone(held, running, CheckpointType.PRE_EXECUTE, "before the plan runs")
        return running

    def refuse_conflicted(self, plan: Plan) -> None:
        """Refuses a plan with a step to come that has to wait until conflicts are resolved.

        A run that was interrupted is settled first: it stops at its next step.
        """
        if plan.step is not None and plan.stage != RUNNING:
            self._resumption.conflict_stop.refuse(plan)

    def run_step(self, held: Held, plan: Plan, sandbox: Sandbox) -> bool:
        """Runs the step at the cursor as its kind asks for; tells if it succeeded."""
        self._cancellation.stopping.check(plan.plan_id)
        step = plan.step
        if step is None:
            raise Refused("every step of the plan has run")
        return self._kinds[type(step)].run(held, plan, step, sandbox)

    def complete(self, held: Held, plan: Plan, sandbox: Sandbox) -> Plan:
        """Ends a plan whose steps have all run."""
        self._milestone(held, plan, CheckpointType.POST_EXECUTE, "after the last step")
        sync_file_system(sandbox.path)  # a complete plan's files are never looked at again
        return self._moves.move(held, COMPLETE)

    @contextmanager
    def in_order(self, held: Held) -> Generator[None]:
        """Leaves a plan that is stopped cancelled, errored, or to be resumed."""
        try:
            with self._stopping_at_files(held):
                yield
        except Interrupted:
            raise  # the plan stays where it is, to be resumed
        except CancelAsked:
            self._cancellation.carry_out(held)
        except (CleverAgentsError, OSError) as error:
            self._stop(held, error)
            raise _failed(error) from error

    def _stopping_at_files(self, held: Held) -> AbstractContextManager[None]:
        """While inside, a signal leaves the plan at the next file, to be resumed."""
        stopping = self._cancellation.stopping
        return at_any_file(lambda: stopping.check_interrupted(held.plan_id))

    def _start(self, held: Held, course: Course, renewed: Reload | None) -> Plan:
        """Makes or finds the sandbox and moves the plan to processing."""
        plan = course.plan
        if self._sandboxes.is_removed(plan.plan_id):
            self._checkpoints.restore_removed(held)
        self._resumption.take_up(held, course)
        if renewed is not None:
            self._resumption.reloads.carry_out(held, renewed)
        elif plan.is_action_changed:
            self._moves.tell(Note(plan.plan_id, f"{ACTION_CHANGED} {reloading(plan)}"))
        if self._sandboxes.find(plan.plan_id) is None:
            sandbox, filled = self._sandboxes.create(held, plan.project_id)
            self._moves.tell(
                SandboxReady(plan.plan_id, sandbox.strategy, str(sandbox.path), filled.files)
            )
            for note in sandbox.notes:
                self._moves.tell(Note(plan.plan_id, note))
        for told in self._sandboxes.mend_history(plan.plan_id, plan.project_id):
            self._moves.tell(Note(plan.plan_id, told))
        return self._moves.move(held, RUNNING)

    def _run_steps(self, held: Held, plan: Plan) -> None:
        sandbox = self._sandboxes.require(plan.plan_id)
        while plan.step is not None:
            if self._resumption.conflict_stop.waited_for(plan.plan_id):
                self._moves.move(held, QUEUED)
                return
            if not self.run_step(held, plan, sandbox):
                return
            plan = self._moves.plan(plan.plan_id)
        self.complete(held, plan, sandbox)

    def _refuse(self, plan: Plan) -> None:
        """Refuses a subplan that cannot run by itself."""
        if plan.superseded_by is not None:
            raise Refused(
                "the subplan was taken back with its parent",
                hints=[f"run the parent: agents plan execute {plan.parent_plan_id}"],
            )
        if plan.parent_plan_id is not None and not self._sandboxes.is_reserved(plan.plan_id):
            raise Refused(
                "the subplan was skipped and has no files to start from",
                hints=[f"run the parent: agents plan execute {plan.parent_plan_id}"],
            )

    def _milestone(self, held: Held, plan: Plan, kind: CheckpointType, reason: str) -> None:
        """Makes a checkpoint that no setting turns off while rollback is enabled."""
        if plan.keeps_checkpoints:
            self._checkpoints.make(held, CheckpointRequest(kind, reason))

    def _stop(self, held: Held, error: CleverAgentsError | OSError) -> None:
        """Records that the plan could not go on; the files stay as they are."""
        self._moves.move(
            held,
            ERRORED,
            error=PlanError(in_words(error), files="as they were when the plan stopped"),
        )


def _refuse_reload(plan: Plan, *, reload: bool) -> None:
    """Refuses to read again what would be left, where nothing is."""
    if reload:
        raise Refused(
            "every step of the plan has run: none is left to be reloaded",
            hints=[f"go back first: agents plan rollback {plan.plan_id} CHECKPOINT"],
        )


def _failed(error: CleverAgentsError | OSError) -> Failed | OSError:
    """A run that could not go on has failed, whatever stopped it."""
    if isinstance(error, Failed | OSError):
        return error
    return Failed(f"the plan stopped: {error}", detail=error.detail, hints=error.hints)
