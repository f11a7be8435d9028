"""The commands that make sense next, by where a plan stands."""

from collections.abc import Sequence

from cleveragents.engine.read.status import PlanStatus
from cleveragents.ids import PlanId
from cleveragents.plans.action_file import file_to_mend, reloading
from cleveragents.plans.conflict import Conflict
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
from cleveragents.quoting import typed_path


def next_steps(found: PlanStatus) -> list[str]:
    """The commands that make sense next."""
    plan, stage = found.plan.plan_id, found.plan.stage
    bare = found.plan.runs_bare
    look = [f"agents plan diff {plan}"]
    look += [] if bare else [f"agents plan checkpoint list {plan}"]
    if stage != RUNNING:
        look = [*_resolving(found), *look]
    if stage == COMPLETE:
        return _after_success(found, look)
    if stage == APPLIED:
        return [*look, f"agents plan unapply {plan}    # takes it out of your project"]
    if stage == STRATEGY_FAILED:
        return ["agents plan use ACTION    # once the action is mended"]
    if stage == ERRORED and not found.interrupted:
        return [*_resolving(found), *_after_failure(found)]
    stands = stage in (CANCELLED, QUEUED, STRATEGIZED) and not found.waits
    if stands or found.interrupted:
        again = [f"agents plan resume {plan}" if found.interrupted else going_on(found.plan)]
        return again if found.sandbox is None else [*again, *look]
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
    """The command that most likely helps, then what else does."""
    failed = [child for child in found.children if child.stage == ERRORED]
    why = [f"agents plan errors {one.plan_id}    # why {one.name} failed" for one in failed[:1]]
    # What waits for conflicts would only be refused.
    again = [] if found.waits else _trying_again(found.plan, is_own=not failed)
    back = f"agents plan rollback {found.plan.plan_id}"
    left = found.left_by_failure
    took_back = [f"{back} {left.seq}    # what the failed step left"] if left else []
    return [*why, *again, *took_back]


def _trying_again(plan: Plan, *, is_own: bool) -> list[str]:
    """Ways to run a failed step again; one of a subplan's is mended there."""
    again = going_on(plan)
    if not is_own:
        return [again]
    if plan.outline.get("strategist"):
        anew = f"agents plan revert --to-phase strategize {plan.plan_id}"
        return [again, f"{anew}    # asks its strategist again"]
    if plan.error and plan.error.step and (file := file_to_mend(plan)):
        as_it_is = again if "#" in again else f"{again}    # tries it again as it is"
        return [f"{reloading(plan)}    # once {file.name} is mended", as_it_is]
    return [again]


def whereabouts(found: PlanStatus, error: PlanError) -> str:
    """Where the files of a plan that failed are, and what the failed step has left."""
    left = found.left_by_failure
    return f"{error.files}; {left.name} holds what the step left" if left else error.files


def going_on(plan: Plan) -> str:
    """The command that runs a plan on, with what it does where nothing is left to run."""
    command = f"agents plan execute {plan.plan_id}"
    left = step_at(plan.outlined_steps, plan.cursor)
    return command if left else f"{command}    # every step has run: completes the plan"


def listing(plan_id: PlanId) -> str:
    """The command that lists the conflicts of a plan."""
    return f"agents plan conflicts {plan_id}    # lists them, and tells how to resolve one"


def resolving(conflict: Conflict) -> str:
    """The command that resolves a conflict."""
    command = f"agents plan resolve {conflict.plan_id} {typed_path(conflict.path)}"
    return f"{command} --take mine    # or plan, or a file of yours"


def _resolving(found: PlanStatus) -> list[str]:
    """Ways out of the conflicts of every plan that are in the way of this one."""
    own = [listing(found.plan.plan_id), *map(resolving, found.conflicts[:1])]
    return [*(own if found.conflicts else []), *map(listing, found.conflicts_below)]
