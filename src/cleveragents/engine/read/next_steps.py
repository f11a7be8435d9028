"""The commands that make sense next, by where a plan stands."""

from collections.abc import Sequence

from cleveragents.engine.read.status import PlanStatus
from cleveragents.plans.action_file import file_to_mend, reloading
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
from cleveragents.plans.plan import Plan, PlanError


def next_steps(found: PlanStatus) -> list[str]:
    """The commands that make sense next."""
    plan, stage = found.plan.plan_id, found.plan.stage
    bare = found.plan.runs_bare
    look = [f"agents plan diff {plan}"]
    look += [] if bare else [f"agents plan checkpoint list {plan}"]
    if found.conflicts and stage != RUNNING:
        look = [solving(found.plan), *look]
    if stage == COMPLETE:
        return _after_success(found, look)
    if stage == APPLIED:
        return [*look, f"agents plan unapply {plan}    # takes it out of your project"]
    if stage == STRATEGY_FAILED:
        return ["agents plan use ACTION    # once the action is mended"]
    if stage == ERRORED and not found.interrupted:
        return [*([solving(found.plan)] if found.conflicts else []), *_after_failure(found)]
    if stage in (CANCELLED, QUEUED, STRATEGIZED) or found.interrupted:
        again = [f"agents plan resume {plan}" if found.interrupted else going_on(found.plan)]
        return again if found.sandbox is None else [*again, *look]
    return look if stage == RUNNING else []


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
    """The command that most likely helps, then what else does."""
    plan, left = found.plan, found.left_by_failure
    again = going_on(found.plan)
    failed = [child for child in found.children if child.stage == ERRORED]
    if failed:
        first = [f"agents plan errors {failed[0].plan_id}    # why {failed[0].name} failed", again]
    elif plan.outline.get("strategist"):
        anew = f"agents plan revert --to-phase strategize {plan.plan_id}"
        first = [again, f"{anew}    # asks its strategist again"]
    elif plan.error and plan.error.step and (file := file_to_mend(plan)):
        as_it_is = again if "#" in again else f"{again}    # tries it again as it is"
        first = [f"{reloading(plan)}    # once {file.name} is mended", as_it_is]
    else:
        first = [again]
    back = f"agents plan rollback {plan.plan_id}"
    return [*first, f"{back} {left.seq}    # what the failed step left"] if left else first


def whereabouts(found: PlanStatus, error: PlanError) -> str:
    """Where the files of a plan that failed are, and what the failed step has left."""
    left = found.left_by_failure
    return f"{error.files}; {left.name} holds what the step left" if left else error.files


def going_on(plan: Plan) -> str:
    """The command that runs a plan on, with what it does where nothing is left to run."""
    command = f"agents plan execute {plan.plan_id}"
    left = step_at(plan.outlined_steps, plan.cursor)
    return command if left else f"{command}    # every step has run: completes the plan"


def solving(plan: Plan) -> str:
    """The command that leads to the solution of conflicts."""
    return f"agents plan conflicts {plan.plan_id}    # lists them, and tells how to solve one"
