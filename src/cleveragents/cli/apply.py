"""`agents plan apply|unapply`: bring a plan's result into the project, and take it out again."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from cleveragents.app import App
from cleveragents.checkpoints.operations import Kind, Operation
from cleveragents.cli import views
from cleveragents.cli.invocation import (
    DryRunOption,
    PlanArgument,
    YesOption,
    add_commands,
    confirm,
    current,
)
from cleveragents.cli.render import Block, Fields, Grid, Result, Text, name_fields, show_blocks
from cleveragents.counting import counted
from cleveragents.engine.apply import ApplyResult
from cleveragents.engine.proposal import BRANCH, CHANGES, ApplyOptions, FilePreview, Proposal
from cleveragents.plans.plan import Plan

LISTED = 40  # paths shown to people; JSON has them all


class Mode(StrEnum):
    """How a result reaches the project."""

    CHANGES = CHANGES
    BRANCH = BRANCH


def register(group: typer.Typer) -> None:
    """Adds the commands to their group."""
    add_commands(group, {"apply": apply, "unapply": unapply})


def apply(
    plan: PlanArgument,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    mode: Annotated[
        Mode, typer.Option("--as", help="Change your files, or only create a branch.")
    ] = Mode.CHANGES,
    include_ignored: Annotated[
        bool, typer.Option("--include-ignored", help="Also what .gitignore says to ignore.")
    ] = False,
) -> Result:
    """Bring the result of a finished plan into your project, whole or not at all.

    Examples:
      agents plan apply @
      agents plan apply @ --dry-run
      agents plan apply @ --as branch --yes
    """
    app = current.app(progress=True)
    found = app.plans.find(plan)
    return apply_plan(app, found, ApplyOptions(mode, include_ignored), yes=yes, dry_run=dry_run)


def apply_plan(
    app: App, plan: Plan, options: ApplyOptions, *, yes: bool, dry_run: bool = False
) -> Result:
    """Shows what an apply would do, asks, and does exactly that.

    One that was interrupted had been agreed to: it is finished, and that is all.
    """
    begun = app.apply.finish_begun(plan.plan_id, Kind.APPLY)
    if begun is not None:
        return _finished(app, begun)
    digest = None
    if dry_run or not yes:
        proposal = app.apply.preview(plan.plan_id, options)
        if dry_run:
            return _preview(plan, proposal)
        digest = proposal.digest
        show_blocks(_blocks(plan, proposal), current.form, sys.stderr)
        if not proposal.obstacles:  # what is refused needs no question
            confirm(
                _question(proposal), yes=False, command_line=f"agents plan apply {plan.plan_id}"
            )
    done = app.apply.run(plan.plan_id, options, shown_digest=digest)
    app.checkpoints.finish(plan.plan_id)
    return _done(done)


def unapply(plan: PlanArgument, yes: YesOption = False, dry_run: DryRunOption = False) -> Result:
    """Take an applied plan out of your project again.

    Examples:
      agents plan unapply @
      agents plan unapply @ --dry-run
    """
    app = current.app(progress=True)
    found = app.plans.find(plan)
    begun = app.apply.finish_begun(found.plan_id, Kind.UNAPPLY)
    if begun is not None:
        return _finished(app, begun)
    paths = app.apply.preview_unapply(found.plan_id)
    data = {"plan": found.plan_id, "files": [name_fields("path", path) for path in paths]}
    block = Text([*paths[:LISTED], *_rest(len(paths))])
    if dry_run:
        return Result(data, [block], messages=["dry run: nothing was changed"])
    if not yes:
        show_blocks([block], current.form, sys.stderr)
    confirm(
        f"Put {counted(len(paths), 'path')} back as before the plan was applied?",
        yes=yes,
        command_line=f"agents plan unapply {found.plan_id}",
    )
    undone = app.apply.unapply(found.plan_id)
    app.checkpoints.finish(found.plan_id)
    return Result(
        {**data, "kept": list(undone.kept)},
        [Text([f"{counted(len(paths), 'path')} put back as before the plan was applied"])],
        "Unapplied",
        messages=_kept(undone.kept),
        next_steps=[f"agents plan apply {found.plan_id}    # applies it again"],
    )


def _preview(plan: Plan, proposal: Proposal) -> Result:
    return Result(
        {"plan": plan.plan_id, **_data(proposal)},
        _blocks(plan, proposal),
        status="warn" if proposal.obstacles else "ok",
        messages=["dry run: nothing was changed"],
        next_steps=[f"agents plan apply {plan.plan_id}"],
    )


def _finished(app: App, begun: Operation) -> Result:
    """What is told of an apply or unapply that recovery has just brought to its end."""
    app.checkpoints.finish(begun.plan_id)
    plan, paths = app.plans.find(begun.plan_id), list(map(str, begun.intent["paths"]))
    data = {
        "plan": plan.plan_id,
        "as": begun.intent["as"],
        "files": [name_fields("path", path) for path in paths],
        "phase": plan.phase,
        "state": plan.state,
    }
    back = "unapply" if begun.kind is Kind.APPLY else "apply"
    return Result(
        data,
        [Text([*paths[:LISTED], *_rest(len(paths))])],
        "Applied" if begun.kind is Kind.APPLY else "Unapplied",
        messages=[f"the interrupted {begun.kind} was finished just now; nothing else was done"],
        next_steps=[f"agents plan {back} {plan.plan_id}    # takes it back"],
    )


def _done(done: ApplyResult) -> Result:
    plan, intent = done.plan, done.applied.operation.intent
    data = {
        "plan": plan.plan_id,
        **_data(done.proposal),
        "phase": plan.phase,
        "state": plan.state,
        "checkpoint": intent["checkpoint"],
        "branch": intent.get("branch"),
        "commit": intent.get("commit"),
        "kept": list(done.applied.kept),
        "validate": [asdict(check) for check in done.checks],
    }
    where = f"in branch {intent['branch']}" if "branch" in intent else "in your project"
    look = f"git diff HEAD...{intent['branch']}" if "branch" in intent else "git diff"
    steps = [look] if done.proposal.project.is_repository else []
    return Result(
        data,
        [Text([f"{counted(len(done.applied.paths), 'file')} {where}"])],
        "Applied",
        messages=[*_ignored(done.proposal), *_kept(done.applied.kept)],
        next_steps=[*steps, f"agents plan unapply {plan.plan_id}    # takes it back"],
    )


def _data(proposal: Proposal) -> dict[str, object]:
    return {
        "as": proposal.options.mode,
        "files": [
            {**views.diff_row(file.diff), "notes": list(file.notes)} for file in proposal.files
        ],
        "ignored": proposal.ignored,
        "obstacles": [
            {**name_fields("path", each.path), "why": each.why} for each in proposal.obstacles
        ],
    }


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
    if proposal.obstacles:
        blocks.append(Fields("In the way", [(each.path, each.why) for each in proposal.obstacles]))
    if plan.action.validate_:
        blocks.append(Fields("Must pass first", [("", line) for line in plan.action.validate_]))
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
