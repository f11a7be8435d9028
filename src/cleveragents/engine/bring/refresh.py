"""Refresh: what the user changed meanwhile is merged into a plan's sandbox.

The sandbox goes on from the project as it is now: that becomes the base of a later apply. What does
not go together stays as the plan has it, and is recorded as a conflict to be resolved there.
"""

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.back.placing import Placements
from cleveragents.errors import Refused
from cleveragents.events import Reporter, SandboxRefreshed
from cleveragents.ids import PlanId, SnapshotId
from cleveragents.operations.in_sandbox import Refresh
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.conflict import (
    BASE,
    CHILD,
    PARENT,
    PROJECT,
    Conflict,
    ConflictRepository,
    new_conflict,
)
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, ERRORED, QUEUED, written
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.records import frozen
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.git import merge_text
from cleveragents.sandbox.sandbox import ProjectState, Sandbox, SandboxRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.merging import MergeResult
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold

REFRESHABLE = (COMPLETE, QUEUED, ERRORED, CANCELLED)
TIE = b".git"  # leads from the sandbox to its own git directory; the project has another


@frozen
class RefreshProposal:
    """What a refresh would do."""

    project: ProjectState
    present_ref: SnapshotId  # the sandbox as it is
    merge: MergeResult


@frozen
class RefreshForesight:
    """What a refresh would merge."""

    merge: MergeResult

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        conflicts = [(one.path, one.reason) for one in self.merge.conflicts]
        return digest_of(self.merge.changes, conflicts)


@frozen
class RefreshResult:
    """What a refresh did."""

    files: int
    conflicts: tuple[Conflict, ...]
    before: Checkpoint | None  # what takes it back; None for a plan without checkpoints


class Refreshes:
    """Opens and carries out refresh operations."""

    def __init__(
        self, database: Database, sandboxes: Sandboxes, placing: Placements, report: Reporter
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._placing = placing
        self._report = report

    def foresee(self, plan: Plan) -> MergeResult:
        """Merges what the project is now with what the sandbox is; nothing is stored for it."""
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        ours = archive.see(sandbox.roots, Filter())
        theirs = self._sandboxes.see_project(sandbox, plan.project_id, ours)
        return theirs.through.merge(
            archive.load(sandbox.base),
            ours.snapshot,
            theirs.snapshot,
            merge_text,
            lambda path: path == TIE,
        )

    def propose(self, plan: Plan) -> RefreshProposal:
        """Does the same for who goes on to act: both sides are stored."""
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        project = self._sandboxes.capture_project(sandbox, plan.project_id)
        with archive.capture(sandbox.roots, Filter(), full=True) as capture:
            present_ref = capture.commit({"kind": "before a refresh", "plan_id": plan.plan_id})
        merged = archive.merge(
            archive.load(sandbox.base),
            archive.load(present_ref),
            archive.load(project.reference),
            merge_text,
            lambda path: path == TIE,
        )
        return RefreshProposal(project, present_ref, merged)

    def open(
        self, held: Held, plan: Plan, proposed: RefreshProposal, safety: Checkpoint | None
    ) -> Operation[Refresh]:
        """Records the intent; from here on a crash is finished by recovery."""
        archive = self._sandboxes.archive(plan.project_id)
        target = archive.keep_merge(proposed.merge, {"kind": "refresh", "plan_id": plan.plan_id})
        sandbox = self._sandboxes.require(plan.plan_id)
        going = {MAIN: list(proposed.merge.changes)}
        present = archive.secure(proposed.present_ref, sandbox.roots, going)
        with self._database.writing(held) as connection:
            intent = Refresh(
                target=target,
                present=present,
                base=proposed.project.reference,
                head=proposed.project.head,
                inode=projects.inode_of(projects.find(connection, plan.project_id)),
                files=len(proposed.merge.changes),
                safety=None if safety is None else safety.checkpoint_id,
                keeps=(target, proposed.project.reference, sandbox.base, present),
            )
            operation = OperationRepository(connection).open(plan.plan_id, intent)
            for conflict in _conflicts(plan, sandbox, proposed):
                ConflictRepository(connection).add(conflict, operation.operation_id)
        return operation

    def finish(self, held: Held, operation: Operation[Refresh]) -> str:
        """Carries out what was interrupted, and tells of it."""
        self.carry_out(held, operation)
        return "an interrupted refresh was finished"

    def carry_out(self, held: Held, operation: Operation[Refresh]) -> None:
        """Restores the merged files and closes the intent with what they now go on from."""
        plan_id, intent = operation.plan_id, operation.intent
        self._placing.place(held, operation, operation.intent.target)
        with self._database.writing(held) as connection:
            sandboxes = SandboxRepository(connection)
            sandboxes.set_refreshed(plan_id, intent.base)
            sandboxes.set_project(plan_id, intent.head, intent.inode)
            left = ConflictRepository(connection).release(operation.operation_id)
            outcome = {"conflicts": left}
            OperationRepository(connection).close(operation.operation_id, Status.DONE, outcome)
        self._placing.mark_done(held, "after the refresh")
        self._report(SandboxRefreshed(plan_id, intent.files, left))


class RefreshPhase:
    """Brings a sandbox up to the project as it is now."""

    def __init__(
        self, database: Database, refreshes: Refreshes, checkpoints: CheckpointActs, hold: Hold
    ) -> None:
        self._database = database
        self._refreshes = refreshes
        self._checkpoints = checkpoints
        self._hold = hold

    def preview(self, plan_id: PlanId) -> RefreshForesight:
        """Tells what a refresh would do; owns nothing, stores and changes nothing."""
        return RefreshForesight(self._refreshes.foresee(self._plan(plan_id)))

    def run(self, plan_id: PlanId, *, shown_digest: str | None = None) -> RefreshResult:
        """Merges the project into the sandbox, between two checkpoints.

        With a digest, only if it is still what was shown.
        """
        with self._hold(plan_id, "refreshing") as held:
            plan = self._plan(plan_id)
            proposed = self._refreshes.propose(plan)
            digest = RefreshForesight(proposed.merge).digest
            refuse_other(shown_digest, digest, f"agents plan refresh {plan_id}")
            going = {MAIN: list(proposed.merge.changes)}
            before = self._checkpoints.save_before(held, plan, "before the refresh", going)
            self._refreshes.carry_out(held, self._refreshes.open(held, plan, proposed, before))
            with self._database.reading() as connection:
                left = tuple(ConflictRepository(connection).open(plan_id))
            return RefreshResult(len(proposed.merge.changes), left, before)

    def _plan(self, plan_id: PlanId) -> Plan:
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(plan_id)
        if plan.parent_plan_id is not None:
            raise Refused(
                "a subplan starts from the files of its parent, not from those of the project",
                hints=[f"refresh the parent: agents plan refresh {plan.parent_plan_id}"],
            )
        if plan.stage not in REFRESHABLE:
            raise Refused(
                f"a plan in {written(plan.stage)} cannot be refreshed",
                hints=[f"see where it stands: agents plan status {plan_id}"],
            )
        return plan


def _conflicts(plan: Plan, sandbox: Sandbox, proposed: RefreshProposal) -> list[Conflict]:
    refs = (sandbox.base, proposed.present_ref, proposed.project.reference)
    return [
        new_conflict(
            plan.plan_id,
            found.path,
            source=PROJECT,
            reason=found.reason,
            # The project is the parent of what the plan made of it.
            versions={BASE: found.base, PARENT: found.theirs, CHILD: found.ours},
            refs=refs,
        )
        for found in proposed.merge.conflicts
    ]
