"""The checkpoint service: makes checkpoints, lists them, goes back to them and forgets them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.kept import refuse_foreign
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.retention import Verdict
from cleveragents.checkpoints.rollback import RollbackReads, RollbackResult
from cleveragents.checkpoints.saving import CheckpointPolicy, CheckpointRequest
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.checkpoints.triggers import Trigger
from cleveragents.errors import Busy
from cleveragents.ids import PlanId
from cleveragents.operations.in_sandbox import Ending
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold


class ActsOnCheckpoints(Protocol):
    """Acts on the checkpoints of a plan, by its holder; handed in by wiring."""

    @property
    def policy(self) -> CheckpointPolicy: ...

    def make(self, held: Held, wanted: CheckpointRequest) -> Checkpoint: ...

    def make_due(
        self, held: Held, trigger: Trigger, reason: str, *, source_tool: str | None = None
    ) -> Checkpoint | None: ...

    def roll_back(
        self,
        held: Held,
        checkpoint: Checkpoint,
        *,
        ending: Ending | None = None,
        rebuild: bool = False,
        shown_digest: str | None = None,
    ) -> RollbackResult: ...

    def forget(self, held: Held, doomed: Sequence[Checkpoint]) -> None: ...

    def prune(self, held: Held) -> list[Verdict]: ...

    def free_space(self, plan_id: PlanId) -> None: ...

    def remember(self, held: Held) -> None: ...

    def afterwards(self, plan_id: PlanId, doing: str) -> AbstractContextManager[None]: ...


class CheckpointService(CheckpointReads):
    """Everything about the checkpoints of plans; each method that changes a plan holds it first."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        rollbacks: RollbackReads,
        acts: ActsOnCheckpoints,
        hold: Hold,
    ) -> None:
        super().__init__(database, sandboxes, rollbacks, acts.policy.retention)
        self._acts = acts
        self._hold = hold

    @property
    def policy(self) -> CheckpointPolicy:
        """The policy in force."""
        return self._acts.policy

    def create_checkpoint(self, plan_id: PlanId, wanted: CheckpointRequest) -> Checkpoint:
        """Saves the present state, durably, and returns its checkpoint.

        If nothing changed since the latest checkpoint, an automatic one is that one.
        """
        with self._hold(plan_id, "saving a checkpoint", files=False) as held:
            return self._acts.make(held, wanted)

    def auto_create_if_configured(
        self, plan_id: PlanId, trigger: Trigger, reason: str, *, source_tool: str | None = None
    ) -> Checkpoint | None:
        """Makes the checkpoint of a milestone if the settings ask for it."""
        with self._hold(plan_id, "saving a checkpoint", files=False) as held:
            return self._acts.make_due(held, trigger, reason, source_tool=source_tool)

    def rollback_to_checkpoint(
        self,
        plan_id: PlanId,
        checkpoint: Checkpoint,
        *,
        ending: Ending | None = None,
        rebuild: bool = False,
        shown_digest: str | None = None,
    ) -> RollbackResult:
        """Takes everything after the checkpoint back, as one act; see `rollback`.

        With a digest, only if it is still what was shown.
        """
        refuse_foreign(plan_id, checkpoint)
        with self._hold(plan_id, f"rolling back to {checkpoint.name}") as held:
            return self._acts.roll_back(
                held, checkpoint, ending=ending, rebuild=rebuild, shown_digest=shown_digest
            )

    def pin_checkpoint(
        self, plan_id: PlanId, checkpoint: Checkpoint, *, pinned: bool
    ) -> Checkpoint:
        """Makes retention leave a checkpoint alone, or lets it have it again."""
        refuse_foreign(plan_id, checkpoint)
        doing = f"{'' if pinned else 'un'}pinning {checkpoint.name}"
        with (
            self._hold(plan_id, doing, files=False) as held,
            self._database.writing(held) as connection,
        ):
            return CheckpointRepository(connection).set_pinned(checkpoint, pinned=pinned)

    def delete_checkpoint(
        self, plan_id: PlanId, checkpoint: Checkpoint, *, shown_digest: str | None = None
    ) -> None:
        """Forgets a checkpoint; the newest one and what an open operation needs are refused.

        With a digest, only if it is still what was shown.
        """
        with self._hold(plan_id, f"deleting {checkpoint.name}", files=False) as held:
            would = self.preview_delete(plan_id, checkpoint)
            again = f"agents plan checkpoint delete {plan_id} {checkpoint.seq}"
            refuse_other(shown_digest, would.digest, again)
            self._acts.forget(held, [checkpoint])

    def prune_checkpoints(self, plan_id: PlanId) -> list[Verdict]:
        """Applies the retention policy; returns what became of each checkpoint and why."""
        with self._hold(plan_id, "pruning checkpoints", files=False) as held:
            return self._acts.prune(held)

    def tidy(self, plan_id: PlanId) -> None:
        """Does what is better done once an act is told: frees space, remembers the files.

        What fails here is told as a note. Nobody waits for space to be freed: the plan is held
        for what is remembered alone, and whoever has it by now does that instead.
        """
        self._acts.free_space(plan_id)
        doing = "remembering the files"
        with (
            self._acts.afterwards(plan_id, doing),
            suppress(Busy),
            self._hold(plan_id, doing, files=False) as held,
        ):
            self._acts.remember(held)
