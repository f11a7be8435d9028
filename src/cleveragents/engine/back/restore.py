"""Restore: single paths are taken back from a checkpoint; all else of the plan stays as it is.

The state to come, the present files with others at those paths, is put together and stored first.
Then the intent is recorded, the files are placed, and one transaction closes the intent with a
checkpoint of that state, so that whatever goes on from the latest one goes on from there.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, state_hash
from cleveragents.checkpoints.file_change import FileChange, action_on_path, described
from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.checkpoints.stored import document_of, verified
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.back.placing import Placements
from cleveragents.engine.back.saving import SafetyCheckpoint
from cleveragents.errors import Refused
from cleveragents.events import PathsRestored, Reporter
from cleveragents.ids import PlanId, new_id, now
from cleveragents.operations.in_sandbox import Restore
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, ERRORED, QUEUED, written
from cleveragents.plans.plan import Plan, PlanRepository, refuse_applied
from cleveragents.records import frozen, replace
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.picking import Selection, inside, is_excluded, pick
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import EMPTY, Change
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.way import Changes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold

# Of a run that was cut off the files are half done: what goes on from there starts before it.
RESTORABLE = (COMPLETE, QUEUED, ERRORED, CANCELLED)
EXCLUDE = "sandbox.checkpoint.exclude"


@frozen
class RestoreProposal:
    """The preview of taking paths back."""

    source: Checkpoint
    paths: tuple[str, ...]  # as they were asked for, in one spelling
    absent: tuple[str, ...]  # those that the checkpoint does not hold: they go
    tops: tuple[str, ...]  # what must be taken back from the state before, to undo it
    changes: tuple[FileChange, ...]
    going: Changes  # the same for who saves what is there
    picked: Selection  # what is to stand at the paths
    digest: str  # tells two of them apart


@frozen
class PathRestoration:
    """The result of taking paths back."""

    source: Checkpoint
    safety: Checkpoint  # what was there before
    record: Checkpoint  # what is there now
    changes: tuple[FileChange, ...]  # as observed
    kept: tuple[str, ...]  # directories that stay because they hold excluded files


class Restores:
    """Opens and carries out restore operations."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        placing: Placements,
        filter_: Filter,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._placing = placing
        self._filter = filter_  # of the checkpoints that are made now, the safety one included
        self._report = report

    def propose(self, plan: Plan, source: Checkpoint, texts: Sequence[str]) -> RestoreProposal:
        """Puts the state to come together, after verifying that it can be gone to."""
        paths = list(dict.fromkeys(map(inside, texts)))
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        held = verified(archive, source)
        _refuse_excluded(paths, source, held)
        seen = archive.see(sandbox.roots, held.filter)
        picked = pick(paths, archive.lookup(held), seen.through.lookup(seen.snapshot))
        put_together = seen.through.with_entries(seen.snapshot, picked.entries, [EMPTY])
        archive.refuse_way(sandbox.roots, put_together, held.filter)
        self._refuse_unsaved(put_together.changes)
        return _proposed(source, paths, picked, put_together.changes)

    def open(
        self, held: Held, plan: Plan, proposed: RestoreProposal, safety: SafetyCheckpoint
    ) -> Operation[Restore]:
        """Stores the state to come and records the intent; from here on recovery finishes it."""
        archive = self._sandboxes.archive(plan.project_id)
        before = verified(archive, safety.checkpoint)
        files = self._stored(plan, proposed)
        with self._database.reading() as connection:
            seq = CheckpointRepository(connection).next_seq(plan.plan_id)
        facts = {
            "checkpoint_id": new_id(),
            "seq": seq,
            "state_hash": state_hash(files.roots, document_of(before)),
            "metadata": _metadata(plan, proposed, files),
        }
        row = vars(_record(safety.checkpoint, facts, ""))
        about = {**before.about, **{name: row[name] for name in before.about if name in row}}
        reference = archive.keep_again(files, about)
        intent = Restore(
            source=proposed.source.checkpoint_id,
            safety=safety.checkpoint.checkpoint_id,
            row=facts,
            snapshot=reference,
            paths=proposed.paths,
            files=len(proposed.changes),
            keeps=(reference,),
        )
        with self._database.writing(held) as connection:
            return OperationRepository(connection).open(plan.plan_id, intent)

    def finish(self, held: Held, operation: Operation[Restore]) -> str:
        """Carries out what was interrupted, and tells of it."""
        name = self.carry_out(held, operation).source.name
        return f"an interrupted restore from {name} was finished"

    def carry_out(self, held: Held, operation: Operation[Restore]) -> PathRestoration:
        """Places the files and closes the intent with the checkpoint of what is there now.

        If content turns out to be unreadable, the files go back to the safety checkpoint.
        """
        intent = operation.intent
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(operation.plan_id)
            source, safety = (
                CheckpointRepository(connection).get(name)
                for name in (intent.source, intent.safety)
            )
        placed = self._placing.place(held, operation, intent.snapshot)
        record = _record(safety, intent.row, intent.snapshot)
        with self._database.writing(held) as connection:
            CheckpointRepository(connection).add(record)
            operations = OperationRepository(connection)
            # From here on its row keeps the content, as long as it is there.
            operations.extend(operation.operation_id, replace(intent, keeps=()))
            operations.close(operation.operation_id, Status.DONE, {"files": intent.files})
        self._report(PathsRestored(plan.plan_id, source.seq, intent.files))
        return PathRestoration(
            source, safety, record, described(placed.changes, action_on_path), placed.kept
        )

    def _stored(self, plan: Plan, proposed: RestoreProposal) -> Snapshot:
        """Stores the files as they would be."""
        archive = self._sandboxes.archive(plan.project_id)
        filter_ = verified(archive, proposed.source).filter
        present = archive.load(self._sandboxes.capture(plan.plan_id, plan.project_id, filter_))
        put_together = archive.with_entries(present, proposed.picked.entries, [EMPTY])
        about = {"kind": "restore", "plan_id": plan.plan_id}
        return archive.load(archive.keep_merge(put_together, about))

    def _refuse_unsaved(self, changes: Iterable[Change]) -> None:
        """Refuses to change what the safety checkpoint would leave out: nothing could undo it."""
        lost = [
            shown(change.path)
            for change in changes
            if change.before is not None and is_excluded(self._filter, change.path)
        ]
        if lost:
            raise Refused(
                f"{EXCLUDE} leaves out what would change; it could not be taken back",
                detail=lost,
                hints=[f"take it out of {EXCLUDE}, or name other paths"],
            )


class RestoreService:
    """Takes single paths of plans back."""

    def __init__(
        self, database: Database, restores: Restores, checkpoints: CheckpointActs, hold: Hold
    ) -> None:
        self._database = database
        self._restores = restores
        self._checkpoints = checkpoints
        self._hold = hold

    def preview(self, plan_id: PlanId, source: Checkpoint, paths: Sequence[str]) -> RestoreProposal:
        """Tells what taking paths back would do; owns nothing, stores and changes nothing."""
        return self._restores.propose(self._plan(plan_id), source, paths)

    def run(
        self,
        plan_id: PlanId,
        source: Checkpoint,
        paths: Sequence[str],
        *,
        shown_digest: str | None = None,
    ) -> PathRestoration | None:
        """Takes paths back from a checkpoint; None: they are just so already.

        With a digest, only if it is still what was shown.
        """
        with self._hold(plan_id, f"taking paths back from {source.name}") as held:
            plan = self._plan(plan_id)
            proposed = self._restores.propose(plan, source, paths)
            again = f"agents plan restore {plan_id} {source.seq} --path …"
            refuse_other(shown_digest, proposed.digest, again)
            if not proposed.changes:
                return None
            reason = f"before paths were taken back from {source.name}"
            safety = self._checkpoints.save_safety(held, reason, going=proposed.going)
            operation = self._restores.open(held, plan, proposed, safety)
            return self._restores.carry_out(held, operation)

    def _plan(self, plan_id: PlanId) -> Plan:
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(plan_id)
        refuse_applied(plan)
        if plan.stage not in RESTORABLE:
            raise Refused(
                f"no path is taken back from a checkpoint while a plan is {written(plan.stage)}",
                hints=[f"see where it stands: agents plan status {plan_id}"],
            )
        return plan


def _refuse_excluded(paths: Sequence[bytes], source: Checkpoint, held: Snapshot) -> None:
    """Refuses paths that a checkpoint left out: it neither has nor misses them."""
    for path in paths:
        if is_excluded(held.filter, path):
            why = held.why_unknown(path) or f"{EXCLUDE} left it out"
            raise Refused(
                f"{source.name} knows nothing of {shown(path)}: {why}",
                hints=[
                    f"see what it holds: agents plan checkpoint show {source.plan_id} {source.seq}"
                ],
            )


def _proposed(
    source: Checkpoint, paths: Sequence[bytes], picked: Selection, changes: Sequence[Change]
) -> RestoreProposal:
    asked, absent, tops = (
        tuple(map(os.fsdecode, group)) for group in (paths, picked.absent, picked.tops)
    )
    going: Changes = {MAIN: list(changes)}
    digest = digest_of(changes, source.checkpoint_id)
    return RestoreProposal(
        source, asked, absent, tops, described(going, action_on_path), going, picked, digest
    )


def _metadata(plan: Plan, proposed: RestoreProposal, files: Snapshot) -> dict[str, object]:
    return {
        "reason": f"took {', '.join(proposed.paths)} back from {proposed.source.name}",
        "target": proposed.source.checkpoint_id,
        "phase": plan.phase,
        "filter": list(files.filter.patterns),
        "not_captured": list(files.not_captured),
    }


def _record(safety: Checkpoint, facts: Mapping[str, Any], reference: str) -> Checkpoint:
    """The checkpoint of what is there afterwards; it goes on from what was there before."""
    return replace(
        safety,
        decision_id=None,
        checkpoint_type=CheckpointType.MANUAL,
        sandbox_ref=reference,
        size_bytes=0,
        created_at=now(),
        label=None,
        parent_id=safety.checkpoint_id,
        pinned=False,
        **facts,
    )
