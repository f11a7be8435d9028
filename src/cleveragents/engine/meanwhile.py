"""What was edited between a crash and the recovery that would replace it.

An interrupted operation leaves each path as it was or as it shall be. What is neither was written
by somebody else since, and nothing else holds it: it is saved before the operation is finished.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.operations import Kind, Operation
from cleveragents.checkpoints.saving import Saving, Wanted
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.errors import Damaged
from cleveragents.ids import is_id
from cleveragents.plans.plan import PlanRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Roots
from cleveragents.snapshots.filter import Filter
from cleveragents.snapshots.manifest import Change
from cleveragents.snapshots.way import Changes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database

# Where the intent of each kind names what was there and what is to be; the user's own directory is
# never overwritten where it is neither, so an apply needs no saving.
_CHECKPOINTS = ("safety", "target")
_SNAPSHOTS = ("present", "target")
ENDS: Mapping[Kind, tuple[str, str]] = {
    Kind.ROLLBACK: _CHECKPOINTS,
    Kind.REVERT: _CHECKPOINTS,
    Kind.CORRECT: _CHECKPOINTS,
    Kind.RESTORE: ("safety", "snapshot"),
    Kind.MERGE: _SNAPSHOTS,
    Kind.REFRESH: _SNAPSHOTS,
    Kind.RESOLVE: _SNAPSHOTS,
    Kind.VALIDATE: ("snapshot", "snapshot"),
}


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

    def keep(self, operation: Operation) -> Checkpoint | None:
        """Saves the present if somebody has edited it since; the caller owns the plan."""
        sandbox = self._sandboxes.find(operation.plan_id)
        if operation.kind not in ENDS or sandbox is None or not sandbox.exists:
            return None
        try:
            edited = self._edited(operation, sandbox.roots)
        except Damaged:
            edited = Edited(Filter(), None)  # nothing to compare with: all of it is saved
        if edited.going == {}:
            return None
        wanted = Wanted(
            CheckpointType.SAFETY,
            f"before an interrupted {operation.kind} was finished",
            even_if_unchanged=False,
            filter=edited.filter,
        )
        return self._saving.save(operation.plan_id, wanted, prune=False, going=edited.going)

    def _edited(self, operation: Operation, roots: Roots) -> Edited:
        with self._database.reading() as connection:
            project_id = PlanRepository(connection).get(operation.plan_id).project_id
            named = [str(operation.intent[end]) for end in ENDS[operation.kind]]
            refs = [_snapshot(connection, name) for name in named]
        archive = self._sandboxes.archive(project_id)
        ends = [archive.load(ref) for ref in refs]
        was, shall_be = (archive.changes_from_now(end, roots) for end in ends)
        return Edited(ends[-1].filter, _neither(was, shall_be))


def _snapshot(connection: Connection, name: str) -> str:
    """The snapshot that an intent names, by itself or by its checkpoint."""
    return CheckpointRepository(connection).get(name).sandbox_ref if is_id(name) else name


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
