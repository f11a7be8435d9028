"""`agents plan rollback`: shows what would change, asks, and tells what was done."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cleveragents.app import App
from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.file_change import FileChange
from cleveragents.checkpoints.rollback import RollbackResult
from cleveragents.checkpoints.undo import CallsAfter
from cleveragents.cli import changes, menu, views
from cleveragents.cli.invocation import (
    DryRunOption,
    PlanArgument,
    TakeOverOption,
    YesOption,
    add_commands,
    confirm,
    current,
)
from cleveragents.cli.render import Block, Fields, Result, Text, show_blocks
from cleveragents.counting import counted
from cleveragents.errors import Failed, InvalidInput, Refused
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.plans.plan import Plan
from cleveragents.plans.undo_run import UndoRun

OUTSIDE = "undo calls stand outside the all-or-nothing of files and plan: what they did stays done"
NOT_REDONE = "taking the rollback back does not make the undone calls again"


def register(group: typer.Typer) -> None:
    """Adds the command to its group."""
    add_commands(group, {"rollback": rollback})


def rollback(
    plan: PlanArgument,
    checkpoint: Annotated[
        str | None, typer.Argument(metavar="CHECKPOINT", help="A number, an id, a prefix, or @.")
    ] = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    take_over: TakeOverOption = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make a lost sandbox again from the checkpoint.")
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Only write its files to a new directory."),
    ] = None,
) -> Result:
    """Take everything after a checkpoint back.

    Examples:
      agents plan rollback @ 3
      agents plan rollback @ 3 --dry-run
      agents plan rollback @ 3 --yes
      agents plan rollback @
    """
    app = current.app(progress=True, take_over=take_over and not dry_run)
    found = views.find(app, plan)
    current.messages += views.cautions(found, app)
    target = _target(app, found, checkpoint)
    if to is not None:
        return _extracted(app, found, target, to)
    again = f"agents plan rollback {found.plan_id} {target.seq}"
    if rebuild and dry_run:
        text = f"dry run: the sandbox would be made again from {target.name} if it is missing"
        return Result({"plan": found.plan_id, "checkpoint": target.checkpoint_id}, messages=[text])
    if rebuild:
        _show_first(_call_blocks(app.checkpoints.preview_calls(found.plan_id, target)), yes=yes)
        confirm(
            f"Rebuild the sandbox from {target.name}?", yes=yes, command_line=f"{again} --rebuild"
        )
    else:
        files = app.checkpoints.preview_rollback(found.plan_id, target)
        calls = app.checkpoints.preview_calls(found.plan_id, target)
        if dry_run:
            return _preview(found, target, files, calls)
        _show_first([changes.panel("Would change", files), *_call_blocks(calls)], yes=yes)
        confirm(f"Roll back to {target.name}?", yes=yes, command_line=again)
    if take_over:
        app.ownership.take_over(found.plan_id)
    result = app.checkpoints.rollback_to_checkpoint(found.plan_id, target, rebuild=rebuild)
    current.tidy(found.plan_id)
    return _done(result)


def _target(app: App, plan: Plan, text: str | None) -> Checkpoint:
    if text is not None:
        return app.checkpoints.get_checkpoint(plan.plan_id, text)
    rows = app.checkpoints.list_checkpoints(plan.plan_id)
    if not rows:
        raise Failed("the plan has no checkpoint yet", hints=["run it: agents plan execute @"])
    if not sys.stdin.isatty():
        lines = [f"{row.seq:>4}  {row.checkpoint_id}  {row.label or row.reason}" for row in rows]
        raise InvalidInput(
            "which checkpoint? name one of these",
            detail=lines,
            hints=[f"agents plan rollback {plan.plan_id} NUMBER"],
        )
    return menu.choose(app, plan, rows)


def _extracted(app: App, plan: Plan, target: Checkpoint, to: Path) -> Result:
    if to.exists():
        raise Refused(f"{to} exists already", hints=["name a directory that does not exist yet"])
    lost = app.checkpoints.extract_checkpoint(plan.plan_id, target, to)
    written = sum(1 for _ in to.rglob("*"))
    data = {
        "checkpoint": target.checkpoint_id,
        "directory": str(to),
        "written": written,
        "damaged": list(lost),
    }
    if not lost:
        return Result(data, [Text([f"{target.name} written to {to}"])])
    told = f"{counted(written, 'path')} written to {to}, {len(lost)} damaged and not written"
    return Result(
        data,
        [Text([f"{target.name} is damaged: {told}"])],
        status="warn",
        exit_code=1,
        messages=[f"damaged, not written: {path}" for path in lost],
        next_steps=["agents doctor --repair    # looks for intact copies"],
    )


def _show_first(blocks: Sequence[Block], *, yes: bool) -> None:
    """Shows what is about to happen to whoever is asked."""
    if not yes:
        show_blocks(blocks, current.form, sys.stderr)


def _call_blocks(calls: CallsAfter) -> list[Block]:
    """What a rollback would do about calls: undo them, or leave what they did."""
    due = [(call.run.name, f"{call.run.tool}: {call.declared.undo}") for call in calls.due]
    left = [(call.step, f"{call.tool}: {call.effects}") for call in calls.left]
    blocks: list[Block] = []
    if due:
        blocks += [Fields("Would undo", due), Text([OUTSIDE, NOT_REDONE])]
    if left:
        blocks.append(Fields("Cannot be undone", left))
    return blocks


def _preview(
    plan: Plan, target: Checkpoint, files: tuple[FileChange, ...], calls: CallsAfter
) -> Result:
    data = {
        "plan": plan.plan_id,
        "checkpoint": target.checkpoint_id,
        "changes": changes.rows(files),
        "undo": [
            {"step": call.run.name, "tool": call.run.tool, "undo": call.declared.undo}
            for call in calls.due
        ],
        "cannot_be_undone": [vars(call) for call in calls.left],
    }
    return Result(
        data,
        [changes.panel("Would change", files), *_call_blocks(calls)],
        messages=["dry run: nothing was changed"],
        next_steps=[f"agents plan rollback {plan.plan_id} {target.seq}"],
    )


def _done(result: RollbackResult) -> Result:
    plan, target = result.plan, result.target
    waiting = " (awaiting input)" if plan.stage == QUEUED else ""
    summary = {
        "plan": plan.plan_id,
        "checkpoint": target.checkpoint_id,
        "label": target.label,
        "files_reverted": len(result.changes),
    }
    impact = {
        "child_plans_invalidated": result.children,
        "sandbox": f"restored to {target.name}",
        "decisions_after_cp": f"{result.decisions} discarded",
        "tool_calls_after_cp": f"{result.tool_calls - len(result.not_undone)} undone",
    }
    state = {
        "phase": plan.phase,
        "state": f"{plan.state}{waiting}",
        "checkpoints_remaining": result.checkpoints_remaining,
    }
    data: dict[str, object] = {
        "rollback_summary": summary,
        "changes_reverted": changes.rows(result.changes),
        "impact": impact,
        "post_rollback_state": state,
    }
    blocks = [
        views.fields("Rollback Summary", summary),
        changes.panel("Changes Reverted", result.changes),
        views.fields("Impact", impact),
        views.fields("Post-Rollback State", state),
    ]
    if result.undo:
        data["undo"] = [_undo(run) for run in result.undo]
        rows = [(run.step, f"{run.tool}: {run.status} ({run.summary})") for run in result.undo]
        blocks.append(Fields("Undo Calls", rows))
    told = [f"kept, because it holds excluded files: {path}" for path in result.kept]
    told += _about_calls(result)
    if result.safety is None:
        messages = ["the plan is in this state already; there was nothing to do"]
        return Result(data, blocks, "Rollback complete", messages=messages)
    return Result(
        data,
        blocks,
        _footer(result),
        status="warn" if result.not_undone else "ok",
        messages=told,
        next_steps=[
            views.going_on(plan),
            f"agents plan rollback {plan.plan_id} {result.safety.seq}    # takes this one back",
        ],
    )


def _footer(result: RollbackResult) -> str:
    failed = counted(len(result.not_undone), "undo call")
    return f"Rollback complete, but for {failed}" if result.not_undone else "Rollback complete"


def _about_calls(result: RollbackResult) -> list[str]:
    """What must be known of calls that have effects outside the sandbox."""
    told = [run.told for run in result.not_undone]
    told += [call.told for call in result.left]
    return [*told, OUTSIDE, NOT_REDONE] if result.undo else told


def _undo(run: UndoRun) -> dict[str, str]:
    return {"step": run.step, "tool": run.tool, "status": run.status, "summary": run.summary}
