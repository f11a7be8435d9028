"""The checkpoint service: makes checkpoints, lists them, goes back to them and forgets them."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cleveragents.checkpoints.besides import Besides, Touched
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.file_change import FileChange, described
from cleveragents.checkpoints.pruning import Pruning, open_targets
from cleveragents.checkpoints.removal import unheld
from cleveragents.checkpoints.retention import Verdict
from cleveragents.checkpoints.rollback import (
    Recorded,
    RollbackResult,
    Rollbacks,
    Safety,
)
from cleveragents.checkpoints.saving import CheckpointPolicy, Saving, Wanted
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.checkpoints.stored import document_of, verified
from cleveragents.checkpoints.triggers import TYPE_OF, CheckpointType, Trigger
from cleveragents.checkpoints.verification import Verification, Verified
from cleveragents.errors import Damaged, Refused
from cleveragents.operations.in_sandbox import Ending, GoBack
from cleveragents.operations.intent import Going
from cleveragents.operations.operation import Operation
from cleveragents.plans.document import PlanDocument, current_document
from cleveragents.plans.lifecycle import APPLIED, QUEUED
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.way import Changes
from cleveragents.storage.database import Database


class Own(Protocol):
    """Takes a plan for one act; `files`: whether that may change them, so that none is half-way."""

    def __call__(
        self, plan_id: str, doing: str, *, files: bool = True
    ) -> AbstractContextManager[None]: ...


@dataclass(frozen=True, kw_only=True)
class GoingBack(Touched):
    """What a rollback would touch."""

    target: Checkpoint

    @property
    def aim(self) -> str:
        """Where it leads."""
        return self.target.checkpoint_id


class CheckpointService:
    """Everything about the checkpoints of plans; each method that changes a plan owns it first."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        saving: Saving,
        rollbacks: Rollbacks,
        pruning: Pruning,
        policy: CheckpointPolicy,
        own: Own,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._saving = saving
        self._rollbacks = rollbacks
        self._pruning = pruning
        self._policy = policy
        self._own = own

    @property
    def policy(self) -> CheckpointPolicy:
        """The policy in force."""
        return self._policy

    def create_checkpoint(
        self, plan_id: str, wanted: Wanted, *, going: Changes | None = None
    ) -> Checkpoint:
        """Saves the present state, durably, and returns its checkpoint.

        If nothing changed since the latest checkpoint, an automatic one is that one. `going` is
        what will be replaced or removed next: a safety checkpoint is read back there, else whole.
        """
        with self._own(plan_id, "saving a checkpoint", files=False):
            return self._saving.save(plan_id, wanted, prune=True, going=going)

    def mark_done(self, plan_id: str, reason: str) -> None:
        """Saves the state that an act has led to; the act is done even if that fails."""
        wanted = Wanted(CheckpointType.MANUAL, reason, even_if_unchanged=False)
        with self._pruning.afterwards(plan_id, "the checkpoint after it"):
            self.create_checkpoint(plan_id, wanted)

    def auto_create_if_configured(
        self, plan_id: str, trigger: Trigger, reason: str, *, source_tool: str | None = None
    ) -> Checkpoint | None:
        """Makes the checkpoint of a milestone if the settings ask for it."""
        if trigger not in self._policy.triggers:
            return None
        wanted = Wanted(
            TYPE_OF[trigger], reason, trigger, source_tool=source_tool, even_if_unchanged=False
        )
        return self.create_checkpoint(plan_id, wanted)

    def list_checkpoints(self, plan_id: str) -> Sequence[Checkpoint]:
        """Returns the checkpoints of a plan, the oldest first."""
        with self._database.reading() as connection:
            return CheckpointRepository(connection).of_plan(plan_id)

    def latest_checkpoint(self, plan_id: str) -> Checkpoint | None:
        """Returns the newest checkpoint of a plan."""
        with self._database.reading() as connection:
            return CheckpointRepository(connection).latest(plan_id)

    def get_checkpoint(self, plan_id: str, text: str) -> Checkpoint:
        """Finds a checkpoint by number, id, prefix or `@`."""
        with self._database.reading() as connection:
            return CheckpointRepository(connection).resolve(plan_id, text)

    def current_line(self, plan_id: str) -> set[str]:
        """Returns the ids of the checkpoints that no rollback left behind."""
        with self._database.reading() as connection:
            return CheckpointRepository(connection).lineage(plan_id)

    def document(self, plan_id: str, checkpoint: Checkpoint) -> PlanDocument:
        """Returns what of the plan counted at a checkpoint."""
        plan = self._plan(plan_id)
        try:
            return self._rollbacks.document(plan, checkpoint)
        except Damaged as error:
            raise self._with_nearest_good(plan, checkpoint, error) from error

    def is_present(self, plan_id: str, checkpoint: Checkpoint) -> bool:
        """Tells whether files and plan are just as they were at a checkpoint."""
        plan = self._plan(plan_id)
        return self._is_document_of(plan, checkpoint) and not self._verified_changes(
            plan, checkpoint
        )

    def preview_rollback(self, plan_id: str, checkpoint: Checkpoint) -> GoingBack:
        """Tells all that a rollback would touch; owns nothing, stores and changes nothing."""
        plan = self._plan(plan_id)
        refuse_applied(plan)
        with self._naming_nearest_good(plan, checkpoint):
            return GoingBack(
                target=checkpoint,
                changes=self._rollbacks.preview(plan, checkpoint),
                besides=self._besides(plan, checkpoint),
            )

    def preview_rebuild(self, plan_id: str, checkpoint: Checkpoint) -> GoingBack:
        """Tells what going back touches besides the files, which are all made again."""
        plan = self._plan(plan_id)
        with self._naming_nearest_good(plan, checkpoint):
            besides = self._besides(plan, checkpoint)
            return GoingBack(target=checkpoint, changes={MAIN: []}, besides=besides)

    def _besides(self, plan: Plan, checkpoint: Checkpoint) -> Besides:
        document = self._rollbacks.document(plan, checkpoint)
        return self._rollbacks.besides(plan, checkpoint, document)

    def rollback_to_checkpoint(
        self,
        plan_id: str,
        checkpoint: Checkpoint,
        *,
        ending: Ending | None = None,
        rebuild: bool = False,
        shown_digest: str | None = None,
    ) -> RollbackResult:
        """Takes everything after the checkpoint back, as one act; see `rollback`.

        With a digest, only if it is still what was shown.
        """
        goal = _Goal(checkpoint, ending or Ending(QUEUED), even_if_same=bool(ending or rebuild))
        with self._own(plan_id, f"rolling back to {checkpoint.name}"), ExitStack() as owned:
            plan = self._plan(plan_id)
            refuse_applied(plan)
            if shown_digest is not None:
                look = self.preview_rebuild if rebuild else self.preview_rollback
                again = f"agents plan rollback {plan_id} {checkpoint.seq}"
                refuse_other(shown_digest, look(plan_id, checkpoint).digest, again)
            if rebuild and not self._sandboxes.is_there(plan_id):
                return self._rebuild(plan, goal, owned)
            return self._roll_back(plan, goal, owned)

    def extract_checkpoint(
        self, plan_id: str, checkpoint: Checkpoint, target: Path
    ) -> Sequence[str]:
        """Writes what is intact of a checkpoint to a new directory; returns what is damaged."""
        archive = self._sandboxes.archive(self._plan(plan_id).project_id)
        return archive.extract(archive.load(checkpoint.sandbox_ref), target)

    def restore_files(self, plan_id: str, checkpoint: Checkpoint) -> None:
        """Puts only the files back, for another attempt at the step that is under way."""
        sandbox = self._sandboxes.require(plan_id)
        archive = self._sandboxes.archive(self._plan(plan_id).project_id)
        archive.restore(archive.load(checkpoint.sandbox_ref), sandbox.roots, sandbox.staging)

    def verify_checkpoints(self, rows: Sequence[Checkpoint]) -> Iterator[Verified]:
        """Reads checkpoints back, one after the other; what they share is read once."""
        runs: dict[str, Verification] = {}
        for row in rows:
            project_id = self._plan(row.plan_id).project_id
            if project_id not in runs:
                runs[project_id] = Verification(self._sandboxes.archive(project_id))
            yield runs[project_id].of(row)

    def restore_removed(self, plan_id: str) -> None:
        """Makes the files of a sandbox that was removed again, as they were when it went."""
        latest = self.latest_checkpoint(plan_id)
        if latest is None:
            raise Refused(
                "the files of the plan were removed, and it has no checkpoint to make them from",
                hints=["start anew: agents plan use ACTION"],
            )
        self._sandboxes.refill(plan_id, self._plan(plan_id).project_id, latest.sandbox_ref)

    def retention(self, plan_id: str) -> list[Verdict]:
        """Tells of each checkpoint whether it would be kept now, and why; changes nothing."""
        return self._pruning.verdicts(plan_id)

    def pin_checkpoint(self, plan_id: str, checkpoint: Checkpoint, *, pinned: bool) -> Checkpoint:
        """Makes retention leave a checkpoint alone, or lets it have it again."""
        with (
            self._own(plan_id, f"{'' if pinned else 'un'}pinning {checkpoint.name}", files=False),
            self._database.unit_of_work() as connection,
        ):
            return CheckpointRepository(connection).set_pinned(checkpoint, pinned=pinned)

    def refuse_delete(self, plan_id: str, checkpoint: Checkpoint) -> None:
        """Refuses the newest checkpoint and what an unfinished operation needs."""
        with self._database.reading() as connection:
            newest = CheckpointRepository(connection).latest(plan_id)
            needed = open_targets(connection, plan_id)
        if newest is not None and checkpoint.checkpoint_id == newest.checkpoint_id:
            raise Refused(
                f"{checkpoint.name} is the newest checkpoint; it always stays",
                hints=["a newer one makes it deletable: agents plan checkpoint create"],
            )
        if checkpoint.checkpoint_id in needed:
            raise Refused(
                f"{checkpoint.name} stays: an unfinished operation needs it",
                hints=["see: agents plan status @"],
            )

    def delete_checkpoint(self, plan_id: str, checkpoint: Checkpoint) -> None:
        """Forgets a checkpoint; the newest one and what an open operation needs are refused."""
        with self._own(plan_id, f"deleting {checkpoint.name}", files=False):
            self.refuse_delete(plan_id, checkpoint)
            self._pruning.forget(plan_id, [checkpoint])

    def prune_checkpoints(self, plan_id: str) -> list[Verdict]:
        """Applies the retention policy; returns what became of each checkpoint and why."""
        with self._own(plan_id, "pruning checkpoints", files=False):
            return self._pruning.prune(plan_id)

    def finish(self, plan_id: str) -> None:
        """Does what is better done at the end of a command: frees space, remembers the files.

        What fails here is told as a note: nothing that was done depends on it.
        """
        archive = self._sandboxes.archive(self._plan(plan_id).project_id)
        with self._pruning.afterwards(plan_id, "freeing space"):
            self._pruning.free(plan_id)
            archive.join()
        with self._pruning.afterwards(plan_id, "remembering the files"):
            sandbox = self._sandboxes.find(plan_id)
            if sandbox is not None:
                archive.remember(sandbox.roots)

    def _plan(self, plan_id: str) -> Plan:
        with self._database.reading() as connection:
            return PlanRepository(connection).get(plan_id)

    def save_safety(
        self,
        plan_id: str,
        reason: str,
        target: Checkpoint | None = None,
        *,
        going: Changes | None = None,
    ) -> Checkpoint:
        """Saves what is there before something goes back; the caller owns the plan.

        It leaves out what the target left out, no more: that alone stays as it is. What differs
        from the target, or what is going as far as that is told, is read back; else all of it.
        """
        if target is not None:
            going = self._going(plan_id, target)
        wanted = _before_going(reason, target)
        return self._saving.save(plan_id, wanted, prune=False, going=going)

    def save_before(self, plan: Plan, reason: str, going: Changes) -> Checkpoint | None:
        """Saves what an act is about to replace; None: the plan makes no checkpoints."""
        if not plan.action.rollback.enabled:
            return None
        return self.create_checkpoint(plan.plan_id, _before_going(reason, None), going=going)

    def _going(self, plan_id: str, target: Checkpoint) -> Changes:
        """What a rollback to a checkpoint would replace or remove."""
        archive = self._sandboxes.archive(self._plan(plan_id).project_id)
        roots = self._sandboxes.require(plan_id).roots
        return archive.changes_from_now(verified(archive, target), roots)

    def save_children(self, plan: Plan, document: PlanDocument, owned: ExitStack) -> Going:
        """Owns the children that go with a rollback, and saves what they have."""
        going = self._rollbacks.going(plan, document)
        saved: list[str] = []
        for child in going:
            owned.enter_context(self._own(child.plan_id, "cancelling the subplan"))
            if self._is_saved(child):
                saved.append(child.plan_id)
        return Going(tuple(child.plan_id for child in going), tuple(saved))

    def _is_saved(self, child: Plan) -> bool:
        """Saves the files of a child; tells whether all of them is stored, so that they may go.

        Files that are gone already are: they are made again for its undo calls alone.
        """
        if not self._sandboxes.is_there(child.plan_id):
            return self._sandboxes.find(child.plan_id) is not None
        if not child.action.rollback.enabled:
            return False
        self.save_safety(child.plan_id, "before its parent was rolled back")
        return not unheld(self._database, self._sandboxes, self._policy.filter, child)

    def _roll_back(self, plan: Plan, goal: "_Goal", owned: ExitStack) -> RollbackResult:
        """Looks once for all that follows: what has to change, and what the safety saves."""
        archive = self._sandboxes.archive(plan.project_id)
        wanted = _before_going(f"before the rollback to {goal.target.name}", goal.target)
        with self._saving.taking(plan.plan_id, wanted) as taken:
            with self._naming_nearest_good(plan, goal.target):
                snapshot = verified(archive, goal.target)
                way = archive.way_to(snapshot, taken.sandbox.roots, full=False)
            document = document_of(snapshot)
            same = taken.document.to_record() == document.to_record()
            if same and not (described(way.changes) or goal.even_if_same):
                return self._nothing_to_do(plan, goal.target)
            # Before there is an intent to finish: that it fits, and that it does beside the safety.
            archive.refuse_full(way, taken.sandbox.roots, taken.sandbox.staging)
            taken.secure(way.changes)
            archive.refuse_full(way, taken.sandbox.roots, taken.sandbox.staging)
            operation = self._open(plan, goal, document, taken, owned)
        self._saving.tell(taken)
        return self._rollbacks.carry_out(operation, way)

    def _rebuild(self, plan: Plan, goal: "_Goal", owned: ExitStack) -> RollbackResult:
        """Goes back with a sandbox that was lost; its last known state is what was there before.

        It is made again when the intent is recorded: nobody must take it as empty.
        """
        self._refuse_damaged(plan, goal.target)
        document = self._rollbacks.document(plan, goal.target)
        safety = Recorded(self._newest(plan.plan_id))
        return self._rollbacks.carry_out(self._open(plan, goal, document, safety, owned))

    def _open(
        self, plan: Plan, goal: "_Goal", document: PlanDocument, safety: Safety, owned: ExitStack
    ) -> Operation[GoBack]:
        going = self.save_children(plan, document, owned)
        return self._rollbacks.open(plan, goal.target, safety, goal.ending, going)

    def _newest(self, plan_id: str) -> Checkpoint:
        """The last state that is known of a sandbox that was lost."""
        return self.list_checkpoints(plan_id)[-1]

    def _verified_changes(self, plan: Plan, checkpoint: Checkpoint) -> tuple[FileChange, ...]:
        with self._naming_nearest_good(plan, checkpoint):
            return described(self._rollbacks.preview(plan, checkpoint))

    def _refuse_damaged(self, plan: Plan, checkpoint: Checkpoint) -> None:
        with self._naming_nearest_good(plan, checkpoint):
            archive = self._sandboxes.archive(plan.project_id)
            archive.refuse_damaged(verified(archive, checkpoint))

    @contextmanager
    def _naming_nearest_good(self, plan: Plan, target: Checkpoint) -> Generator[None]:
        try:
            yield
        except Damaged as error:
            raise self._with_nearest_good(plan, target, error) from error

    def _is_document_of(self, plan: Plan, checkpoint: Checkpoint) -> bool:
        """Whether what counts of the plan at present is what the checkpoint says."""
        with self._database.reading() as connection:
            present = current_document(connection, plan)
        return present.to_record() == self._rollbacks.document(plan, checkpoint).to_record()

    def _nothing_to_do(self, plan: Plan, checkpoint: Checkpoint) -> RollbackResult:
        remaining = len(self.current_line(plan.plan_id))
        return RollbackResult(plan, checkpoint, None, (), (), 0, 0, 0, remaining)

    def _with_nearest_good(self, plan: Plan, target: Checkpoint, error: Damaged) -> Damaged:
        """Adds to the refusal which checkpoint could be gone to instead."""
        rows = [row for row in self.list_checkpoints(plan.plan_id) if row.seq != target.seq]
        rows.sort(key=lambda row: abs(row.seq - target.seq))
        read_back = self.verify_checkpoints(rows)
        good = next((found.checkpoint for found in read_back if found.is_intact), None)
        again = f"agents plan rollback {plan.plan_id}"
        hints = [f"extract what is left: {again} {target.seq} --to DIR"]
        if good is not None:
            hints.insert(0, f"nearest intact checkpoint: {again} {good.seq}")
        return Damaged(error.message, detail=error.detail, hints=hints)


@dataclass(frozen=True)
class _Goal:
    """Where a rollback is to go."""

    target: Checkpoint
    ending: Ending
    even_if_same: bool


def _before_going(reason: str, target: Checkpoint | None) -> Wanted:
    filter_ = None if target is None else target.filter
    return Wanted(CheckpointType.SAFETY, reason, even_if_unchanged=False, filter=filter_)


def refuse_applied(plan: Plan) -> None:
    """Refuses a plan whose result is in the project, and says how to take it out."""
    if plan.stage == APPLIED:
        raise Refused(
            "the plan is applied: its result is in your project",
            hints=[f"take it back first: agents plan unapply {plan.plan_id}"],
        )
