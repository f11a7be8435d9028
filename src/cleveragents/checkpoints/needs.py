"""Which checkpoints of a plan something else relies on, and what the limit would let go."""

from collections.abc import Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, lineage
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy, Verdict, judge
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.ids import CheckpointId, PlanId, ProjectId, SnapshotId
from cleveragents.operations.operation import OperationRepository
from cleveragents.plans.conflict import ConflictRepository
from cleveragents.plans.correction import CorrectionRepository
from cleveragents.plans.decision import DecisionRepository
from cleveragents.plans.lifecycle import APPLIED
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step_run import StepRunRepository
from cleveragents.sandbox.sandbox import SandboxRepository
from cleveragents.storage.connection import Connection

OPEN_TARGET = "an unfinished operation needs it"


def judged(
    connection: Connection, plan_id: PlanId, policy: CheckpointRetentionPolicy
) -> list[Verdict]:
    """Judges the checkpoints of a plan as they are; changes nothing."""
    plan = PlanRepository(connection).get(plan_id)
    rows = CheckpointRepository(connection).of_plan(plan_id)
    return judge(rows, policy, _needed(connection, plan, rows))


def _needed(connection: Connection, plan: Plan, rows: Sequence[Checkpoint]) -> dict[str, str]:
    """Returns the checkpoints that something else relies on, each with the reason."""
    needed: dict[str, str] = {}
    for run in StepRunRepository(connection).unfinished(plan.plan_id):
        needed[run.checkpoint_id or ""] = "the step that was tried last started from it"
    for attempt in CorrectionRepository(connection).of_plan(plan.plan_id):
        needed[attempt.before_id or ""] = "it is what a correction replaced"
    line = lineage(rows)
    before_it = {row.decision_id: row.checkpoint_id for row in rows if row.checkpoint_id in line}
    for decision_id in DecisionRepository(connection).active(plan.plan_id):
        needed[before_it.get(decision_id, "")] = "an active decision can be corrected to it"
    if plan.stage == APPLIED:
        before = [row for row in rows if row.checkpoint_type is CheckpointType.PRE_APPLY]
        needed |= {row.checkpoint_id: "the applied plan is unapplied to it" for row in before[-1:]}
    return needed | dict.fromkeys(open_targets(connection, plan.plan_id), OPEN_TARGET)


def live(connection: Connection, project_id: ProjectId) -> set[SnapshotId]:
    """Returns every snapshot of a project that something still needs."""
    return (
        CheckpointRepository(connection).refs_of_project(project_id)
        | SandboxRepository(connection).base_refs(project_id)
        | OperationRepository(connection).kept_refs(project_id)
        | ConflictRepository(connection).refs_of_project(project_id)
    )


def open_targets(connection: Connection, plan_id: PlanId) -> set[CheckpointId]:
    """Returns every checkpoint that the intent of an unfinished operation names."""
    unfinished = OperationRepository(connection).unfinished(plan_id)
    return {named for operation in unfinished for named in operation.intent.checkpoints}
