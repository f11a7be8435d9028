"""What was edited between a crash and the recovery that would replace it.

An interrupted operation leaves each path as it was or as it shall be. What is neither was written
by somebody else since, and nothing else holds it: it is saved before the operation is finished.
"""

from dataclasses import dataclass
from pathlib import Path

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.saving import CheckpointRequest, Saving
from cleveragents.checkpoints.stored import last_known
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.errors import Damaged
from cleveragents.ids import PlanId, SnapshotId
from cleveragents.operations.intent import Ends, Saved, Stored
from cleveragents.operations.operation import AnyOperation
from cleveragents.plans.plan import PlanRepository
from cleveragents.sandbox.sandbox import REMOVED
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Roots
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.way import Changes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held


@dataclass(frozen=True)
class Edited:
    """What is there and in neither end of an operation."""

    filter: Filter  # what going on would leave alone
    going: Changes | None  # None: nobody can tell


class Meanwhile:
    """Saves what an interrupted operation would replace and neither of its ends holds."""

    def __init__(self, database: Database, sandboxes: Sandboxes, saving: Saving) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._saving = saving

    def save_edits(self, held: Held, operation: AnyOperation) -> Checkpoint | None:
        """Saves the present if somebody has edited it since.

        The user's own directory is never overwritten where it is neither: an apply needs no saving.
        """
        sandbox, ends = self._sandboxes.find(operation.plan_id), operation.intent.ends
        if ends is None or sandbox is None or not sandbox.has_directories:
            return None
        try:
            edited = self._edited(operation.plan_id, ends, sandbox.roots)
        except Damaged:
            edited = Edited(Filter(), None)  # nothing to compare with: all of it is saved
        if edited.going == {}:
            return None
        wanted = CheckpointRequest(
            CheckpointType.SAFETY,
            f"before an interrupted {operation.kind.noun} was finished",
            even_if_unchanged=False,
            filter=edited.filter,
        )
        return self._saving.save(held, wanted, prune=False, going=edited.going, half_made=True)

    def move_aside(self, plan_id: PlanId) -> Path | None:
        """Takes what lies where a sandbox was removed out of the way; None: it is all saved."""
        sandbox = self._sandboxes.find(plan_id)
        if sandbox is None or sandbox.status != REMOVED or not sandbox.has_files:
            return None
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(plan_id)
            latest = Stored(last_known(connection, plan))
        try:
            edited = self._edited(plan_id, Ends(latest, latest), sandbox.roots)
        except (Damaged, OSError):
            edited = Edited(Filter(), None)
        return None if edited.going == {} else self._sandboxes.move_aside(sandbox)

    def _edited(self, plan_id: PlanId, ends: Ends, roots: Roots) -> Edited:
        with self._database.reading() as connection:
            project_id = PlanRepository(connection).get(plan_id).project_id
            refs = [_snapshot(connection, end) for end in (ends.was, ends.shall_be)]
        archive = self._sandboxes.archive(project_id)
        was, shall_be = map(archive.load, refs)
        changes = (archive.changes_from_now(end, roots) for end in (was, shall_be))
        return Edited(shall_be.filter, _neither(*changes))


def _snapshot(connection: Connection, end: Saved | Stored) -> SnapshotId:
    """The snapshot that an intent names, by itself or by its checkpoint."""
    if isinstance(end, Stored):
        return end.reference
    return CheckpointRepository(connection).get(end.checkpoint_id).sandbox_ref


def _neither(was: Changes, shall_be: Changes) -> Changes:
    """What stands at paths where it is neither; nothing is lost with a directory or a gap."""
    found: Changes = {}
    for root, changes in shall_be.items():
        others = {change.path: change for change in was.get(root, ())}
        edited = [
            change
            for change in changes
            if change.path in others and not _is_held(change) and not _is_held(others[change.path])
        ]
        if edited:
            found[root] = edited
    return found


def _is_held(change: Change) -> bool:
    """Whether an end has what stands there; a crash may part the names of a file, or its time."""
    now, end = change.before, change.after
    if now is None or now.is_dir:
        return True
    return end is not None and (now.mode, now.content) == (end.mode, end.content)
