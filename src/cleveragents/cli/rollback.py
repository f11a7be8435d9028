"""`agents plan rollback`: shows what would change, asks, and tells what was done."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from cleveragents.app import App
from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.rollback import FileChange, RollbackResult
from cleveragents.cli import views
from cleveragents.cli.invocation import (
    DryRunOption,
    PlanArgument,
    YesOption,
    add_commands,
    confirm,
    current,
)
from cleveragents.cli.render import Fields, Result, Text, name_fields, show_blocks
from cleveragents.errors import Failed, InvalidInput, Refused
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.plans.plan import Plan

LISTED = 20  # paths shown to people; JSON has them all


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
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make a lost sandbox again from the checkpoint.")
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Only write its files to a new directory."),
    ] = None,
) -> Result:
    """Take everything after a checkpoint back.

    Example: agents plan rollback @ 3
    """
    app = current.app(progress=True)
    found = app.plans.find(plan)
    target = _target(app, found, checkpoint)
    if to is not None:
        return _extracted(app, found, target, to)
    again = f"agents plan rollback {found.plan_id} {target.seq}"
    if rebuild and dry_run:
        text = f"dry run: the sandbox would be made again from {target.name} if it is missing"
        return Result({"plan": found.plan_id, "checkpoint": target.checkpoint_id}, messages=[text])
    if rebuild:
        confirm(
            f"Rebuild the sandbox from {target.name}?", yes=yes, command_line=f"{again} --rebuild"
        )
    else:
        changes = app.checkpoints.preview_rollback(found.plan_id, target)
        if dry_run:
            return _preview(found, target, changes)
        if not yes:
            show_blocks([_changes_block("Would change", changes)], current.form, sys.stderr)
            confirm(f"Roll back to {target.name}?", yes=False, command_line=again)
    result = app.checkpoints.rollback_to_checkpoint(found.plan_id, target, rebuild=rebuild)
    app.checkpoints.finish(found.plan_id)
    return _done(result)


def _target(app: App, plan: Plan, text: str | None) -> Checkpoint:
    if text is not None:
        return app.checkpoints.get_checkpoint(plan.plan_id, text)
    rows = app.checkpoints.list_checkpoints(plan.plan_id)
    if not rows:
        raise Failed("the plan has no checkpoint yet", hints=["run it: agents plan execute @"])
    lines = [f"{row.seq:>4}  {row.checkpoint_id}  {row.label or row.reason}" for row in rows]
    if not sys.stdin.isatty():
        raise InvalidInput("which checkpoint? name one of these", detail=lines)
    sys.stderr.write("\n".join(lines) + "\nRoll back to (number, q leaves): ")
    sys.stderr.flush()
    answer = sys.stdin.readline().strip()
    if answer in ("", "q"):
        raise Failed("declined; nothing was changed")
    return app.checkpoints.get_checkpoint(plan.plan_id, answer)


def _extracted(app: App, plan: Plan, target: Checkpoint, to: Path) -> Result:
    if to.exists():
        raise Refused(f"{to} exists already", hints=["name a directory that does not exist yet"])
    lost = app.checkpoints.extract_checkpoint(plan.plan_id, target, to)
    return Result(
        {"checkpoint": target.checkpoint_id, "directory": str(to), "damaged": list(lost)},
        [Text([f"{target.name} written to {to}"])],
        status="warn" if lost else "ok",
        messages=[f"damaged, not written: {path}" for path in lost],
    )


def _preview(plan: Plan, target: Checkpoint, changes: tuple[FileChange, ...]) -> Result:
    data = {
        "plan": plan.plan_id,
        "checkpoint": target.checkpoint_id,
        "changes": [_change(change) for change in changes],
    }
    return Result(
        data,
        [_changes_block("Would change", changes)],
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
        "child_plans_invalidated": 0,
        "sandbox": f"restored to {target.name}",
        "decisions_after_cp": f"{result.decisions} discarded",
        "tool_calls_after_cp": f"{result.tool_calls} undone",
    }
    state = {
        "phase": plan.phase,
        "state": f"{plan.state}{waiting}",
        "checkpoints_remaining": result.checkpoints_remaining,
    }
    data = {
        "rollback_summary": summary,
        "changes_reverted": [_change(change) for change in result.changes],
        "impact": impact,
        "post_rollback_state": state,
    }
    blocks = [
        views.fields("Rollback Summary", summary),
        _changes_block("Changes Reverted", result.changes),
        views.fields("Impact", impact),
        views.fields("Post-Rollback State", state),
    ]
    kept = [f"kept, because it holds excluded files: {path}" for path in result.kept]
    if result.safety is None:
        messages = ["the plan is in this state already; there was nothing to do"]
        return Result(data, blocks, "Rollback complete", messages=messages)
    return Result(
        data,
        blocks,
        "Rollback complete",
        messages=kept,
        next_steps=[
            f"agents plan execute {plan.plan_id}",
            f"agents plan rollback {plan.plan_id} {result.safety.seq}    # takes this one back",
        ],
    )


def _change(change: FileChange) -> dict[str, str]:
    return {**name_fields("file", change.file), "action": change.action}


def _changes_block(title: str, changes: tuple[FileChange, ...]) -> Fields:
    rows = [(change.action, change.file) for change in changes[:LISTED]]
    if len(changes) > LISTED:
        rows.append(("…", f"and {len(changes) - LISTED} more"))
    return Fields(title, rows or [("", "nothing")])
