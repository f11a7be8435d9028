"""`agents plan execute`, `resume` and `cancel`: run a plan, resume one, stop one."""

from collections.abc import Sequence
from pathlib import Path

from cleveragents.app import App
from cleveragents.cli import previewing, status, views
from cleveragents.cli.invocation import (
    Invocation,
    confirm,
)
from cleveragents.cli.render import Fields, Result
from cleveragents.counting import counted
from cleveragents.engine.read.next_steps import whereabouts
from cleveragents.engine.read.status import PlanStatus
from cleveragents.engine.run.resume import Preview
from cleveragents.errors import Failed, Interrupted, Refused
from cleveragents.plans.action_file import ACTION_CHANGED, reloading
from cleveragents.plans.levels import levels_asked
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, ERRORED
from cleveragents.plans.plan import Plan, PlanError
from cleveragents.shapes.resume import next_index, nothing_left_of, resume_preview_of

WAITING = Refused.exit_code  # of a run that stopped at conflicts: its next step is refused


def execute(
    call: Invocation,
    plan: str = "@",
    reload: bool = False,
    retry_unsafe: bool = False,
    take_over: bool = False,
) -> Result:
    """Run a plan in its sandbox, with checkpoints as it goes."""
    app = call.app(progress=True, take_over=take_over)
    found = views.find(call, app, plan)
    if take_over:
        app.ownership.take_over(found.plan_id)
    return run_plan(call, app, found, retry_unsafe=retry_unsafe, reload=reload)


def resume(
    call: Invocation,
    plan: str = "@",
    dry_run: bool = False,
    retry_unsafe: bool = False,
    take_over: bool = False,
) -> Result:
    """Resume a plan from its latest checkpoint."""
    app = call.app(progress=True, take_over=take_over and not dry_run)
    found = views.find(call, app, plan)
    if dry_run:
        return _previewed(call, app, found)
    if take_over:
        app.ownership.take_over(found.plan_id)
    return run_plan(call, app, found, restore=True, retry_unsafe=retry_unsafe)


def cancel(call: Invocation, plan: str = "@", yes: bool = False) -> Result:
    """Stop a plan, also one that another process runs; you can resume it later."""
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
    call: Invocation,
    app: App,
    plan: Plan,
    *,
    restore: bool = False,
    retry_unsafe: bool = False,
    reload: bool = False,
) -> Result:
    """Runs a plan and tells how it ended."""
    # Told once, when it is about to matter for the first time, and when less is had than before.
    if plan.attempt == 0 or _has_lost_walls(app, plan):
        call.messages += app.confinement_notes(plan)
    call.messages += app.cautions(plan)
    done = app.run(plan.plan_id, restore=restore, retry_unsafe=retry_unsafe, reload=reload)
    return told_end(call, app, done)


def _has_lost_walls(app: App, plan: Plan) -> bool:
    """Tells whether steps of a plan were confined that would not be any more."""
    if app.confinement.confined(levels_asked(plan.action)).way is not None:
        return False
    progress = app.plans.status(plan).progress
    return any(step.confined is not None and step.confined.way is not None for step in progress)


def told_end(call: Invocation, app: App, done: Plan) -> Result:
    """Tells how a run ended; a failed step is a failed command."""
    found = app.plans.status(done)
    result = status.told(call, found, app)
    if done.stage == CANCELLED:
        raise Interrupted("the plan was cancelled", hints=result.next_steps)
    if done.stage == ERRORED and done.error is not None:
        raise _failed(found, done.error, result.next_steps)
    return result._replace(exit_code=WAITING) if found.waits else result


def _failed(found: PlanStatus, error: PlanError, ways: Sequence[str]) -> Failed:
    """The failure: its last lines, where the files are, and the command that most likely helps."""
    where = [f"files: {whereabouts(found, error)}"]
    if found.failed is not None and Path(found.failed.output_path).exists():
        where.append(f"all output: {found.failed.output_path}")
    message = f"step {error.step} failed: {error.message}"
    return Failed(message, detail=[*error.detail, *where], hints=ways)


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
    if found.conflicts:
        open_ = counted(found.conflicts, "conflict is", "conflicts are")
        messages.append(f"{open_} open: it would stop there, before its next step")
    if plan.is_action_changed:
        messages.append(f"{ACTION_CHANGED} {reloading(plan)}")
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
