"""`agents sandbox …`: what sandboxes lie around, and which of them may go."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cleveragents.app import App
from cleveragents.checkpoints.removal import LISTED, told_why_it_stays
from cleveragents.cli import previewing
from cleveragents.cli.invocation import (
    DryRunOption,
    YesOption,
    add_commands,
    add_group,
    confirm,
    current,
)
from cleveragents.cli.render import Grid, Result, Text, show_blocks
from cleveragents.counting import counted, size
from cleveragents.engine.cleanup import Lying, Pruned
from cleveragents.errors import CleverAgentsError
from cleveragents.plans.lifecycle import APPLIED, written


def register(root: typer.Typer) -> None:
    """Adds the group to the command line."""
    group = add_group(root, "sandbox", "The directories where plans work.")
    add_commands(group, {"list": list_sandboxes, "prune": prune})


def list_sandboxes() -> Result:
    """List the sandboxes of this project and what they cost.

    Examples:
      agents sandbox list
    """
    app = current.app()
    found = app.cleanup.list(app.plans.list())
    hints = [] if found else ["this project has no sandbox"]
    return Result({"sandboxes": [_row(each) for each in found]}, _table(found), messages=hints)


def prune(
    discard: Annotated[
        bool, typer.Option("--discard", help="Also those with work that was never applied.")
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> Result:
    """Remove the files of sandboxes that are not needed any more.

    Examples:
      agents sandbox prune --dry-run
      agents sandbox prune --yes
    """
    app = current.app(progress=True)
    found = app.cleanup.list(app.plans.list())
    judged = [(each, app.cleanup.unheld(each)) for each in found if each.may_go or discard]
    doomed = [each for each, unheld in judged if discard or not unheld]
    kept = len(found) - len(judged)
    stay = counted(kept, "sandbox with unapplied work stays", "sandboxes with unapplied work stay")
    notes = [f"{stay}; --discard removes these too"] if kept else []
    notes += [_about(each, unheld, discard=discard) for each, unheld in judged if unheld]
    data: dict[str, object] = {
        "removed": [_row(each) for each in doomed],
        "kept": len(found) - len(doomed),
        "in_no_checkpoint": [path for _, unheld in judged for path in unheld],
    }
    if dry_run:
        plans = [each.plan for each in doomed if each.plan is not None]
        data["moving"] = True in {previewing.looking(app, plan) for plan in plans}
    if dry_run or not doomed:
        said = "dry run: nothing was removed" if dry_run else "there is nothing to remove"
        return Result(data, _table(doomed), messages=[said, *notes])
    total = size(sum(each.size_bytes for each in doomed))
    flag = " --discard" if discard else ""
    if not yes:
        show_blocks([*_table(doomed), Text(notes)], current.form, sys.stderr)
    confirm(
        f"Remove the files of {counted(len(doomed), 'sandbox', 'sandboxes')} ({total})?",
        yes=yes,
        command_line=f"agents sandbox prune{flag}",
    )
    pruned: list[Pruned] = []
    failed: list[str] = []
    for each in doomed:  # what keeps one keeps no other, nor hides what went before
        try:
            pruned += app.cleanup.prune([each], discard=discard)
        except (CleverAgentsError, OSError) as error:
            failed.append(_told_failure(each, app.cleanup.left_of(each), error))
    notes += [
        f"{each.lying.plan.name}: {told_why_it_stays(each.removed.kept_for)}"
        for each in pruned
        if each.lying.plan is not None and each.removed.kept_for
    ]
    gone = [each.lying for each in pruned if not each.removed.kept_for]
    data["removed"] = [_row(each) for each in gone]
    data["kept"] = len(found) - len(gone)
    again = [line for each in pruned for line in _ways_back(app, each)]
    count = f"removed {len(gone)} of {counted(len(doomed), 'sandbox', 'sandboxes')}"
    return Result(
        data,
        _table(gone),
        "Removed" if len(gone) == len(doomed) else "",
        status="warn" if failed else "ok",
        exit_code=1 if failed else 0,
        messages=[*notes, *failed, *([] if len(gone) == len(doomed) else [count])],
        next_steps=again,
    )


def _told_failure(lying: Lying, left: Path | None, error: CleverAgentsError | OSError) -> str:
    """What became of a sandbox whose removal did not come to its end, and why."""
    why = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        why = f"{error.strerror}: {os.fsdecode(error.filename)}"
    kept = "could not be removed"
    ends = {None: "is removed, but then", lying.path: kept, lying.path.parent: kept}
    end = ends.get(left, f"is removed only in part, the rest is {left}")
    return f"{lying.path} {end}: {why}"


def _about(lying: Lying, unheld: Sequence[str], *, discard: bool) -> str:
    """What is told of a sandbox that holds what no checkpoint would."""
    named = ", ".join([*unheld[:LISTED], *(["…"] if len(unheld) > LISTED else [])])
    name = "" if lying.plan is None else f"{lying.plan.name}: "
    if discard:
        return f"{name}gone for good with its sandbox, in no checkpoint: {named}"
    return f"{name}{told_why_it_stays(unheld)}"


def _ways_back(app: App, pruned: Pruned) -> list[str]:
    """The command that brings the files of a sandbox back, or what was edited after an apply."""
    plan, saved = pruned.lying.plan, pruned.removed.saved
    if plan is None or pruned.removed.kept_for:
        return []
    if plan.stage == APPLIED:
        if saved is None:
            return []
        return [f"agents plan rollback {plan.plan_id} {saved.seq} --to DIR    # what was edited"]
    latest = saved or app.checkpoints.latest_checkpoint(plan.plan_id)
    if latest is None:
        return []
    return [f"agents plan rollback {plan.plan_id} {latest.seq} --rebuild"]


def _row(lying: Lying) -> dict[str, object]:
    plan = lying.plan
    return {
        "plan_id": None if plan is None else plan.plan_id,
        "name": None if plan is None else plan.name,
        "stage": None if plan is None else written(plan.stage),
        "path": str(lying.path),
        "size_bytes": lying.size_bytes,
        "unapplied": not lying.may_go,
    }


def _table(found: Sequence[Lying]) -> list[Grid]:
    rows = [
        [
            "-" if each.plan is None else each.plan.plan_id,
            size(each.size_bytes),
            "left by an interrupted command" if each.plan is None else written(each.plan.stage),
            "" if each.plan is None else each.plan.name,
        ]
        for each in found
    ]
    return [Grid("", ["PLAN", "SIZE", "STATE", "NAME"], rows)] if rows else []
