"""Removing the files of a sandbox: what is nowhere else is saved first, or they stay."""

from collections.abc import Iterator, Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.saving import Saves
from cleveragents.engine.back.workplaces import Workplaces
from cleveragents.errors import CleverAgentsError, Damaged
from cleveragents.ids import SnapshotId
from cleveragents.operations.in_project import Apply
from cleveragents.operations.operation import OperationRepository
from cleveragents.plans.lifecycle import APPLIED
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen, replace
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.capture import named
from cleveragents.snapshots.healing import Safeguard
from cleveragents.snapshots.picking import is_excluded
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.way import RESERVE_BYTES
from cleveragents.storage.database import Database
from cleveragents.storage.fault import is_out_of_space
from cleveragents.storage.held import Held
from cleveragents.storage.space import disk_use, free_bytes

LISTED = 5  # paths named to people


@frozen
class RemovalResult:
    """The fate of the files of a sandbox."""

    saved: Checkpoint | None  # what was made of them first, if no checkpoint had all of them
    kept_for: tuple[str, ...]  # why they stay: paths that no checkpoint would hold
    lost: tuple[str, ...] = ()  # what went unsaved, because there was no room for it


class Removals:
    """Removes the files of sandboxes, never the only copy unless it is told to."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        workplaces: Workplaces,
        saving: Saves,
        filter_: Filter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._workplaces = workplaces
        self._saving = saving
        self._filter = filter_

    def unheld(self, plan: Plan) -> tuple[str, ...]:
        """Names what of a sandbox neither a checkpoint of it nor a stored result would hold."""
        return unheld(self._database, self._sandboxes, self._filter, plan)

    def without_room(self, plan: Plan) -> tuple[str, ...]:
        """Names what of a sandbox is in no checkpoint yet and may not fit on the disk once more."""
        sandbox = self._sandboxes.find(plan.plan_id)
        if sandbox is None or not sandbox.exists or not plan.keeps_checkpoints:
            return ()
        room = free_bytes(sandbox.home) - RESERVE_BYTES
        if disk_use(sandbox.home) <= room:
            return ()
        latest = self._latest(plan)
        reference = sandbox.base if latest is None else latest.sandbox_ref
        archive = self._sandboxes.archive(plan.project_id)
        try:
            found = archive.changes_from_now(archive.load(reference), sandbox.roots)
        except Damaged:  # then nobody knows what of it is stored
            return (str(sandbox.path),)
        new = [(root, change) for root, changes in found.items() for change in _gone(changes)]
        fits = sum(change.before.size for _, change in new if change.before) <= room
        return () if fits else tuple(named(root, change.path) for root, change in new)

    def remove(self, held: Held, plan: Plan, *, discard: bool = False) -> RemovalResult:
        """Saves what no checkpoint holds and removes the files.

        What a checkpoint would leave out, or what there is no room for, goes only if it is to be
        discarded.
        """
        kept_for = () if discard else self.unheld(plan)
        if kept_for:
            return RemovalResult(None, kept_for)
        lost = self.without_room(plan) if discard else ()
        place = self._workplaces.of(held, plan.project_id, "removal")
        try:
            safeguard, saved = self._safeguarded(held, plan)
        except (OSError, CleverAgentsError) as error:
            if not lost or not is_out_of_space(error):
                raise
            place.discard()
            return RemovalResult(None, (), lost)
        if safeguard is None:
            place.discard()
        else:
            place.remove(safeguard)
        return RemovalResult(saved, ())

    def _safeguarded(self, held: Held, plan: Plan) -> tuple[Safeguard | None, Checkpoint | None]:
        """Makes sure of the files, if any; returns the checkpoint if one was made for it.

        None: they are gone, or the plan makes no checkpoints and somebody has said they may go.
        """
        if not self._sandboxes.is_there(plan.plan_id):
            return None, None
        result = self._secured_result(plan)
        if result is not None or not plan.keeps_checkpoints:
            return result, None
        latest = self._latest(plan)
        reason = "before its sandbox was removed"
        wanted = CheckpointRequest(CheckpointType.SAFETY, reason, even_if_unchanged=False)
        safety = self._saving.save_safety(held, wanted, prune=True)
        is_new = latest is None or latest.seq != safety.checkpoint.seq
        return safety.safeguard, safety.checkpoint if is_new else None

    def _secured_result(self, plan: Plan) -> Safeguard | None:
        """The stored result of the plan, if the files are that and can be had from there."""
        reference = _result(self._database, plan)
        if reference is None or any(_taken_away(self._sandboxes, plan, reference)):
            return None
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        made = archive.changes(archive.load(sandbox.base), archive.load(reference))
        return archive.secure(reference, sandbox.roots, made)

    def _latest(self, plan: Plan) -> Checkpoint | None:
        with self._database.reading() as connection:
            return CheckpointRepository(connection).latest(plan.plan_id)


def unheld(
    database: Database, sandboxes: Sandboxes, filter_: Filter, plan: Plan
) -> tuple[str, ...]:
    """Names what of a sandbox neither a checkpoint of it nor a stored result would hold."""
    saves = plan.keeps_checkpoints
    sandbox = sandboxes.find(plan.plan_id)
    if sandbox is None or not sandbox.exists or (saves and not filter_.patterns):
        return ()
    result = _result(database, plan)
    if result is None and saves:
        archive = sandboxes.archive(plan.project_id)
        return tuple(map(shown, archive.left_out(sandbox.roots, filter_)))
    if result is None:
        return (str(sandbox.path),)
    return tuple(
        named(root, path)
        for root, path in _taken_away(sandboxes, plan, result)
        if not saves or (root == MAIN and is_excluded(filter_, path))
    )


def _taken_away(
    sandboxes: Sandboxes, plan: Plan, result: SnapshotId
) -> Iterator[tuple[str, bytes]]:
    """The paths of a sandbox, by root, whose bytes are not those of a stored result."""
    archive = sandboxes.archive(plan.project_id)
    whole = replace(archive.load(result), filter=Filter())
    changes = archive.changes_from_now(whole, sandboxes.require(plan.plan_id).roots)
    return ((root, change.path) for root, found in changes.items() for change in _gone(found))


def _result(database: Database, plan: Plan) -> SnapshotId | None:
    """The snapshot of the whole sandbox that its apply, or the merge into its parent, keeps."""
    if plan.stage != APPLIED:
        return plan.merged_ref
    with database.reading() as connection:
        return OperationRepository(connection).latest(plan.plan_id, Apply).intent.result


def told_why_it_stays(unheld: Sequence[str]) -> str:
    """Says why a sandbox is left where it is, and how it goes all the same."""
    named_ones = ", ".join([*unheld[:LISTED], *(["…"] if len(unheld) > LISTED else [])])
    return (
        f"its sandbox stays: no checkpoint holds {named_ones};"
        " to remove it: agents sandbox prune --discard"
    )


def _gone(changes: Sequence[Change]) -> Iterator[Change]:
    """The changes that take bytes away; times alone are none."""
    for change in changes:
        before, after = change.before, change.after
        if before is None or before.is_dir:
            continue
        if after is None or (before.mode, before.content) != (after.mode, after.content):
            yield change
