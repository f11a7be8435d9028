"""`agents plan apply|unapply`: bring a plan's result into the project, and take it out again."""

import sys
from collections.abc import Sequence

from cleveragents.app import App
from cleveragents.cli import previewing
from cleveragents.cli.invocation import (
    Invocation,
    confirm,
)
from cleveragents.cli.render import Block, Fields, Grid, Result, Text, show_blocks
from cleveragents.counting import counted
from cleveragents.engine.bring.application import RecoveredApply
from cleveragents.engine.bring.apply import ApplyResult, Withdrawal
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
from cleveragents.shapes.apply import (
    application_of,
    apply_preview_of,
    finished_of,
    unapplication_of,
    unapply_preview_of,
)

LISTED = 40  # paths shown to people; JSON has them all


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
    found = app.plans.find(plan)
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


def unapply(call: Invocation, plan: str = "@", yes: bool = False, dry_run: bool = False) -> Result:
    """Take an applied plan out of your project again."""
    app = call.app(progress=True)
    found = app.plans.find(plan)
    act = app.undertakings.unapply(found.plan_id)
    if dry_run:
        looked = previewing.dry_run(call, act)
        return _withdrawn(found, looked.would, is_moving=looked.is_moving)
    begun = act.finish()
    if isinstance(begun, RecoveredApply):
        return _finished(begun)
    would = act.foresee()
    if not yes:
        show_blocks(_withdrawal(would), call.form, sys.stderr)
    if not would.obstacles:  # what is refused needs no question
        asked = f"agents plan unapply {found.plan_id}"
        confirm(_question_back(would), yes=yes, command_line=asked)
    undone = act.carry_out(None if yes else would.digest)
    if isinstance(undone, RecoveredApply):
        return _finished(undone)
    return Result(
        unapplication_of(found, would, undone.kept),
        [Text([_put_back(would)])],
        "Unapplied",
        messages=_kept(undone.kept),
        next_steps=[f"{_apply_again(found, would.applied.intent)}    # applies it again"],
    )


def _preview(plan: Plan, proposal: Proposal, *, is_moving: bool) -> Result:
    return Result(
        apply_preview_of(plan, proposal, moving=is_moving),
        _blocks(plan, proposal),
        status="warn" if proposal.obstacles else "ok",
        messages=[previewing.DRY_RUN],
        next_steps=proposal.ways_out or [proposal.options.command(plan.plan_id)],
    )


def _withdrawn(plan: Plan, would: Withdrawal, *, is_moving: bool) -> Result:
    return Result(
        unapply_preview_of(plan, would, moving=is_moving),
        _withdrawal(would),
        status="warn" if would.obstacles else "ok",
        messages=[previewing.DRY_RUN],
        next_steps=would.ways_out or [f"agents plan unapply {plan.plan_id}"],
    )


def _withdrawal(would: Withdrawal) -> list[Block]:
    """What taking an apply back would change, and what stands in its way."""
    branch = would.applied.intent.branch
    paths = [*would.paths[:LISTED], *_rest(len(would.paths))]
    return [
        Text([f"branch {branch.branch}"] if branch else paths),
        *_in_the_way(would.obstacles),
    ]


def _question_back(would: Withdrawal) -> str:
    branch = would.applied.intent.branch
    if branch:
        return f"Remove branch {branch.branch}?"
    return f"Put {counted(len(would.paths), 'path')} back as before the plan was applied?"


def _put_back(would: Withdrawal) -> str:
    branch = would.applied.intent.branch
    if branch:
        return f"branch {branch.branch} removed"
    return f"{counted(len(would.paths), 'path')} put back as before the plan was applied"


def _apply_again(plan: Plan, was: Apply) -> str:
    return ApplyOptions(was.mode).command(plan.plan_id)


def _in_the_way(found: Sequence[Obstacle]) -> list[Block]:
    return [Fields("In the way", [(each.path, each.why) for each in found])] if found else []


def _finished(finished: RecoveredApply) -> Result:
    """What is told of an apply or unapply that recovery has just brought to its end."""
    plan, begun = finished.plan, finished.intent
    paths, applied = list(begun.paths), begun.kind is Kind.APPLY
    back = f"agents plan unapply {plan.plan_id}" if applied else _apply_again(plan, begun)
    return Result(
        finished_of(plan, begun),
        [Text([*paths[:LISTED], *_rest(len(paths))])],
        "Applied" if applied else "Unapplied",
        messages=[f"the interrupted {begun.kind} was finished just now; nothing else was done"],
        next_steps=[f"{back}    # takes it back"],
    )


def _done(done: ApplyResult | RecoveredApply) -> Result:
    if isinstance(done, RecoveredApply):
        return _finished(done)
    plan, intent = done.plan, done.applied.operation.intent
    branch = intent.branch
    where = f"in branch {branch.branch}" if branch else "in your project"
    look = f"git diff HEAD...{branch.branch}" if branch else "git diff"
    steps = [look] if done.proposal.project.is_repository else []
    return Result(
        application_of(done),
        [Text([f"{counted(len(done.applied.paths), 'file')} {where}"])],
        "Applied",
        messages=[*_ignored(done.proposal), *_kept(done.applied.kept)],
        next_steps=[*steps, f"agents plan unapply {plan.plan_id}    # takes it back"],
    )


def _blocks(plan: Plan, proposal: Proposal) -> list[Block]:
    rows = [_row(file) for file in proposal.files[:LISTED]]
    more = [["…", line, "", ""] for line in _rest(len(proposal.files))]
    title = f"Would apply {plan.name}"
    blocks: list[Block] = [
        Grid(title, ["STATUS", "PATH", "LINES", "NOTE"], [*rows, *more])
        if rows
        else Fields(title, [("", "nothing")])
    ]
    noted = [(file.diff.path, ", ".join(file.notes)) for file in proposal.files if file.notes]
    if noted:
        blocks.append(Fields("Look at these first", noted))
    blocks += _in_the_way(proposal.obstacles)
    if plan.action.validate_:
        blocks.append(Fields("Must pass first", [("", line) for line in plan.action.validate_]))
    if proposal.subplans:
        names = [("", child.name) for child in proposal.subplans]
        blocks.append(Fields("With the results of", names))
    blocks += [Text(_ignored(proposal))] if proposal.ignored else []
    return blocks


def _row(file: FilePreview) -> list[str]:
    diff = file.diff
    return [
        diff.status,
        diff.path,
        f"+{diff.insertions} -{diff.deletions}",
        ", ".join(file.notes),
    ]


def _question(proposal: Proposal) -> str:
    count = len(proposal.files)
    if proposal.options.mode == BRANCH:
        return f"Create a branch with {counted(count, 'changed file')}?"
    return f"Change {counted(count, 'file')} in {proposal.project.path}?"


def _ignored(proposal: Proposal) -> list[str]:
    if not proposal.ignored:
        return []
    left = counted(proposal.ignored, "ignored file is", "ignored files are")
    return [f"{left} left out; --include-ignored takes along what is ignored"]


def _kept(paths: Sequence[str]) -> list[str]:
    return [f"kept, because it holds other files: {path}" for path in paths]


def _rest(count: int) -> list[str]:
    return [f"and {count - LISTED} more"] if count > LISTED else []
