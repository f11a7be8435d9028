"""`agents sandbox …`: what sandboxes lie around, and which of them may go."""

from collections.abc import Sequence
from typing import Annotated

import typer

from cleveragents.cli.invocation import (
    DryRunOption,
    YesOption,
    add_commands,
    add_group,
    confirm,
    current,
)
from cleveragents.cli.render import Grid, Result
from cleveragents.counting import counted, size
from cleveragents.engine.cleanup import Lying
from cleveragents.plans.lifecycle import written


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
    doomed = [each for each in found if each.may_go or discard]
    kept = len(found) - len(doomed)
    stay = counted(kept, "sandbox with unapplied work stays", "sandboxes with unapplied work stay")
    notes = [f"{stay}; --discard removes these too"] if kept else []
    data = {"removed": [_row(each) for each in doomed], "kept": kept}
    if dry_run or not doomed:
        said = "dry run: nothing was removed" if dry_run else "there is nothing to remove"
        return Result(data, _table(doomed), messages=[said, *notes])
    total = size(sum(each.size_bytes for each in doomed))
    flag = " --discard" if discard else ""
    confirm(
        f"Remove the files of {counted(len(doomed), 'sandbox', 'sandboxes')} ({total})?",
        yes=yes,
        command_line=f"agents sandbox prune{flag}",
    )
    pruned = app.cleanup.prune(doomed)
    again = [
        f"agents plan rollback {each.lying.plan.plan_id} {each.checkpoint} --rebuild"
        for each in pruned
        if each.lying.plan is not None and each.checkpoint is not None
    ]
    return Result(data, _table(doomed), "Removed", messages=notes, next_steps=again)


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
