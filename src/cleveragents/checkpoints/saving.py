"""Saving a checkpoint: blobs first, then the manifest, then the row."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, state_hash
from cleveragents.checkpoints.pruning import Pruning
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.triggers import CheckpointType, Trigger
from cleveragents.events import CheckpointSame, CheckpointSaved, Reporter
from cleveragents.ids import new_id, now
from cleveragents.plans.document import PlanDocument, current_document
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.sandbox.sandbox import Sandbox, SandboxRepository
from cleveragents.sandbox.sandboxes import Sandboxes, with_files
from cleveragents.snapshots.capture import Capture
from cleveragents.snapshots.filter import Filter
from cleveragents.storage.database import Database

# Where what makes no event must be found: the whole sandbox is looked at.
PHASE_BORDERS = (CheckpointType.PRE_EXECUTE, CheckpointType.POST_EXECUTE)


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
    filter: Filter | None = None  # another one than is in force


@dataclass(frozen=True)
class _Present:
    """What is known of a plan just before its files are looked at."""

    plan: Plan
    sandbox: Sandbox
    latest: Checkpoint | None
    document: PlanDocument


class Saving:
    """Saves the present state of plans; the caller owns the plan."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        pruning: Pruning,
        filter_: Filter,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._pruning = pruning
        self._filter = filter_
        self._report = report

    def save(self, plan_id: str, wanted: Wanted, *, prune: bool) -> Checkpoint:
        """Makes the present state durable; a crash leaves no row without content.

        If nothing changed since the latest checkpoint, that one may be the answer. To prune is to
        let the oldest go in the same transaction; nothing is pruned inside an operation.
        """
        started = time.monotonic()
        present = self._present(plan_id)
        archive = self._sandboxes.archive(present.plan.project_id)
        full = wanted.kind in PHASE_BORDERS
        filter_ = wanted.filter or self._filter
        with archive.capture(present.sandbox.roots, filter_, full=full) as capture:
            digest = state_hash(capture.roots, present.document)
            latest = present.latest
            if latest and latest.state_hash == digest and not wanted.even_if_unchanged:
                self._report(CheckpointSame(plan_id, latest.seq, wanted.reason))
                return latest
            row = _row(wanted, present, digest)
            reference = capture.commit({**row, "document": present.document.to_record()})
            checkpoint = Checkpoint(
                **row,
                sandbox_ref=reference,
                size_bytes=capture.size_bytes,
                created_at=now(),
                metadata=_metadata(wanted, present.plan, capture, time.monotonic() - started),
            )
            with self._database.unit_of_work() as connection:
                CheckpointRepository(connection).add(checkpoint)
                retired = self._pruning.retire(connection, plan_id) if prune else None
        self._report(
            CheckpointSaved(plan_id, checkpoint.seq, checkpoint.checkpoint_id, wanted.reason)
        )
        if retired:
            self._pruning.settle(plan_id, retired)
        return checkpoint

    def _present(self, plan_id: str) -> _Present:
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(plan_id)
            return _Present(
                plan,
                with_files(SandboxRepository(connection).of_plan(plan_id), plan_id),
                CheckpointRepository(connection).latest(plan_id),
                current_document(connection, plan),
            )


def _row(wanted: Wanted, present: _Present, digest: str) -> dict[str, Any]:
    """The part of a row that is known before its content is stored."""
    latest = present.latest
    return {
        "checkpoint_id": new_id(),
        "plan_id": present.plan.plan_id,
        "seq": (latest.seq if latest else 0) + 1,
        "decision_id": None,
        "checkpoint_type": wanted.kind,
        "resource_id": present.sandbox.sandbox_id,
        "filesystem_path": str(present.sandbox.path),
        "label": wanted.label,
        "step_index": present.plan.step_index,
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
        "filter": list(capture.filter.patterns),
        "files": capture.files,
        "seconds": round(seconds, 4),
        "not_captured": list(capture.not_captured),
    }
