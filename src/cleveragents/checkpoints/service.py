"""The checkpoint service: makes checkpoints, lists them, goes back to them and forgets them."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from cleveragents.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointRepository,
    lineage,
    state_hash,
)
from cleveragents.checkpoints.operations import Kind, OperationRepository
from cleveragents.checkpoints.pruning import Pruning
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy, Verdict, judge
from cleveragents.checkpoints.rollback import (
    Ending,
    FileChange,
    RollbackResult,
    Rollbacks,
    document_of,
)
from cleveragents.checkpoints.triggers import TYPE_OF, CheckpointType, Trigger
from cleveragents.errors import Damaged, Refused
from cleveragents.events import CheckpointSame, CheckpointSaved, Reporter
from cleveragents.ids import new_id, now
from cleveragents.plans.document import current_document
from cleveragents.plans.lifecycle import APPLIED, QUEUED
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Capture
from cleveragents.snapshots.filter import Filter
from cleveragents.storage.database import Database

Own = Callable[[str, str], AbstractContextManager[None]]


@dataclass(frozen=True)
class CheckpointPolicy:
    """When checkpoints are made, what they leave out, and how many are kept."""

    triggers: frozenset[Trigger] = frozenset(Trigger)
    filter: Filter = field(default_factory=Filter)
    retention: CheckpointRetentionPolicy = field(default_factory=CheckpointRetentionPolicy)


@dataclass(frozen=True)
class Wanted:
    """What a checkpoint is made for."""

    kind: CheckpointType
    reason: str
    trigger: Trigger | None = None
    source_tool: str | None = None
    label: str | None = None
    pinned: bool = False
    even_if_unchanged: bool = True


class CheckpointService:
    """Everything about the checkpoints of plans; each method that changes a plan owns it first."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        rollbacks: Rollbacks,
        pruning: Pruning,
        policy: CheckpointPolicy,
        own: Own,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._rollbacks = rollbacks
        self._pruning = pruning
        self._policy = policy
        self._own = own
        self._report = report

    @property
    def policy(self) -> CheckpointPolicy:
        """The policy in force."""
        return self._policy

    def create_checkpoint(self, plan_id: str, wanted: Wanted) -> Checkpoint:
        """Saves the present state, durably, and returns its checkpoint.

        If nothing changed since the latest checkpoint, an automatic one is that one.
        """
        with self._own(plan_id, "saving a checkpoint"):
            saved = self._save(plan_id, wanted)
            self._prune(plan_id)
            return saved

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
        with self._database.unit_of_work() as connection:
            return CheckpointRepository(connection).of_plan(plan_id)

    def get_checkpoint(self, plan_id: str, text: str) -> Checkpoint:
        """Finds a checkpoint by number, id, prefix or `@`."""
        with self._database.unit_of_work() as connection:
            return CheckpointRepository(connection).resolve(plan_id, text)

    def current_line(self, plan_id: str) -> set[str]:
        """Returns the ids of the checkpoints that no rollback left behind."""
        return lineage(self.list_checkpoints(plan_id))

    def preview_rollback(self, plan_id: str, checkpoint: Checkpoint) -> tuple[FileChange, ...]:
        """Tells which files a rollback would change; changes nothing."""
        plan = self._plan(plan_id)
        _refuse_applied(plan)
        return self._rollbacks.preview(plan, checkpoint)

    def rollback_to_checkpoint(
        self,
        plan_id: str,
        checkpoint: Checkpoint,
        *,
        ending: Ending | None = None,
        rebuild: bool = False,
    ) -> RollbackResult:
        """Takes everything after the checkpoint back, as one act; see `rollback`."""
        with self._own(plan_id, f"rolling back to {checkpoint.name}"):
            plan = self._plan(plan_id)
            _refuse_applied(plan)
            if rebuild:
                self._rebuild(plan)
            elif ending is None and self._is_present(plan, checkpoint):
                return self._nothing_to_do(plan, checkpoint)
            try:
                self._rollbacks.preview(plan, checkpoint)
            except Damaged as error:
                raise self._with_nearest_good(plan, checkpoint, error) from error
            safety = self._save(
                plan_id,
                Wanted(
                    CheckpointType.SAFETY,
                    f"before the rollback to {checkpoint.name}",
                    even_if_unchanged=False,
                ),
            )
            operation = self._rollbacks.open(plan, checkpoint, safety, ending or Ending(QUEUED))
            return self._rollbacks.carry_out(operation)

    def restore_files(self, plan_id: str, checkpoint: Checkpoint) -> None:
        """Puts only the files back, for another attempt at the step that is under way."""
        sandbox = self._sandboxes.require(plan_id)
        archive = self._sandboxes.archive(self._plan(plan_id).project_id)
        archive.restore(archive.load(checkpoint.sandbox_ref), sandbox.roots, sandbox.staging)

    def verify_checkpoint(self, plan_id: str, checkpoint: Checkpoint) -> list[str]:
        """Reads a checkpoint's content back; returns the paths that are damaged or missing."""
        archive = self._sandboxes.archive(self._plan(plan_id).project_id)
        try:
            return archive.damaged(archive.load(checkpoint.sandbox_ref))
        except Damaged as error:
            return [f"(the whole snapshot): {error.message}"]

    def delete_checkpoint(self, plan_id: str, checkpoint: Checkpoint) -> None:
        """Forgets a checkpoint; the newest one and what an open operation needs are refused."""
        with self._own(plan_id, f"deleting {checkpoint.name}"):
            if checkpoint.checkpoint_id == self.list_checkpoints(plan_id)[-1].checkpoint_id:
                raise Refused(
                    f"{checkpoint.name} is the newest checkpoint; it always stays",
                    hints=["a newer one makes it deletable: agents plan checkpoint create"],
                )
            self._pruning.forget(self._plan(plan_id), [checkpoint])

    def prune_checkpoints(self, plan_id: str) -> list[Verdict]:
        """Applies the retention policy; returns what became of each checkpoint and why."""
        with self._own(plan_id, "pruning checkpoints"):
            return self._prune(plan_id)

    def free_space(self, plan_id: str) -> None:
        """Frees the content of checkpoints forgotten since; does nothing while others write."""
        self._pruning.free(plan_id)

    def _save(self, plan_id: str, wanted: Wanted) -> Checkpoint:
        """Blobs first, then the manifest, then the row: a crash leaves no row without content."""
        plan = self._plan(plan_id)
        sandbox = self._sandboxes.require(plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        started = time.monotonic()
        with archive.capture(sandbox.roots, self._policy.filter) as capture:
            with self._database.unit_of_work() as connection:
                latest = CheckpointRepository(connection).latest(plan_id)
                document = current_document(connection, plan_id)
            digest = state_hash(capture.roots, document)
            if latest and latest.state_hash == digest and not wanted.even_if_unchanged:
                self._report(CheckpointSame(plan_id, latest.seq, wanted.reason))
                return latest
            row = _described_by(wanted, plan, sandbox, latest, digest)
            reference = capture.commit({**row, "document": document.to_record()})
            metadata = _metadata(wanted, plan, capture, time.monotonic() - started)
            checkpoint = Checkpoint(
                **row,
                sandbox_ref=reference,
                size_bytes=capture.size_bytes,
                created_at=now(),
                metadata=metadata,
            )
            with self._database.unit_of_work() as connection:
                CheckpointRepository(connection).add(checkpoint)
        self._report(
            CheckpointSaved(plan_id, checkpoint.seq, checkpoint.checkpoint_id, wanted.reason)
        )
        return checkpoint

    def _prune(self, plan_id: str) -> list[Verdict]:
        with self._database.unit_of_work() as connection:
            rows = CheckpointRepository(connection).of_plan(plan_id)
            needed = {
                str(operation.intent[key]): "an unfinished operation needs it"
                for operation in OperationRepository(connection).unfinished(plan_id)
                if operation.kind is Kind.ROLLBACK
                for key in ("target", "safety")
            }
        verdicts = judge(rows, self._policy.retention, needed)
        doomed = [verdict.checkpoint for verdict in verdicts if not verdict.keep]
        if doomed:
            self._pruning.forget(self._plan(plan_id), doomed)
        return verdicts

    def _plan(self, plan_id: str) -> Plan:
        with self._database.unit_of_work() as connection:
            return PlanRepository(connection).get(plan_id)

    def _rebuild(self, plan: Plan) -> None:
        sandbox = self._sandboxes.find(plan.plan_id)
        if sandbox is not None and not sandbox.exists:
            self._sandboxes.rebuild(sandbox)

    def _is_present(self, plan: Plan, checkpoint: Checkpoint) -> bool:
        """Whether files and plan document are already as the checkpoint has them."""
        if self._rollbacks.preview(plan, checkpoint):
            return False
        archive = self._sandboxes.archive(plan.project_id)
        with self._database.unit_of_work() as connection:
            present = current_document(connection, plan.plan_id)
        saved = document_of(archive.load(checkpoint.sandbox_ref))
        return present.to_record() == saved.to_record()

    def _nothing_to_do(self, plan: Plan, checkpoint: Checkpoint) -> RollbackResult:
        remaining = len(self.current_line(plan.plan_id))
        return RollbackResult(plan, checkpoint, None, (), (), 0, 0, remaining)

    def _with_nearest_good(self, plan: Plan, target: Checkpoint, error: Damaged) -> Damaged:
        """Adds to the refusal which checkpoint could be gone to instead."""
        rows = [row for row in self.list_checkpoints(plan.plan_id) if row.seq != target.seq]
        rows.sort(key=lambda row: abs(row.seq - target.seq))
        good = next((row for row in rows if not self.verify_checkpoint(plan.plan_id, row)), None)
        if good is None:
            return error
        hint = f"nearest intact checkpoint: agents plan rollback {plan.plan_id} {good.seq}"
        return Damaged(error.message, detail=error.detail, hints=[hint])


def _refuse_applied(plan: Plan) -> None:
    if plan.stage == APPLIED:
        raise Refused(
            "the plan is applied: its result is in your project",
            hints=[f"take it back first: agents plan unapply {plan.plan_id}"],
        )


def _described_by(
    wanted: Wanted, plan: Plan, sandbox: Sandbox, latest: Checkpoint | None, digest: str
) -> dict[str, Any]:
    """The part of a row that is known before its content is stored."""
    return {
        "checkpoint_id": new_id(),
        "plan_id": plan.plan_id,
        "seq": (latest.seq if latest else 0) + 1,
        "decision_id": None,
        "checkpoint_type": wanted.kind,
        "resource_id": sandbox.sandbox_id,
        "filesystem_path": str(sandbox.path),
        "label": wanted.label,
        "step_index": plan.step_index,
        "state_hash": digest,
        "parent_id": latest.checkpoint_id if latest else None,
        "pinned": wanted.pinned,
    }


def _metadata(wanted: Wanted, plan: Plan, capture: Capture, seconds: float) -> Mapping[str, object]:
    return {
        "reason": wanted.reason,
        "trigger": wanted.trigger,
        "source_tool": wanted.source_tool,
        "phase": plan.phase,
        "files": capture.files,
        "seconds": round(seconds, 4),
        "not_captured": list(capture.not_captured),
    }
