"""The effects of a rollback: as far as anybody can know before, and as they were."""

from cleveragents.checkpoints.besides import Besides
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, left_behind
from cleveragents.checkpoints.file_change import FileChange
from cleveragents.checkpoints.stored import document_of, verified
from cleveragents.checkpoints.undo import CallLeft, CallsAfter, UndoDue, calls_after
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.decision import DecisionRepository
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.plan import Plan
from cleveragents.plans.undo_run import UndoRun
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.way import Changes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database

NOTHING = PlanDocument("0", (), ())  # of a subplan that goes nothing counts


@frozen
class RollbackResult:
    """The effects of a rollback, all of them observed."""

    plan: Plan
    target: Checkpoint
    safety: Checkpoint | None  # None: there was nothing to do
    changes: tuple[FileChange, ...]
    kept: tuple[str, ...]  # directories that stay because they hold excluded files
    tool_calls: int  # how many stopped counting
    decisions: int
    children: int  # plans that were cancelled
    checkpoints_remaining: int
    undo: tuple[UndoRun, ...] = ()  # what became of each call that declares an undo
    left: tuple[CallLeft, ...] = ()  # what nothing could undo

    @property
    def not_undone(self) -> tuple[UndoRun, ...]:
        """The calls whose undo did not work, as far as is known."""
        return tuple(run for run in self.undo if not run.worked)


class RollbackReads:
    """Tells what going to a checkpoint would touch; stores and changes nothing."""

    def __init__(self, database: Database, sandboxes: Sandboxes) -> None:
        self._database = database
        self._sandboxes = sandboxes

    def preview(self, plan: Plan, target: Checkpoint) -> Changes:
        """Tells what a rollback would change, after verifying that it could."""
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        return archive.way_to(verified(archive, target), sandbox.roots).changes

    def besides(self, plan: Plan, target: Checkpoint, document: PlanDocument) -> Besides:
        """Tells what else going to a checkpoint would touch, if the document is to count then."""
        with self._database.reading() as connection:
            counting = DecisionRepository(connection).counting(plan.plan_id)
            rows = CheckpointRepository(connection).of_plan(plan.plan_id)
        return Besides(
            self.calls_after(plan, document),
            tuple(self.going(plan, document)),
            tuple(row for row in counting if row.decision_id not in document.decisions),
            left_behind(rows, target),
        )

    def calls_after(self, plan: Plan, document: PlanDocument) -> CallsAfter:
        """Tells which calls a rollback would undo, those of subplans included, and which not."""
        with self._database.reading() as connection:
            due, left = self.calls(connection, plan, document)
        return CallsAfter(tuple(call for _, call in due), left)

    def snapshot(self, plan: Plan, target: Checkpoint) -> Snapshot:
        """Returns what is stored of a checkpoint, held against its row."""
        return verified(self._sandboxes.archive(plan.project_id), target)

    def document(self, plan: Plan, target: Checkpoint) -> PlanDocument:
        """Returns the plan document of a checkpoint, held against its row."""
        return document_of(self.snapshot(plan, target))

    def going(self, plan: Plan, document: PlanDocument) -> list[Plan]:
        """Returns the subplans that a rollback would cancel."""
        with self._database.reading() as connection:
            return ChildRepository(connection).going(plan.plan_id, document.children)

    def calls(
        self, connection: Connection, plan: Plan, document: PlanDocument
    ) -> tuple[list[tuple[Plan, UndoDue]], tuple[CallLeft, ...]]:
        """Returns the calls to undo, newest first and each with its plan, and those that stay."""
        going = ChildRepository(connection).going(plan.plan_id, document.children)
        counts = [(plan, document), *((child, NOTHING) for child in going)]
        found = [(one, calls_after(connection, one, counting)) for one, counting in counts]
        due = [(one, call) for one, calls in found for call in calls.due]
        due.sort(key=lambda call: call[1].run.step_run_id, reverse=True)  # ids go up with time
        return due, tuple(call for _, calls in found for call in calls.left)
