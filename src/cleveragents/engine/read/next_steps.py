"""The commands that make sense next, by where a plan stands."""

from collections.abc import Sequence

from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.read.status import PlanStatus
from cleveragents.ids import PlanId
from cleveragents.plans.cursor import step_at
from cleveragents.plans.lifecycle import (
    APPLIED,
    CANCELLED,
    COMPLETE,
    ERRORED,
    QUEUED,
    RUNNING,
    STRATEGIZED,
    STRATEGY_FAILED,
)
from cleveragents.plans.plan import Plan


def next_steps(found: PlanStatus) -> list[str]:
    """The commands that make sense next."""
    plan, stage = found.plan.plan_id, found.plan.stage
    bare = found.plan.runs_bare
    look = [f"agents plan diff {plan}"]
    look += [] if bare else [f"agents plan checkpoint list {plan}"]
    if stage != RUNNING:
        look = [*_solving(found), *look]
    if stage == COMPLETE:
        return _after_success(found, look)
    if stage == APPLIED:
        return [*look, f"agents plan unapply {plan}    # takes it out of your project"]
    if stage == STRATEGY_FAILED:
        return ["agents plan use ACTION    # once the action is mended"]
    stands = stage in (CANCELLED, ERRORED, QUEUED, STRATEGIZED) and not found.waits
    if stands or found.interrupted:
        again = [f"agents plan resume {plan}" if found.interrupted else going_on(found.plan)]
        if found.sandbox is None:
            return again
        return [*again, *look, *([] if bare or stage != ERRORED else _after_failure(found))]
    return look if stage == RUNNING or found.waits else []


def _after_success(found: PlanStatus, look: Sequence[str]) -> list[str]:
    """Ways on from a result; where its files are gone, the one that makes them again."""
    plan, rows = found.plan.plan_id, found.checkpoints
    if found.sandbox and not found.sandbox.exists and rows:
        again = f"agents plan rollback {plan} {rows[-1].seq} --rebuild"
        return [f"agents plan checkpoint list {plan}", f"{again}    # makes its sandbox again"]
    refused = found.plan.parent_plan_id or found.conflicts
    place = [] if refused else [f"agents plan apply {plan}"]
    back = [] if found.plan.runs_bare else [f"agents plan rollback {plan} CHECKPOINT"]
    return [*look, *place, *back]


def _after_failure(found: PlanStatus) -> list[str]:
    """Ways to what the failed step left, where it was kept, and to what was before."""
    plan = found.plan.plan_id
    kept = [row for row in found.checkpoints if row.checkpoint_type is CheckpointType.ERROR]
    ways = [f"agents plan rollback {plan} CHECKPOINT"]
    if kept and found.plan.error and kept[-1].step_index == found.plan.error.step_index:
        ways.append(f"agents plan rollback {plan} {kept[-1].seq}    # what the failed step left")
    return ways


def going_on(plan: Plan) -> str:
    """The command that runs a plan on, with what it does where nothing is left to run."""
    command = f"agents plan execute {plan.plan_id}"
    left = step_at(plan.outlined_steps, plan.cursor)
    return command if left else f"{command}    # every step has run: completes the plan"


def solving(plan_id: PlanId) -> str:
    """The command that leads to the solution of conflicts."""
    return f"agents plan conflicts {plan_id}    # lists them, and tells how to resolve one"


def _solving(found: PlanStatus) -> list[str]:
    """The same for every plan whose conflicts are in the way of this one."""
    own = [found.plan.plan_id] if found.conflicts else []
    return [solving(plan_id) for plan_id in (*own, *found.conflicts_below)]
