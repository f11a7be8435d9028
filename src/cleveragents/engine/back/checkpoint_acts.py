"""Acts on checkpoints, by whoever holds the plan: saving the present, going back, tidying up."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.file_change import described
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.retention import Verdict
from cleveragents.checkpoints.rollback import RollbackResult
from cleveragents.checkpoints.saving import CheckpointPolicy, CheckpointRequest
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.checkpoints.stored import document_of, verified
from cleveragents.checkpoints.triggers import TYPE_OF, CheckpointType, Trigger
from cleveragents.engine.back.pruning import Prunes
from cleveragents.engine.back.removal import unheld
from cleveragents.engine.back.restating import restated
from cleveragents.engine.back.rollback import Rollbacks
from cleveragents.engine.back.saving import SafetyCheckpoint, Saves
from cleveragents.engine.back.workplaces import Workplaces
from cleveragents.errors import Refused
from cleveragents.ids import PlanId
from cleveragents.operations.in_sandbox import Ending, GoBack
from cleveragents.operations.intent import NO_RETRACE, Companions, Retrace
from cleveragents.operations.operation import Operation
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.plans.plan import Plan, refuse_applied
from cleveragents.records import frozen, replace
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.picking import is_excluded
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.way import Changes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held

if TYPE_CHECKING:
    from cleveragents.plans.action import Action


class CheckpointActs:
    """Acts on checkpoints in the course of greater things; each step is handed on.

    `CheckpointService` is the same for who holds nothing yet.
    """

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        reads: CheckpointReads,
        workplaces: Workplaces,
        saving: Saves,
        rollbacks: Rollbacks,
        pruning: Prunes,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._reads = reads
        self._workplaces = workplaces
        self._saving = saving
        self._rollbacks = rollbacks
        self._pruning = pruning

    @property
    def policy(self) -> CheckpointPolicy:
        """The policy in force."""
        return self._saving.policy

    def make(
        self, held: Held, wanted: CheckpointRequest, *, going: Changes | None = None
    ) -> Checkpoint:
        """Saves the present state, durably, and returns its checkpoint.

        If nothing changed since the latest checkpoint, an automatic one is that one. `going` is
        what will be replaced or removed next: a safety checkpoint is read back there, else whole.
        """
        if wanted.kind is CheckpointType.SAFETY:
            return self._saving.save_safety(held, wanted, prune=True, going=going).checkpoint
        return self._saving.save(held, wanted)

    def make_due(
        self, held: Held, trigger: Trigger, reason: str, *, source_tool: str | None = None
    ) -> Checkpoint | None:
        """Makes the checkpoint of a milestone if the settings ask for it."""
        if trigger not in self.policy.triggers:
            return None
        wanted = CheckpointRequest(
            TYPE_OF[trigger], reason, trigger, source_tool=source_tool, even_if_unchanged=False
        )
        return self.make(held, wanted)

    def save_safety(
        self,
        held: Held,
        reason: str,
        target: Checkpoint | None = None,
        *,
        going: Changes | None = None,
    ) -> SafetyCheckpoint:
        """Saves what is there before something goes back.

        It leaves out what the target left out, no more: that alone stays as it is. What differs
        from the target, or what is going as far as that is told, is read back; else all of it.
        """
        if target is not None:
            going = self._going(held.plan_id, target)
        wanted = _before_going(reason, target)
        return self._saving.save_safety(held, wanted, prune=False, going=going)

    def save_before(self, held: Held, plan: Plan, reason: str, going: Changes) -> Checkpoint | None:
        """Saves what an act is about to replace; None: the plan makes no checkpoints.

        It leaves nothing out if the act replaces what checkpoints leave out.
        """
        if not plan.keeps_checkpoints:
            return None
        wanted = _before_going(reason, None)
        if any(is_excluded(self.policy.filter, change.path) for change in going[MAIN]):
            wanted = replace(wanted, filter=Filter())
        return self.make(held, wanted, going=going)

    def save_children(
        self, held: Held, plan: Plan, document: PlanDocument, stack: ExitStack
    ) -> Companions:
        """Holds the children that go with a rollback, and saves what they have."""
        going = self._reads.rollbacks.going(plan, document)
        saved: list[PlanId] = []
        for child in going:
            child_held = stack.enter_context(held.with_(child.plan_id, "cancelling the subplan"))
            if self._is_saved(child_held, child):
                saved.append(child.plan_id)
        return Companions(tuple(child.plan_id for child in going), tuple(saved))

    def roll_back(
        self,
        held: Held,
        checkpoint: Checkpoint,
        *,
        ending: Ending | None = None,
        rebuild: bool = False,
        shown_digest: str | None = None,
        retraces: Retrace = NO_RETRACE,
    ) -> RollbackResult:
        """Takes everything after the checkpoint back, as one act; see `rollback`.

        With a digest, only if it is still what was shown.
        """
        even_if_same = bool(ending or rebuild)
        goal = _Goal(checkpoint, ending or Ending(QUEUED), even_if_same, retraces)
        plan_id = held.plan_id
        with ExitStack() as stack:
            plan = self._reads.plan(plan_id)
            refuse_applied(plan)
            if shown_digest is not None:
                reads = self._reads
                look = reads.preview_rebuild if rebuild else reads.preview_rollback
                again = f"agents plan rollback {plan_id} {checkpoint.seq}"
                refuse_other(shown_digest, look(plan_id, checkpoint).digest, again)
            if rebuild and not self._sandboxes.is_there(plan_id):
                return self._rebuild(held, plan, goal, stack)
            return self._roll_back(held, plan, goal, stack)

    def restore_files(self, held: Held, checkpoint: Checkpoint) -> None:
        """Puts only the files back, for another attempt at the step that is under way."""
        project_id = self._reads.plan(held.plan_id).project_id
        state = self._sandboxes.archive(project_id).load(checkpoint.sandbox_ref)
        self._workplaces.of(held, project_id, "attempt").put_back(state)

    def restore_removed(self, held: Held) -> None:
        """Makes the files of a sandbox that was removed again, as they were when it went."""
        latest = self._reads.latest_checkpoint(held.plan_id)
        if latest is None:
            raise Refused(
                "the files of the plan were removed, and it has no checkpoint to make them from",
                hints=["start anew: agents plan use ACTION"],
            )
        project_id = self._reads.plan(held.plan_id).project_id
        self._workplaces.of(held, project_id, "run").refill(latest.sandbox_ref)

    def restate(
        self, checkpoint: Checkpoint, document: PlanDocument, action: "Action", reason: str
    ) -> Checkpoint:
        """Keeps the files of the newest checkpoint under another action; its row is to be added.

        It leaves out what that one does.
        """
        project_id = self._reads.plan(checkpoint.plan_id).project_id
        archive = self._sandboxes.archive(project_id)
        seq = checkpoint.seq + 1
        made = restated(archive, checkpoint, document, seq=seq, reason=reason, action=action)
        return replace(made, metadata={**checkpoint.metadata, **made.metadata})

    def forget(self, held: Held, doomed: Sequence[Checkpoint]) -> None:
        """Deletes checkpoints that somebody chose; their content is freed afterwards."""
        self._pruning.forget(held, doomed)

    def prune(self, held: Held) -> list[Verdict]:
        """Applies the limit; returns what became of each checkpoint and why."""
        return self._pruning.prune(held)

    def afterwards(self, plan_id: PlanId, doing: str) -> AbstractContextManager[None]:
        """Lets nothing that fails in here undo the truth of what was done before."""
        return self._pruning.afterwards(plan_id, doing)

    def tidy(self, held: Held) -> None:
        """Does what is better done at the end of a command: frees space, remembers the files.

        What fails here is told as a note: nothing that was done depends on it.
        """
        self.free_space(held.plan_id)
        with self.afterwards(held.plan_id, "remembering the files"):
            self.remember(held)

    def free_space(self, plan_id: PlanId) -> None:
        """Frees what forgotten checkpoints of a plan held; other plans may be at work meanwhile."""
        with self.afterwards(plan_id, "freeing space"):
            self._pruning.free(plan_id)
            self._sandboxes.archive(self._reads.plan(plan_id).project_id).join()

    def remember(self, held: Held) -> None:
        """Keeps what is known of the files for the next process."""
        sandbox = self._sandboxes.find(held.plan_id)
        if sandbox is not None:
            project_id = self._reads.plan(held.plan_id).project_id
            self._sandboxes.archive(project_id).remember(sandbox.roots)

    def _going(self, plan_id: PlanId, target: Checkpoint) -> Changes:
        """The paths that a rollback to a checkpoint would replace or remove."""
        archive = self._sandboxes.archive(self._reads.plan(plan_id).project_id)
        roots = self._sandboxes.require(plan_id).roots
        return archive.changes_from_now(verified(archive, target), roots)

    def _is_saved(self, held: Held, child: Plan) -> bool:
        """Saves the files of a child; tells whether all of them is stored, so that they may go.

        Files that are gone already are: they are made again for its undo calls alone.
        """
        if not self._sandboxes.is_there(child.plan_id):
            return self._sandboxes.find(child.plan_id) is not None
        if not child.keeps_checkpoints:
            return False
        self.save_safety(held, "before its parent was rolled back")
        return not unheld(self._database, self._sandboxes, self.policy.filter, child)

    def _roll_back(self, held: Held, plan: Plan, goal: "_Goal", stack: ExitStack) -> RollbackResult:
        """Looks once for all that follows: what has to change, and what the safety saves."""
        archive = self._sandboxes.archive(plan.project_id)
        stack.enter_context(archive.reading_once())
        wanted = _before_going(f"before the rollback to {goal.target.name}", goal.target)
        with self._saving.taking(held, wanted) as taken:
            with self._reads.naming_nearest_good(plan, goal.target):
                snapshot = verified(archive, goal.target)
                way = taken.way_to(snapshot)
            document = document_of(snapshot)
            same = taken.document.to_record() == document.to_record()
            if same and not (described(way.changes) or goal.even_if_same):
                return self._nothing_to_do(plan, goal.target)
            # Before there is an intent to finish: that it fits, and that it does beside the safety.
            archive.refuse_full(way, taken.sandbox.roots, taken.sandbox.staging)
            safety = taken.secure(way.changes)
            archive.refuse_full(way, taken.sandbox.roots, taken.sandbox.staging)
            operation = self._open(held, plan, goal, document, safety, stack)
        self._saving.tell(taken)
        return self._rollbacks.carry_out(held, operation, way)

    def _rebuild(self, held: Held, plan: Plan, goal: "_Goal", stack: ExitStack) -> RollbackResult:
        """Goes back with a sandbox that was lost; its last known state is what was there before.

        It is made again when the intent is recorded: nobody must take it as empty.
        """
        self._reads.refuse_damaged(plan, goal.target)
        document = self._reads.document(plan.plan_id, goal.target)
        latest = self._reads.list_checkpoints(plan.plan_id)[-1]
        safety = SafetyCheckpoint(latest, is_recorded=True)  # its files are gone
        operation = self._open(held, plan, goal, document, safety, stack)
        return self._rollbacks.carry_out(held, operation)

    def _open(
        self,
        held: Held,
        plan: Plan,
        goal: "_Goal",
        document: PlanDocument,
        safety: SafetyCheckpoint,
        stack: ExitStack,
    ) -> Operation[GoBack]:
        going = self.save_children(held, plan, document, stack)
        return self._rollbacks.open(held, goal.target, safety, goal.ending, going, goal.retraces)

    def _nothing_to_do(self, plan: Plan, checkpoint: Checkpoint) -> RollbackResult:
        remaining = len(self._reads.current_line(plan.plan_id))
        return RollbackResult(plan, checkpoint, None, (), (), 0, 0, 0, remaining)


@frozen
class _Goal:
    """Where a rollback is to go."""

    target: Checkpoint
    ending: Ending
    even_if_same: bool
    retraces: Retrace


def _before_going(reason: str, target: Checkpoint | None) -> CheckpointRequest:
    filter_ = None if target is None else target.filter
    return CheckpointRequest(CheckpointType.SAFETY, reason, even_if_unchanged=False, filter=filter_)
