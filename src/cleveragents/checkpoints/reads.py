"""Looking at checkpoints: finding them, reading them back, telling what going to one would touch.

Nothing here holds a plan, so nothing here can change one.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cleveragents.chats.moment_rows import MomentRepository
from cleveragents.checkpoints.besides import Besides, Footprint
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.file_change import FileChange, described
from cleveragents.checkpoints.kept import KeptCheckpoints, refuse_foreign
from cleveragents.checkpoints.needs import open_targets
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.rollback import RollbackReads
from cleveragents.checkpoints.shown import digest_of
from cleveragents.checkpoints.stored import verified
from cleveragents.checkpoints.verification import Verification, VerificationResult
from cleveragents.errors import Damaged, Refused
from cleveragents.ids import PlanId
from cleveragents.plans.document import PlanDocument, current_document
from cleveragents.plans.plan import Plan, PlanRepository, refuse_applied
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.storage.database import Database


@frozen(kw_only=True)
class RollbackForesight(Footprint):
    """All that a rollback would touch."""

    target: Checkpoint

    @property
    def aim(self) -> str:
        """Where it leads."""
        return self.target.checkpoint_id


@frozen
class CheckpointDeletion:
    """A checkpoint that is to be forgotten."""

    target: Checkpoint
    needed: str  # what would be missed without it; empty: nothing

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        return digest_of((), (self.target.checkpoint_id, self.needed))


class CheckpointReads(KeptCheckpoints):
    """Reads the checkpoints of plans."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        rollbacks: RollbackReads,
        limit: CheckpointRetentionPolicy,
    ) -> None:
        super().__init__(database, limit)
        self._sandboxes = sandboxes
        self.rollbacks = rollbacks

    def plan(self, plan_id: PlanId) -> Plan:
        """Returns a plan as it is now."""
        with self._database.reading() as connection:
            return PlanRepository(connection).get(plan_id)

    def document(self, plan_id: PlanId, checkpoint: Checkpoint) -> PlanDocument:
        """Returns the part of the plan that counted at a checkpoint."""
        plan = self._plan_of(plan_id, checkpoint)
        try:
            return self.rollbacks.document(plan, checkpoint)
        except Damaged as error:
            raise self._with_nearest_good(plan, checkpoint, error) from error

    def is_present(self, plan_id: PlanId, checkpoint: Checkpoint) -> bool:
        """Tells whether files and plan are just as they were at a checkpoint."""
        plan = self._plan_of(plan_id, checkpoint)
        return self._is_document_of(plan, checkpoint) and not self._verified_changes(
            plan, checkpoint
        )

    def preview_rollback(self, plan_id: PlanId, checkpoint: Checkpoint) -> RollbackForesight:
        """Tells all that a rollback would touch; owns nothing, stores and changes nothing."""
        plan = self._plan_of(plan_id, checkpoint)
        refuse_applied(plan)
        with self.naming_nearest_good(plan, checkpoint):
            return RollbackForesight(
                target=checkpoint,
                changes=self.rollbacks.preview(plan, checkpoint),
                besides=self._besides(plan, checkpoint),
            )

    def preview_rebuild(self, plan_id: PlanId, checkpoint: Checkpoint) -> RollbackForesight:
        """Tells what going back touches besides the files, which are all made again."""
        plan = self._plan_of(plan_id, checkpoint)
        with self.naming_nearest_good(plan, checkpoint):
            besides = self._besides(plan, checkpoint)
            return RollbackForesight(target=checkpoint, changes={MAIN: []}, besides=besides)

    def _besides(self, plan: Plan, checkpoint: Checkpoint) -> Besides:
        document = self.rollbacks.document(plan, checkpoint)
        return self.rollbacks.besides(plan, checkpoint, document)

    def extract_checkpoint(
        self, plan_id: PlanId, checkpoint: Checkpoint, target: Path
    ) -> Sequence[str]:
        """Writes what is intact of a checkpoint to a new directory; returns what is damaged."""
        if target.exists():
            hints = ["name a directory that does not exist yet"]
            raise Refused(f"{target} exists already", hints=hints)
        archive = self._sandboxes.archive(self._plan_of(plan_id, checkpoint).project_id)
        return archive.extract(archive.load(checkpoint.sandbox_ref), target)

    def verify_checkpoints(self, rows: Sequence[Checkpoint]) -> Iterator[VerificationResult]:
        """Reads checkpoints back, one after the other; what they share is read once."""
        runs: dict[str, Verification] = {}
        for row in rows:
            project_id = self.plan(row.plan_id).project_id
            if project_id not in runs:
                runs[project_id] = Verification(self._sandboxes.archive(project_id))
            yield runs[project_id].of(row)

    def preview_delete(self, plan_id: PlanId, checkpoint: Checkpoint) -> CheckpointDeletion:
        """Tells what would be missed without a checkpoint; refuses one that has to stay."""
        self._plan_of(plan_id, checkpoint)
        self._refuse_delete(plan_id, checkpoint)
        needed = {each.checkpoint.seq: each.needed for each in self.retention(plan_id)}
        return CheckpointDeletion(checkpoint, needed[checkpoint.seq])

    def _refuse_delete(self, plan_id: PlanId, checkpoint: Checkpoint) -> None:
        """Refuses the newest checkpoint, what an open operation needs, and borders of turns."""
        with self._database.reading() as connection:
            newest = CheckpointRepository(connection).latest(plan_id)
            needed = open_targets(connection, plan_id)
            turn = MomentRepository(connection).turn_told_by(checkpoint.checkpoint_id)
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
        if turn is not None:
            raise Refused(
                f"{checkpoint.name} stays: without it nobody could tell what t{turn} changed",
                hints=[
                    f"delete what is kept of the chat: agents chat delete {plan_id}",
                    "remove what a path held, wherever it is kept: agents forget PATH",
                ],
            )

    def refuse_damaged(self, plan: Plan, checkpoint: Checkpoint) -> None:
        """Refuses a checkpoint that cannot be restored."""
        with self.naming_nearest_good(plan, checkpoint):
            archive = self._sandboxes.archive(plan.project_id)
            archive.refuse_damaged(verified(archive, checkpoint))

    @contextmanager
    def naming_nearest_good(self, plan: Plan, target: Checkpoint) -> Generator[None]:
        """Adds to an error about damage which checkpoint could be restored instead."""
        try:
            yield
        except Damaged as error:
            raise self._with_nearest_good(plan, target, error) from error

    def _plan_of(self, plan_id: PlanId, checkpoint: Checkpoint) -> Plan:
        """Returns a plan as it is now; refuses a checkpoint of another one."""
        plan = self.plan(plan_id)
        refuse_foreign(plan_id, checkpoint)
        return plan

    def _verified_changes(self, plan: Plan, checkpoint: Checkpoint) -> tuple[FileChange, ...]:
        with self.naming_nearest_good(plan, checkpoint):
            return described(self.rollbacks.preview(plan, checkpoint))

    def _is_document_of(self, plan: Plan, checkpoint: Checkpoint) -> bool:
        """Whether what counts of the plan at present is what the checkpoint says."""
        with self._database.reading() as connection:
            present = current_document(connection, plan)
        return present.to_record() == self.rollbacks.document(plan, checkpoint).to_record()

    def _with_nearest_good(self, plan: Plan, target: Checkpoint, error: Damaged) -> Damaged:
        rows = [row for row in self.list_checkpoints(plan.plan_id) if row.seq != target.seq]
        rows.sort(key=lambda row: abs(row.seq - target.seq))
        read_back = self.verify_checkpoints(rows)
        good = next((found.checkpoint for found in read_back if found.is_intact), None)
        again = f"agents plan rollback {plan.plan_id}"
        hints = [f"extract what is left: {again} {target.seq} --to DIR"]
        if good is not None:
            hints.insert(0, f"nearest intact checkpoint: {again} {good.seq}")
        return Damaged(error.message, detail=error.detail, hints=hints)
