"""The facts of a data directory after one look at it; nothing is judged here."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.verification import VerificationResult
from cleveragents.confinement.confinement import Survey
from cleveragents.ids import PlanId, ProjectId, SnapshotId
from cleveragents.operations.operation import AnyOperation
from cleveragents.plans.decision import Decision
from cleveragents.plans.journal import JournalEntry
from cleveragents.plans.plan import Plan
from cleveragents.plans.step_run import StepRun
from cleveragents.records import frozen
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.snapshots.store.inspection import Inspection
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.storage.unheard import Unheard


@frozen
class System:
    """The programs and the disk that everything rests on."""

    sqlite: str
    journal_mode: str
    schema: str
    git: str | None
    looks: str  # what looks at directories: `compiled` code, or `python`
    database_problems: tuple[str, ...]
    database_bytes: int
    free_bytes: int
    owner: int  # the user that the data directory belongs to
    user: int  # who is asking
    is_behind: bool  # the database is older than what is beside it
    beside: tuple[str, ...]  # what others may see in the data directory, which is not ours
    confinement: Survey


@frozen
class PlanFacts:
    """A plan, its rows, and what of it is on the disk."""

    plan: Plan
    is_owned: bool  # by a living process
    is_stopped: bool  # that process was stopped and will not go on by itself
    sandbox: Sandbox | None
    unfinished: Sequence[AnyOperation]
    checkpoints: Sequence[VerificationResult]
    base_damage: tuple[str, ...]  # what is lost of what its sandbox started from
    sandbox_bytes: int
    output_bytes: int
    leftovers: tuple[Path, ...]  # files that a killed process was building
    decisions: Sequence[Decision]
    runs: Sequence[StepRun]
    journal: Sequence[JournalEntry]

    @property
    def rows(self) -> Sequence[Checkpoint]:
        """Its checkpoints."""
        return [found.checkpoint for found in self.checkpoints]

    @property
    def stored_bytes(self) -> int:
        """The bytes that its checkpoints added to the store."""
        return sum(row.size_bytes for row in self.rows)


@frozen
class Orphan:
    """A snapshot in the store that no row needs and nobody has forgotten."""

    snapshot_id: SnapshotId
    snapshot: Snapshot
    size_bytes: int
    age_seconds: float
    is_whole: bool  # everything it needs is there

    @property
    def about(self) -> Mapping[str, object]:
        """The facts of its record."""
        return self.snapshot.about

    @property
    def plan_id(self) -> PlanId:
        """The plan it was made for."""
        return PlanId(str(self.about.get("plan_id", "")))

    @property
    def is_checkpoint(self) -> bool:
        """Whether it was to be a checkpoint; else it is what a sandbox started from."""
        return "checkpoint_id" in self.about

    @property
    def of_chat(self) -> Mapping[str, str] | None:
        """The chat it is a checkpoint of: client, session and directory; None: it is a plan's."""
        told = self.about.get("chat")
        return cast("Mapping[str, str]", told) if isinstance(told, Mapping) else None

    @property
    def seq(self) -> int:
        """The number it has in its plan."""
        return int(str(self.about["seq"]))


@frozen
class ProjectFacts:
    """A project, its plans and its store."""

    project_id: ProjectId
    path: Path | None  # None: no row knows it, only its store is there
    plans: Sequence[PlanFacts]
    store: Inspection
    orphans: Sequence[Orphan]
    missed: frozenset[bytes]  # objects that rows need and nobody has intact
    mirror_bytes: int
    mirror_problems: tuple[str, ...] = ()
    is_erasing: bool = False  # paths were to be forgotten, and that was not finished

    def plan(self, plan_id: PlanId) -> PlanFacts | None:
        """Returns one of its plans."""
        return next((facts for facts in self.plans if facts.plan.plan_id == plan_id), None)

    def base(self, plan_id: PlanId) -> Orphan | None:
        """Returns the record of what a lost plan started from; it holds the plan itself."""
        return next(
            (
                orphan
                for orphan in self.orphans
                if orphan.plan_id == plan_id and "definition" in orphan.about
            ),
            None,
        )

    def tells_of(self, plan_id: PlanId) -> bool:
        """Whether the store tells enough of a lost plan or chat to make it again."""
        rows = self.without_row(plan_id)
        return self.base(plan_id) is not None or any(one.of_chat for one in rows)

    def without_row(self, plan_id: PlanId) -> Sequence[Orphan]:
        """Returns the checkpoints of a plan that are whole and have no row, the oldest first."""
        known = self.plan(plan_id)
        taken = {row.seq for row in known.rows} if known is not None else set[int]()
        found = {
            orphan.seq: orphan
            for orphan in self.orphans
            if orphan.plan_id == plan_id and orphan.is_checkpoint and orphan.is_whole
        }
        return [found[seq] for seq in sorted(found) if seq not in taken]


@frozen
class Facts:
    """Everything."""

    system: System
    projects: Sequence[ProjectFacts]
    strays: tuple[Path, ...]  # directories of sandboxes that no row knows
    # What interrupted commands left of others, and what in each is another user's.
    left_behind: Mapping[Path, Path | None]
    unheard: Unheard  # what hooks could not tell

    @property
    def plans(self) -> Sequence[PlanFacts]:
        """The plans of all projects."""
        return [plan for project in self.projects for plan in project.plans]
