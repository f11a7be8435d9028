"""`agents plan execute`, `resume` and `cancel`: run a plan, go on with one, stop one."""

from cleveragents.app import App
from cleveragents.cli import previewing, status, views
from cleveragents.cli.invocation import (
    Invocation,
    confirm,
)
from cleveragents.cli.render import Fields, Result
from cleveragents.engine.run.resume import Preview
from cleveragents.errors import Failed, Interrupted, Refused
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, ERRORED
from cleveragents.plans.plan import Plan
from cleveragents.shapes.resume import next_index, nothing_left_of, resume_preview_of

WAITING = Refused.exit_code  # of a run that stopped at conflicts: its next step is refused


def execute(
    call: Invocation,
    plan: str,
    retry_unsafe: bool = False,
    take_over: bool = False,
) -> Result:
    """Run a plan in its sandbox, with checkpoints as it goes."""
    app = call.app(progress=True, take_over=take_over)
    found = views.find(call, app, plan)
    if take_over:
        app.ownership.take_over(found.plan_id)
    return run_plan(call, app, found, retry_unsafe=retry_unsafe)


def resume(
    call: Invocation,
    plan: str,
    dry_run: bool = False,
    retry_unsafe: bool = False,
    take_over: bool = False,
) -> Result:
    """Go on with a plan from its latest checkpoint."""
    app = call.app(progress=True, take_over=take_over and not dry_run)
    found = views.find(call, app, plan)
    if dry_run:
        return _previewed(call, app, found)
    if take_over:
        app.ownership.take_over(found.plan_id)
    return run_plan(call, app, found, restore=True, retry_unsafe=retry_unsafe)


def cancel(call: Invocation, plan: str, yes: bool = False) -> Result:
    """Stop a plan, also one that another process runs; it can be gone on with later."""
    app = call.app(progress=True)
    found = views.find(call, app, plan)
    if found.stage == COMPLETE:
        confirm(
            "Every step of the plan has run. Cancel it all the same? What it did stays.",
            yes=yes,
            command_line=f"agents plan cancel {found.plan_id}",
        )
    done = app.cancel(found.plan_id)
    return status.told(call, app.plans.status(done), app)


def run_plan(
    call: Invocation, app: App, plan: Plan, *, restore: bool = False, retry_unsafe: bool = False
) -> Result:
    """Runs a plan and tells how it ended; a failed step is a failed command."""
    if plan.attempt == 0:  # told once, when it is about to matter for the first time
        call.messages.append(views.UNCONFINED)
    call.messages += app.cautions(plan)
    done = app.run(plan.plan_id, restore=restore, retry_unsafe=retry_unsafe)
    result = status.told(call, app.plans.status(done), app)
    if done.stage == CANCELLED:
        raise Interrupted("the plan was cancelled", hints=result.next_steps)
    if done.stage == ERRORED and done.error is not None:
        raise Failed(
            f"step {done.error.step} failed: {done.error.message}",
            detail=[*done.error.detail, f"files: {done.error.files}"],
            hints=result.next_steps,
        )
    return result if done.stage == COMPLETE else result._replace(exit_code=WAITING)


def _previewed(call: Invocation, app: App, plan: Plan) -> Result:
    is_moving = app.begin_dry_run(plan.plan_id)
    previewing.tell_moving(call, is_moving=is_moving)
    messages = [*app.cautions(plan), previewing.DRY_RUN]
    if plan.stage == COMPLETE:
        messages.append("the plan is complete already; there is nothing to run")
        return Result(nothing_left_of(plan.plan_id, moving=is_moving), messages=messages)
    app.execute.refuse_conflicted(plan)
    found = app.resumption.preview(plan, restore=True)
    course = found.course
    if course.unsafe:
        messages.append(f"it needs --retry-unsafe: {', '.join(course.unsafe)}")
    if plan.is_action_changed:
        messages.append("the action file has changed since; the plan keeps the steps it has")
    return Result(
        resume_preview_of(found, moving=is_moving),
        [Fields(f"Plan {plan.name} would go on", _facts(found))],
        messages=messages,
        next_steps=[f"agents plan resume {plan.plan_id}"],
    )


def _facts(found: Preview) -> list[tuple[str, str]]:
    course = found.course
    steps = course.plan.action.steps
    index = next_index(course)
    return [
        *(
            ("First", f"finish the interrupted {operation.kind.noun}")
            for operation in found.unfinished
        ),
        ("From", course.start.name if course.start else "the files as they are"),
        ("Files that change", str(len(found.changes))),
        ("Next step", f"{index + 1}/{len(steps)} {steps[index].title}"),
        ("Finished steps again", ", ".join(course.again) or "none"),
    ]
