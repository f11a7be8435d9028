"""`agents plan apply`: bring a plan's result into the project."""

import sys
from collections.abc import Sequence

from cleveragents.app import App
from cleveragents.cli import previewing, views
from cleveragents.cli.invocation import (
    Invocation,
    confirm,
)
from cleveragents.cli.render import Block, Fields, Grid, Result, Text, show_blocks
from cleveragents.counting import counted
from cleveragents.engine.bring.application import RecoveredApply
from cleveragents.engine.bring.apply import ApplyResult
from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.bring.proposal import (
    BRANCH,
    ApplyMode,
    ApplyOptions,
    FilePreview,
    Proposal,
)
from cleveragents.operations.in_project import Apply
from cleveragents.operations.kind import Kind
from cleveragents.plans.plan import Plan
from cleveragents.sandbox.branch import name_of
from cleveragents.shapes.apply import (
    application_of,
    apply_preview_of,
    finished_of,
)

LISTED = 40  # paths shown to people; JSON has them all
REFUSED = 4  # the exit code of a preview of what would be refused


def apply(
    call: Invocation,
    plan: str = "@",
    yes: bool = False,
    dry_run: bool = False,
    mode: str = ApplyMode.CHANGES,
    include_ignored: bool = False,
) -> Result:
    """Bring the result of a finished plan into your project, whole or not at all."""
    app = call.app(progress=True)
    found = views.meant(call, app, plan)
    options = ApplyOptions(ApplyMode(mode), include_ignored)
    return apply_plan(call, app, found, options, yes=yes, dry_run=dry_run)


def apply_plan(
    call: Invocation,
    app: App,
    plan: Plan,
    options: ApplyOptions,
    *,
    yes: bool,
    dry_run: bool = False,
) -> Result:
    """Shows what an apply would do, asks, and does exactly that.

    One that was interrupted had been agreed to: it is finished, and that is all.
    """
    act = app.undertakings.apply(plan.plan_id, options)
    if dry_run:
        looked = previewing.dry_run(call, act)
        return _preview(plan, looked.would, is_moving=looked.is_moving)
    begun = act.finish()
    if begun is not None:
        return _done(begun)
    if yes:
        return _done(act.carry_out())
    proposal = act.foresee()
    show_blocks(_blocks(plan, proposal), call.form, sys.stderr)
    if not proposal.obstacles:  # what is refused needs no question
        confirm(_question(proposal), yes=False, command_line=options.command(plan.plan_id))
    return _done(act.carry_out(proposal.digest))


def _preview(plan: Plan, proposal: Proposal, *, is_moving: bool) -> Result:
    return Result(
        apply_preview_of(plan, proposal, moving=is_moving),
        _blocks(plan, proposal),
        status="warn" if proposal.obstacles else "ok",
        exit_code=REFUSED if proposal.obstacles else 0,
        messages=[previewing.DRY_RUN],
        next_steps=proposal.ways_out or _applying(plan, proposal),
    )


def _applying(plan: Plan, proposal: Proposal) -> list[str]:
    """The command that applies what was shown, if there is anything to apply."""
    return [proposal.options.command(plan.plan_id)] if proposal.files else []


def apply_again(plan: Plan, was: Apply) -> str:
    """The command that applies a plan as it was."""
    return ApplyOptions(was.mode).command(plan.plan_id)


def in_the_way(found: Sequence[Obstacle]) -> list[Block]:
    """The obstacles to an apply, or to its way back."""
    return [Fields("In the way", [(each.path, each.why) for each in found])] if found else []


def finished(done: RecoveredApply) -> Result:
    """The answer of an apply or unapply that recovery has just finished."""
    plan, begun = done.plan, done.intent
    paths, applied = list(begun.paths), begun.kind is Kind.APPLY
    back = f"agents plan unapply {plan.plan_id}" if applied else apply_again(plan, begun)
    return Result(
        finished_of(plan, begun),
        [Text([*paths[:LISTED], *rest(len(paths))])],
        "Applied" if applied else "Unapplied",
        messages=[f"the interrupted {begun.kind} was finished just now; nothing else was done"],
        next_steps=[f"{back}    # takes it back"],
    )


def _done(done: ApplyResult | RecoveredApply) -> Result:
    if isinstance(done, RecoveredApply):
        return finished(done)
    if done.applied is None:
        return _nothing(done)
    plan, branch = done.plan, done.applied.operation.intent.branch
    count = counted(len(done.applied.paths), "file")
    told = (
        f"Committed {count} to branch {branch.branch}"
        if branch
        else f"Changed {count} in your project"
    )
    return Result(
        application_of(done),
        [Text([told])],
        "Applied",
        messages=[*_ignored(done.proposal), *kept(done.applied.kept)],
        next_steps=[*_looking(done), f"agents plan unapply {plan.plan_id}    # takes it back"],
    )


def _nothing(done: ApplyResult) -> Result:
    """The answer where a result has nothing that the project has not."""
    return Result(
        application_of(done),
        [Text(["Nothing to apply: your project has all that the plan would bring"])],
        messages=_ignored(done.proposal),
        next_steps=[f"agents plan diff {done.plan.plan_id}    # what the plan has changed"],
    )


def _looking(done: ApplyResult) -> list[str]:
    """The command that shows what was applied; `git diff` alone leaves new files out."""
    plan_id, branch = done.plan.plan_id, done.proposal.options.mode == BRANCH
    if not done.proposal.project.is_repository:
        return []
    if branch:
        return [f"git diff HEAD...{name_of(plan_id)}", f"git merge {name_of(plan_id)}"]
    if any(file.diff.status == "added" for file in done.proposal.files):
        return [f"agents plan diff {plan_id}    # with new files, which git diff leaves out"]
    return ["git diff"]


def _blocks(plan: Plan, proposal: Proposal) -> list[Block]:
    rows = [_row(file) for file in proposal.files[:LISTED]]
    more = [["…", "", line] for line in rest(len(proposal.files))]
    title = f"Would apply {plan.name}"
    blocks: list[Block] = [
        Grid(title, ["STATUS", "LINES", "PATH"], [*rows, *more])
        if rows
        else Fields(title, [("", "nothing")])
    ]
    noted = [(file.diff.path, ", ".join(file.notes)) for file in proposal.files if file.notes]
    if noted:
        blocks.append(Fields("Look at these first", noted))
    blocks += in_the_way(proposal.obstacles)
    if plan.action.validate_:
        blocks.append(Fields("Must pass first", [("", line) for line in plan.action.validate_]))
    if proposal.subplans:
        names = [("", child.name) for child in proposal.subplans]
        blocks.append(Fields("With the results of", names))
    blocks += [Text(_ignored(proposal))] if proposal.ignored else []
    return blocks


def _row(file: FilePreview) -> list[str]:
    diff = file.diff
    return [diff.status, f"+{diff.insertions} -{diff.deletions}", diff.path]


def _question(proposal: Proposal) -> str:
    count = len(proposal.files)
    if proposal.options.mode == BRANCH:
        return f"Create a branch with {counted(count, 'changed file')}?"
    return f"Change {counted(count, 'file')} in {proposal.project.path}?"


def _ignored(proposal: Proposal) -> list[str]:
    if not proposal.ignored:
        return []
    left = counted(proposal.ignored, "ignored file is", "ignored files are")
    return [f"{left} left out; --include-ignored applies them too"]


def kept(paths: Sequence[str]) -> list[str]:
    """Tells which directories could not go."""
    return [f"kept, because it holds other files: {path}" for path in paths]


def rest(count: int) -> list[str]:
    """Tells how many there are beyond those that are listed."""
    return [f"and {count - LISTED} more"] if count > LISTED else []
