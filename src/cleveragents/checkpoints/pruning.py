"""Forgetting checkpoints: the row goes first, the content afterwards, when the store is free."""

from collections.abc import Sequence

from sqlalchemy import Connection

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, state_before
from cleveragents.checkpoints.operations import (
    GOES_BACK,
    Kind,
    Operation,
    OperationRepository,
    Status,
)
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy, Verdict, judge
from cleveragents.events import Note, Reporter
from cleveragents.plans.conflict import ConflictRepository
from cleveragents.plans.correction import CorrectionRepository
from cleveragents.plans.decision import DecisionRepository
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step_run import StepRunRepository
from cleveragents.sandbox.sandbox import SandboxRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.store import Cleaned
from cleveragents.storage.database import Database


class Pruning:
    """Opens and carries out prune operations; the caller owns the plan."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        policy: CheckpointRetentionPolicy,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._policy = policy
        self._report = report

    def is_due(self, count: int) -> bool:
        """Tells whether a plan with so many checkpoints has too many."""
        return count > self._policy.limit

    def prune(self, plan_id: str) -> list[Verdict]:
        """Applies the policy; returns what became of each checkpoint and why."""
        with self._database.unit_of_work() as connection:
            plan = PlanRepository(connection).get(plan_id)
            rows = CheckpointRepository(connection).of_plan(plan_id)
            verdicts = judge(rows, self._policy, _needed(connection, plan_id, rows))
        doomed = [verdict.checkpoint for verdict in verdicts if not verdict.keep]
        if doomed:
            self.forget(plan, doomed)
        kept = len(rows) - len(doomed)
        if self.is_due(kept):
            text = f"{kept} checkpoints are kept, more than the limit of {self._policy.limit}"
            self._report(Note(plan_id, text))
        return verdicts

    def forget(self, plan: Plan, doomed: Sequence[Checkpoint]) -> None:
        """Deletes rows and notes that their content may go; it goes when somebody has time."""
        with self._database.unit_of_work() as connection:
            repository = CheckpointRepository(connection)
            for checkpoint in doomed:
                repository.delete(checkpoint)
            intent = {"refs": [checkpoint.sandbox_ref for checkpoint in doomed]}
            OperationRepository(connection).open(plan.plan_id, Kind.PRUNE, intent)

    def carry_out(self, operation: Operation) -> None:
        """Frees the content of forgotten rows; stays open while the store is in use."""
        self.free(operation.plan_id)

    def free(self, plan_id: str) -> None:
        """Carries out all prune operations of a plan in one sweep."""
        with self._database.unit_of_work() as connection:
            waiting = [
                operation
                for operation in OperationRepository(connection).unfinished(plan_id)
                if operation.kind is Kind.PRUNE
            ]
            project_id = PlanRepository(connection).get(plan_id).project_id
        archive = self._sandboxes.archive(project_id)
        self.clean(archive, plan_id)
        if not waiting:
            return
        swept = archive.sweep(lambda: self.live(project_id), self._forgotten(project_id))
        if swept is None:
            return
        with self._database.unit_of_work() as connection:
            for operation in waiting:
                outcome = {"bytes_freed": swept.bytes_freed}
                OperationRepository(connection).close(operation.operation_id, Status.DONE, outcome)

    def clean(self, archive: Archive, plan_id: str = "") -> Cleaned:
        """Removes what killed processes left in the store, and says how much it was."""
        cleaned = archive.clean()
        if cleaned.files:
            text = f"{cleaned.files} unfinished files of killed processes were removed"
            self._report(Note(plan_id, f"{text} ({cleaned.size_bytes} bytes)"))
        return cleaned

    def _forgotten(self, project_id: str) -> set[str]:
        # All that ever were: a pack outlives its snapshot while others need half of it.
        with self._database.unit_of_work() as connection:
            return OperationRepository(connection).forgotten(project_id)

    def live(self, project_id: str) -> set[str]:
        """Returns every snapshot of a project that something still needs."""
        with self._database.unit_of_work() as connection:
            return (
                CheckpointRepository(connection).refs_of_project(project_id)
                | SandboxRepository(connection).base_refs(project_id)
                | OperationRepository(connection).kept_refs(project_id)
                | ConflictRepository(connection).refs_of_project(project_id)
            )


def _needed(connection: Connection, plan_id: str, rows: Sequence[Checkpoint]) -> dict[str, str]:
    """Returns the checkpoints that something else relies on, each with the reason."""
    needed = {
        str(operation.intent[key]): "an unfinished operation needs it"
        for operation in OperationRepository(connection).unfinished(plan_id)
        if operation.kind in GOES_BACK
        for key in ("target", "safety")
    }
    for attempt in CorrectionRepository(connection).of_plan(plan_id):
        needed[attempt.before_id or ""] = "it is what a correction replaced"
    for decision in DecisionRepository(connection).counting(plan_id):
        before = state_before(decision.decision_id, rows)
        needed[before.checkpoint_id if before else ""] = "an active decision can be corrected to it"
    for run in StepRunRepository(connection).unfinished(plan_id):
        needed[run.checkpoint_id or ""] = "the step that was tried last started from it"
    return needed
