"""Resolves one conflict: the version somebody chose takes its place in the sandbox, as one act.

The state to come is put together and stored first, then the intent is recorded, the files are
placed, and one transaction closes the conflict with the intent.
"""

import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.file_change import FileChange, described
from cleveragents.checkpoints.shown import digest_of
from cleveragents.engine.back.placing import Placements
from cleveragents.errors import InvalidInput, Refused
from cleveragents.operations.in_sandbox import Resolve
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.conflict import CHILD, PARENT, Conflict, ConflictRepository
from cleveragents.plans.plan import Plan
from cleveragents.quoting import quoted
from cleveragents.records import frozen, replace
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.picking import is_excluded
from cleveragents.snapshots.tree.content import CHUNK
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import Change, Entry, object_id
from cleveragents.snapshots.tree.scan import shown
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held

NEW_FILE = stat.S_IFREG | 0o644
EXCLUDE = "sandbox.checkpoint.exclude"


@frozen
class ResolutionProposal:
    """What resolving a conflict would do."""

    conflict: Conflict
    take: str
    going: tuple[Change, ...]  # each path that would change, with what stands there
    changes: tuple[FileChange, ...]
    made: tuple[bytes, ...]  # what no side of the conflict has: somebody made it by hand

    @property
    def digest(self) -> str:
        """Tells apart what two of them would replace."""
        return digest_of([replace(change, after=None) for change in self.going])


class Resolutions:
    """Opens and carries out resolve operations."""

    def __init__(
        self, database: Database, sandboxes: Sandboxes, placing: Placements, filter_: Filter
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._placing = placing
        self._filter = filter_  # of the safety checkpoint

    def propose(self, plan: Plan, conflict: Conflict, take: str) -> ResolutionProposal:
        """Tells what would change; nothing is stored for it."""
        entry, contents = _taken(conflict, take)
        archive = self._sandboxes.archive(plan.project_id)
        files = {MAIN: self._sandboxes.require(plan.plan_id).path}
        seen = archive.see(files, Filter())
        resolved = seen.through.with_entries(seen.snapshot, {conflict.path: entry}, contents)
        going = tuple(resolved.changes)
        proposed = ResolutionProposal(
            conflict,
            take,
            going,
            described({MAIN: list(going)}),
            tuple(each.path for each in going if _is_made(each, conflict, archive)),
        )
        self._refuse_unsaved(plan, proposed)
        return proposed

    def open(
        self, held: Held, plan: Plan, proposed: ResolutionProposal, safety: Checkpoint | None
    ) -> Operation[Resolve]:
        """Stores what is there and what is to be, then records the intent."""
        conflict = proposed.conflict
        entry, contents = _taken(conflict, proposed.take)
        archive = self._sandboxes.archive(plan.project_id)
        stored = self._sandboxes.capture(plan.plan_id, plan.project_id, Filter())
        resolved = archive.with_entries(archive.load(stored), {conflict.path: entry}, contents)
        roots = self._sandboxes.require(plan.plan_id).roots
        present = archive.secure(stored, roots, {MAIN: list(resolved.changes)})
        target = archive.keep_merge(resolved, {"kind": "conflict", "plan_id": plan.plan_id})
        intent = Resolve(
            conflict=conflict.conflict_id,
            path=shown(conflict.path),
            take=proposed.take,
            safety=None if safety is None else safety.checkpoint_id,
            target=target,
            present=present,
            keeps=(target, present),
        )
        with self._database.writing(held) as connection:
            return OperationRepository(connection).open(plan.plan_id, intent)

    def finish(self, held: Held, operation: Operation[Resolve]) -> str:
        """Carries out what was interrupted, and tells of it."""
        self.carry_out(held, operation)
        return f"the interrupted resolve of {operation.intent.path} was finished"

    def carry_out(self, held: Held, operation: Operation[Resolve]) -> None:
        """Places the files and closes the intent with the conflict."""
        intent = operation.intent
        self._placing.place(held, operation, operation.intent.target)
        with self._database.writing(held) as connection:
            conflicts = ConflictRepository(connection)
            conflicts.close(intent.conflict, operation.operation_id, intent.take)
            OperationRepository(connection).close(operation.operation_id, Status.DONE, {})
        self._placing.mark_done(held, f"resolved the conflict in {intent.path}")

    def _refuse_unsaved(self, plan: Plan, proposed: ResolutionProposal) -> None:
        """Refuses to replace what no checkpoint would hold: nothing could take it back."""
        kept = plan.keeps_checkpoints
        lost = [path for path in proposed.made if not kept or is_excluded(self._filter, path)]
        if not lost:
            return
        why = f"{EXCLUDE} leaves it out" if kept else "the plan has no checkpoints"
        path = os.fsdecode(proposed.conflict.path)
        place_of_it = self._sandboxes.require(plan.plan_id).path / path
        again = f"agents plan resolve {plan.plan_id} {quoted(path)} --take FILE"
        raise Refused(
            f"what is there was made by hand and could not be taken back: {why}",
            detail=list(map(shown, lost)),
            hints=[
                f"keep it: cp {quoted(str(place_of_it))} FILE",
                f"or let it count: {again}",
            ],
        )


def _is_made(change: Change, conflict: Conflict, archive: Archive) -> bool:
    """Whether what would go is neither taken nor in a snapshot that the conflict came from."""
    before = change.before
    if before is None or before.is_dir:
        return False
    held = (archive.lookup(archive.load(ref)).find(change.path) for ref in conflict.refs)
    known = (change.after, *held)
    return not any(
        one is not None and (one.mode, one.content) == (before.mode, before.content)
        for one in known
    )


def _taken(conflict: Conflict, take: str) -> tuple[Entry | None, Sequence[bytes]]:
    """Returns what is to stand at the path, and content that is not stored yet."""
    if take in (PARENT, CHILD):
        version = conflict.versions[take]
        return None if version is None else version._replace(link=b""), ()
    file = Path(take)
    if not file.is_file():
        raise InvalidInput(f"--take is mine, plan or a file; {take} is none of them")
    data = file.read_bytes()
    if len(data) > CHUNK:
        raise Refused(
            f"{take} is larger than {CHUNK} bytes",
            hints=["take mine or plan, and put the file into the sandbox afterwards"],
        )
    model = conflict.versions[CHILD] or conflict.versions[PARENT]
    mode = model.mode if model is not None and model.is_file else NEW_FILE
    return Entry(mode, len(data), time.time_ns(), object_id(data)), [data]
