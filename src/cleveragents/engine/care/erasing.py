"""Forgetting paths: they go from all that is stored of a project, and nothing else does.

Snapshots are stored again without them, a note in each store says that it is to be scoured, and one
transaction lets every row name the new ones. Then content goes. A crash before that transaction
leaves everything as it was; after it, whoever frees space next, or the doctor, scours.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cleveragents.checkpoints.checkpoint import state_hash
from cleveragents.checkpoints.needs import live
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.checkpoints.stored import document_of
from cleveragents.engine.back.pruning import Prunes
from cleveragents.engine.care import references
from cleveragents.engine.care.erasure import (
    Erasure,
    ErasureInProject,
    ErasureRequest,
    ErasureSearch,
)
from cleveragents.engine.care.examination import leftovers
from cleveragents.errors import Busy, Damaged, Refused
from cleveragents.ids import PlanId
from cleveragents.operations.operation import OperationRepository
from cleveragents.plans.plan import PlanRepository
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.erasing import Renamed
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.tree.scan import shown
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold
from cleveragents.storage.lock import Locks

DOING = "forgetting"
MEND = "mend it, then try again: agents doctor --repair"


@frozen
class ErasureResult:
    """The result of forgetting paths."""

    erased: Erasure
    bytes_freed: int


class Erasures:
    """Lets go of paths."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        pruning: Prunes,
        project_locks: Locks,
        is_owned: Callable[[str], bool],
        hold: Hold,
        search: ErasureSearch,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._pruning = pruning
        self._project_locks = project_locks
        self._is_owned = is_owned
        self._hold = hold
        self._search = search

    def preview(self, wanted: ErasureRequest, seen_from: Path) -> Erasure:
        """Tells what would go; refused while a plan that it touches is in use."""
        would = self._search.look(wanted, seen_from)
        for plan in (plan for one in would.projects for plan in one.plans):
            if self._is_owned(plan.plan_id):
                raise Busy(
                    f"{plan.name} is in use by another process",
                    hints=[f"stop it first: agents plan cancel {plan.plan_id}"],
                )
        return would

    def plans(self) -> Sequence[PlanId]:
        """Returns the plans of the project."""
        with self._database.reading() as connection:
            found = PlanRepository(connection).of_any_kind(self._search.project_id())
        return [plan.plan_id for plan in found]

    def recover(self) -> None:
        """Finishes what was interrupted in the plans of the project."""
        with self._database.reading() as connection:
            begun = OperationRepository(connection).unfinished_kinds()
        for plan_id in self.plans():
            if plan_id in begun:
                with self._hold(plan_id, "finishing what was interrupted", files=False):
                    pass

    def run(
        self, wanted: ErasureRequest, seen_from: Path, shown_digest: str | None = None
    ) -> ErasureResult:
        """Forgets paths; this cannot be undone."""
        again = f"{wanted.command} --dry-run"
        with ExitStack() as stack:
            first = self._search.look(wanted, seen_from)
            held = [self._hold_all(stack, one) for one in first.projects]
            would = self._search.look(wanted, seen_from)
            if {one.project_id for one in would.projects} != {
                one.project_id for one in first.projects
            }:
                raise Busy("another process has just stored it", hints=[f"look again: {again}"])
            refuse_other(shown_digest, would.digest, again)
            for one in would.projects:
                self._refuse_unsettled(one)
                self._refuse_lost(one)
            self._erase(next((found for found in held if found is not None), None), would)
            for one in would.projects:
                self._remove_leftovers(one)
            freed = sum(self._pruning.scour(one.project_id, wait=True) for one in would.projects)
        return ErasureResult(would, freed)

    def _hold_all(self, stack: ExitStack, found: ErasureInProject) -> Held | None:
        """Holds the plans of a project, then the project; returns the first."""
        held = [
            stack.enter_context(self._hold(plan.plan_id, DOING, files=False))
            for plan in found.plans
        ]
        stack.enter_context(self._project_locks.own(found.project_id, DOING))
        return next(iter(held), None)

    def _remove_leftovers(self, found: ErasureInProject) -> None:
        """Removes what killed processes left beside the files of sandboxes: it may be a version."""
        for plan in found.plans:
            sandbox = self._sandboxes.find(plan.plan_id)
            for path in [] if sandbox is None else list(leftovers(sandbox)):
                path.unlink()

    def _refuse_unsettled(self, found: ErasureInProject) -> None:
        """Refuses while something is half-way that could not be finished then."""
        paths = found.paths
        with self._database.reading() as connection:
            begun = OperationRepository(connection)
            for plan in found.plans:
                stuck = [one for one in begun.unfinished(plan.plan_id) if one.holds_files]
                if stuck:
                    raise Refused(
                        f"{plan.name}: its {stuck[0].kind.noun} was interrupted and cannot be"
                        " finished",
                        hints=["give it up, then try again: agents doctor --repair"],
                    )
            waiting = references.conflicts_at(connection, found.project_id, paths, still_open=True)
        for plan_id, path in waiting.values():
            raise Refused(
                f"a conflict about {shown(path)} is open",
                hints=[f"resolve it first: agents plan conflicts {plan_id}"],
            )

    def _refuse_lost(self, found: ErasureInProject) -> None:
        """Refuses while anything that stays cannot be read: it could not be written anew."""
        try:
            self._sandboxes.archive(found.project_id).eraser.refuse_lost(found.live)
        except Damaged as error:
            told = f"what is stored of {found.project.path} is damaged; nothing was changed"
            raise Damaged(told, detail=[error.message], hints=[MEND]) from error

    def _erase(self, held: Held | None, would: Erasure) -> None:
        """Stores snapshots again and lets all rows name them: all of it, or nothing."""
        with ExitStack() as stack:
            renamed = {one.project_id: self._written(stack, one) for one in would.projects}
            if held is None or not any(renamed.values()):
                return
            with self._database.writing(held) as connection:
                for one in would.projects:
                    self._swap(connection, one, renamed[one.project_id])

    def _written(self, stack: ExitStack, found: ErasureInProject) -> Renamed:
        archive = self._sandboxes.archive(found.project_id)
        stack.enter_context(archive.holding(DOING))  # until rows name what is new
        renamed = archive.eraser.write(found.erased, found.live, _restated)
        archive.eraser.begin({*renamed, *found.doomed})
        return renamed

    def _swap(self, connection: Connection, found: ErasureInProject, renamed: Renamed) -> None:
        if live(connection, found.project_id) ^ found.live:
            raise Busy("something was stored meanwhile; nothing was changed", hints=["try again"])
        archive = self._sandboxes.archive(found.project_id)
        references.swap(connection, found.project_id, archive, renamed, found.erased)
        references.drop_conflicts(connection, found.project_id, found.paths)


def _restated(snapshot: Snapshot) -> Mapping[str, Any]:
    """The facts in the record of a snapshot, with the hash of its present state."""
    if "state_hash" not in snapshot.about:
        return snapshot.about
    return {
        **snapshot.about,
        "state_hash": state_hash(snapshot.roots, document_of(snapshot)),
    }
