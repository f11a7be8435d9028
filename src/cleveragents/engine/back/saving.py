"""Saving a checkpoint: blobs first, then the manifest, then the row."""

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, state_hash
from cleveragents.checkpoints.saving import CheckpointPolicy, CheckpointRequest
from cleveragents.checkpoints.stored import ACTION, verified
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.pruning import PruneResult, Prunes
from cleveragents.errors import Damaged
from cleveragents.events import CheckpointSame, CheckpointSaved, Reporter
from cleveragents.ids import PlanId, new_id, now
from cleveragents.plans.document import PlanDocument, current_document
from cleveragents.plans.lifecycle import Phase
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.records import frozen, replace
from cleveragents.sandbox.sandbox import READY, Sandbox, SandboxRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.sandbox.whereabouts import make_git_directory, with_files
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.capture import Capture
from cleveragents.snapshots.healing import Safeguard
from cleveragents.snapshots.tree import giving_up
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.way import Changes, Way
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held

# Where what makes no event must be found: the whole sandbox is looked at.
LOOKS_AT_EVERYTHING = (
    CheckpointType.PRE_EXECUTE,
    CheckpointType.POST_EXECUTE,
    CheckpointType.SAFETY,  # what is about to be replaced is nowhere else
)


@frozen
class _Present:
    """The facts of a plan just before its files are looked at."""

    plan: Plan
    sandbox: Sandbox
    latest: Checkpoint | None
    document: PlanDocument


@frozen
class SafetyCheckpoint:
    """The state before something goes back: stored, and read back where it will go."""

    checkpoint: Checkpoint
    is_recorded: bool

    @property
    def safeguard(self) -> Safeguard:
        """Its content, for whoever replaces what it holds."""
        return Safeguard(self.checkpoint.sandbox_ref)

    def record(self, connection: Connection) -> None:
        """Adds the row, unless it is there; call it with the intent."""
        if not self.is_recorded:
            CheckpointRepository(connection).add(self.checkpoint)


class Saves:
    """Saves the present state of plans."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        pruning: Prunes,
        policy: CheckpointPolicy,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._pruning = pruning
        self.policy = policy
        self._report = report

    def save(self, held: Held, wanted: CheckpointRequest) -> Checkpoint:
        """Makes the present state durable; a crash leaves no row without content.

        If nothing changed since the latest checkpoint, that one may be the answer. The oldest goes
        in the same transaction if there are too many.
        """
        with self.taking(held, wanted) as taken:
            checkpoint = taken.stored()
            retired = self._record(held, taken, prune=True)
        self._follow_up(held, taken, retired)
        return checkpoint

    def save_safety(
        self,
        held: Held,
        wanted: CheckpointRequest,
        *,
        prune: bool,
        going: Changes | None = None,
        half_made: bool = False,
    ) -> SafetyCheckpoint:
        """Does the same for what is going to be replaced or removed, and reads that back, or all.

        Nothing is pruned inside an operation. What is half made counts as removed, and is saved
        only if it is asked for.
        """
        with self.taking(held, wanted, half_made=half_made) as taken:
            safety = taken.secure(going)
            retired = self._record(held, taken, prune=prune)
        self._follow_up(held, taken, retired)
        return replace(safety, is_recorded=True)

    def _record(self, held: Held, taken: "PendingCheckpoint", *, prune: bool) -> PruneResult | None:
        if taken.is_latest:
            return None
        with self._database.writing(held) as connection:
            taken.record(connection)
            return self._pruning.retire(connection, held.plan_id) if prune else None

    def _follow_up(
        self, held: Held, taken: "PendingCheckpoint", retired: PruneResult | None
    ) -> None:
        self.tell(taken)
        if retired:
            self._pruning.follow_up(held, retired)

    def tell(self, taken: "PendingCheckpoint") -> None:
        """Reports what was saved, once its row is there."""
        self._report(taken.told)

    @contextmanager
    def taking(
        self, held: Held, wanted: CheckpointRequest, *, half_made: bool = False
    ) -> Generator["PendingCheckpoint"]:
        """Looks at the present state; what is not stored within the block is thrown away.

        Write the row inside the block: no sweep runs before it ends.
        """
        held.check()  # before anything is stored: it would be found without a row
        started = time.monotonic()
        present = self._present(held.plan_id, half_made=half_made)
        archive = self._sandboxes.archive(present.plan.project_id)
        full = wanted.kind in LOOKS_AT_EVERYTHING
        filter_ = wanted.filter or self.policy.filter
        with (
            giving_up.to_the_end() if _keeps_a_step(wanted) else nullcontext(),
            archive.capture(present.sandbox.roots, filter_, full=full) as capture,
        ):
            yield PendingCheckpoint(wanted, present, archive, capture, started)

    def _present(self, plan_id: PlanId, *, half_made: bool) -> _Present:
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(plan_id)
            found = SandboxRepository(connection).of_plan(plan_id)
            if found is not None and half_made:
                found = replace(found, status=READY)
            if found is not None:
                make_git_directory(found)  # a step may have removed it: that is a state to save
            return _Present(
                plan,
                with_files(found, plan_id),
                CheckpointRepository(connection).latest(plan_id),
                current_document(connection, plan),
            )


def _keeps_a_step(wanted: CheckpointRequest) -> bool:
    """Whether a run makes it of what it has done: without it finished steps would run again."""
    return wanted.trigger is not None or wanted.kind is CheckpointType.POST_EXECUTE


class PendingCheckpoint:
    """The present state of a plan as it was just seen; nothing of it is kept before `stored`."""

    def __init__(
        self,
        wanted: CheckpointRequest,
        present: _Present,
        archive: Archive,
        capture: Capture,
        started: float,
    ) -> None:
        self.plan = present.plan
        self.document = present.document
        self.sandbox = present.sandbox
        self._wanted = wanted
        self._present = present
        self._archive = archive
        self._capture = capture
        self._started = started
        self._digest = state_hash(capture.roots, present.document)
        latest = None if wanted.even_if_unchanged else present.latest
        self.is_latest = latest is not None and self._is_held_by(latest)
        self._checkpoint = latest if self.is_latest else None

    def stored(self) -> Checkpoint:
        """Makes the content durable, unless the latest checkpoint has it; its row comes next."""
        if self._checkpoint is None:
            self._checkpoint = self._store()
        return self._checkpoint

    def way_to(self, target: Snapshot) -> Way:
        """Tells what has to change from this very state on, and verifies that it can be had."""
        return self._archive.way_to(target, self.sandbox.roots, self._capture)

    def secure(self, going: Changes | None = None) -> SafetyCheckpoint:
        """Reads back what is about to go, all of it if none is named; heals it from the files.

        Call it before an intent is recorded: what cannot be had back is refused.
        """
        checkpoint = self.stored()
        self._archive.secure(checkpoint.sandbox_ref, self.sandbox.roots, going)
        return SafetyCheckpoint(checkpoint, is_recorded=self.is_latest)

    def record(self, connection: Connection) -> None:
        """Adds the row, unless it is there."""
        if not self.is_latest:
            CheckpointRepository(connection).add(self.stored())

    @property
    def told(self) -> CheckpointSame | CheckpointSaved:
        """The event that reports it once its row is there."""
        found = self.stored()
        if self.is_latest:
            return CheckpointSame(found.plan_id, found.seq, self._wanted.reason)
        return CheckpointSaved(found.plan_id, found.seq, found.checkpoint_id, self._wanted.reason)

    def _is_held_by(self, latest: Checkpoint) -> bool:
        """Whether a checkpoint is of this very state, and can say so."""
        if latest.state_hash != self._digest:
            return False
        try:
            verified(self._archive, latest)
        except Damaged:
            return False
        return True

    def _store(self) -> Checkpoint:
        row = _row(self._wanted, self._present, self._digest)
        about = {**row, "document": self.document.to_record(), **_kept_action(self.plan)}
        reference = self._capture.commit(about)
        seconds = time.monotonic() - self._started
        return Checkpoint(
            **row,
            sandbox_ref=reference,
            size_bytes=self._capture.size_bytes,
            created_at=now(),
            metadata=_metadata(self._wanted, self.plan, self._capture, seconds),
        )


def _kept_action(plan: Plan) -> dict[str, str]:
    """The action in the record of a checkpoint, if it is not that of the plan's base."""
    return {ACTION: plan.definition_json} if plan.definition else {}


def _row(wanted: CheckpointRequest, present: _Present, digest: str) -> dict[str, Any]:
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


def _metadata(
    wanted: CheckpointRequest, plan: Plan, capture: Capture, seconds: float
) -> Mapping[str, object]:
    return {
        "reason": wanted.reason,
        "trigger": wanted.trigger,
        "source_tool": wanted.source_tool,
        "phase": Phase.APPLY if wanted.kind is CheckpointType.PRE_APPLY else plan.phase,
        "filter": list(capture.filter.patterns),
        "files": capture.files,
        "seconds": round(seconds, 4),
        "not_captured": list(capture.not_captured),
    }
