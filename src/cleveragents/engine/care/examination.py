"""Looks at a data directory: rows, packs, sandboxes, programs. Nothing is changed."""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.verification import Verification
from cleveragents.confinement.confinement import Confinement
from cleveragents.engine.back.pruning import Prunes
from cleveragents.engine.care.facts import Facts, Orphan, PlanFacts, ProjectFacts, System
from cleveragents.engine.hold.ownership import Ownership
from cleveragents.errors import Damaged
from cleveragents.ids import PlanId, ProjectId, SnapshotId
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.decision import Decision, DecisionRepository
from cleveragents.plans.journal import JournalEntry, entries
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step_run import StepRun, StepRunRepository
from cleveragents.records import frozen
from cleveragents.sandbox import git
from cleveragents.sandbox.mirror import mirror_in
from cleveragents.sandbox.removal import somebody_elses
from cleveragents.sandbox.rooms import SUFFIX as TRYING
from cleveragents.sandbox.sandbox import Sandbox, SandboxRepository
from cleveragents.sandbox.sandboxes import REMOVING, Sandboxes
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.store.inspection import Inspection
from cleveragents.snapshots.store.joining import Root
from cleveragents.snapshots.tree import looks
from cleveragents.storage.database import SCHEMA, Database
from cleveragents.storage.head import Head
from cleveragents.storage.health import health
from cleveragents.storage.privacy import is_open, others
from cleveragents.storage.space import disk_use
from cleveragents.storage.unheard import unheard

NO_STORE = Inspection((), {}, ())
CACHE_BEING_WRITTEN = "*.stat.new"
PASSING = (REMOVING, TRYING)  # ends of names that no row is meant to know
STOPPED = "T"  # the state of a process that waits for a signal to go on


@frozen
class _Rows:
    """All that is recorded of a plan."""

    plan: Plan
    sandbox: Sandbox | None
    unfinished: Sequence[AnyOperation]
    checkpoints: Sequence[Checkpoint]
    decisions: Sequence[Decision]
    runs: Sequence[StepRun]
    journal: Sequence[JournalEntry]


class Examination:
    """Gathers facts; what they mean is for the checks."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        pruning: Prunes,
        ownership: Ownership,
        head: Head,
        data_dir: Path,
        confinement: Confinement,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._pruning = pruning
        self._ownership = ownership
        self._head = head
        self._data_dir = data_dir
        self._confinement = confinement

    def examine(self) -> Facts:
        """Returns everything there is to know."""
        with self._database.reading() as connection:
            rows = connection.tuples("SELECT project_id, path FROM projects")
        known = {project_id: Path(path) for project_id, path in rows}
        stores = {ProjectId(path.name) for path in self._data_dir.glob("projects/*")}
        found = [self._project(name, known.get(name)) for name in sorted(known.keys() | stores)]
        homes = {facts.sandbox.home for one in found for facts in one.plans if facts.sandbox}
        strays = [
            path
            for path in sorted(self._data_dir.glob("sandboxes/*"))
            if path not in homes and path.suffix not in PASSING
        ]
        left_behind = {path: somebody_elses(path) for path in self._sandboxes.left_behind()}
        told = unheard(self._data_dir)
        return Facts(self._system(), found, tuple(strays), left_behind, told)

    def _system(self) -> System:
        path = self._data_dir / "cleveragents.db"
        with self._database.reading() as connection:
            state = health(connection)
        free = os.statvfs(self._data_dir)
        return System(
            sqlite3.sqlite_version,
            state.journal_mode,
            SCHEMA,
            git.version(),
            "compiled" if looks.is_compiled() else "python",
            state.problems,
            path.stat().st_size,
            free.f_bavail * free.f_frsize,
            self._data_dir.stat().st_uid,
            os.geteuid(),
            self._head.is_behind,
            tuple(sorted(others(self._data_dir))) if is_open(self._data_dir) else (),
            self._confinement.survey,
        )

    def _project(self, project_id: ProjectId, path: Path | None) -> ProjectFacts:
        home = self._data_dir / "projects" / project_id
        with self._database.reading() as connection:
            plans = PlanRepository(connection).of_any_kind(project_id)
        if not (home / "store" / "packs").is_dir():  # to open a store would make it
            facts = [self._plan(plan, None) for plan in plans]
            return ProjectFacts(project_id, path, facts, NO_STORE, (), frozenset(), 0)
        archive = self._sandboxes.archive(project_id)
        store = archive.inspect()
        verification = Verification(archive, store.lost)
        facts = [self._plan(plan, verification) for plan in plans]
        missed = frozenset(verification.missed)  # before orphans are looked at: they are no rows'
        orphans = list(self._orphans(project_id, archive, store, verification))
        mirror = disk_use(mirror_in(home))
        sandboxes = [plan.sandbox for plan in facts if plan.sandbox is not None]
        history = self._sandboxes.history_problems(project_id, sandboxes)
        return ProjectFacts(
            project_id,
            path,
            facts,
            store,
            orphans,
            missed,
            mirror,
            history,
            archive.is_erasing,
        )

    def _plan(self, plan: Plan, verification: Verification | None) -> PlanFacts:
        plan_id = plan.plan_id
        found, state = self._settled(plan_id)
        sandbox = found.sandbox
        return PlanFacts(
            found.plan,
            state is not None,
            state == STOPPED,
            sandbox,
            found.unfinished,
            [verification.of(row) for row in found.checkpoints] if verification else [],
            self._base_damage(plan.project_id, sandbox, verification),
            disk_use(sandbox.home) if sandbox else 0,
            disk_use(self._data_dir / "output" / plan_id),
            tuple(leftovers(sandbox)) if sandbox and state is None else (),
            found.decisions,
            found.runs,
            found.journal,
        )

    def _settled(self, plan_id: PlanId) -> tuple["_Rows", str | None]:
        """Returns the rows of a plan and the state of its owner, as they were at one moment.

        A run may begin or end between a look at the one and at the other: where nobody owns the
        plan, the rows must be the same before and after it was seen.
        """
        while True:
            found = self._rows(plan_id)
            state = self._ownership.owner_state(plan_id)
            if state is not None or self._rows(plan_id) == found:
                return found, state

    def _rows(self, plan_id: PlanId) -> "_Rows":
        with self._database.reading() as connection:  # one moment for all of its rows
            return _Rows(
                PlanRepository(connection).get(plan_id),
                SandboxRepository(connection).of_plan(plan_id),
                OperationRepository(connection).unfinished(plan_id),
                CheckpointRepository(connection).of_plan(plan_id),
                DecisionRepository(connection).of_plan(plan_id),
                StepRunRepository(connection).of_plan(plan_id),
                entries(connection, plan_id),
            )

    def _base_damage(
        self, project_id: ProjectId, sandbox: Sandbox | None, verification: Verification | None
    ) -> tuple[str, ...]:
        if sandbox is None or sandbox.base_ref is None or verification is None:
            return ()
        try:
            snapshot = self._sandboxes.archive(project_id).load(sandbox.base_ref)
        except Damaged as error:
            verification.missed.add(bytes.fromhex(sandbox.base_ref))
            return (error.message,)
        return verification.of_snapshot(snapshot)

    def _orphans(
        self, project_id: ProjectId, archive: Archive, store: Inspection, verification: Verification
    ) -> Iterator[Orphan]:
        with self._database.reading() as connection:
            known = self._pruning.forgotten(connection, project_id)
        known |= self._pruning.live(project_id)
        # A process that died while it joined packs has left some twice.
        roots = {
            SnapshotId(root.identity.hex()): root for pack in store.packs for root in pack.roots
        }
        for snapshot_id, root in roots.items():
            found = None
            if snapshot_id not in known:
                found = _orphan(archive, root, snapshot_id, verification)
            if found is not None:
                yield found


def _orphan(
    archive: Archive, root: Root, snapshot_id: SnapshotId, verification: Verification
) -> Orphan | None:
    try:
        snapshot = archive.load(snapshot_id)
    except Damaged:
        return None  # told as a damaged pack
    whole = not verification.of_snapshot(snapshot)
    return Orphan(snapshot_id, snapshot, root.size, time.time() - root.written_at, whole)


def leftovers(sandbox: Sandbox) -> Iterator[Path]:
    """Yields the files that a killed process was building, or had put aside."""
    yield from sandbox.home.glob(CACHE_BEING_WRITTEN)
    yield from (path for path in sandbox.staging.glob("*") if not path.is_dir())
