"""`agents plan diff`: how files differ, between any two states of plans."""

from collections.abc import Sequence
from typing import Annotated

import typer

from cleveragents.checkpoints.comparison import FileDiff
from cleveragents.cli.invocation import Invocation, PlanArgument, add_commands
from cleveragents.cli.render import Grid, Result, Text
from cleveragents.shapes.difference import differences_of


def register(group: typer.Typer, call: Invocation) -> None:
    """Adds the command to its group."""
    add_commands(group, call, {"diff": diff})


def diff(
    call: Invocation,
    plan: PlanArgument = "@",
    other: Annotated[
        str | None, typer.Argument(metavar="OTHER", help="A plan to compare it with.")
    ] = None,
    stat: Annotated[bool, typer.Option("--stat", help="Only count lines.")] = False,
    name_only: Annotated[bool, typer.Option("--name-only", help="Only name the files.")] = False,
    correction: Annotated[
        str | None,
        typer.Option("--correction", metavar="ID", help="What a correction has made of it."),
    ] = None,
) -> Result:
    """Show what a plan has changed so far, how another one differs, or what a correction changed.

    Examples:
      agents plan diff @
      agents plan diff @ --stat
      agents plan diff 01K2ZD 01K2ZE
    """
    app = call.app()
    if correction is None:
        call.messages += app.cautions(app.plans.find(plan))
    diffs = app.differences(plan, other, correction)
    if name_only:
        return _names(diffs)
    return told(diffs, stat=stat)


def told(found: Sequence[FileDiff], *, stat: bool) -> Result:
    """Tells how files differ, as a patch or as counts."""
    rows = [[diff.status, f"+{diff.insertions} -{diff.deletions}", diff.path] for diff in found]
    said = [] if found else ["no file differs"]
    if stat:
        table = [Grid("", ["STATUS", "LINES", "PATH"], rows)] if rows else []
        return Result(differences_of(found), table, messages=said, paged=True)
    lines: list[str] = []
    for diff in found:
        lines += diff.patch or [f"{diff.status}: {diff.path} ({diff.remark})"]
    return Result(differences_of(found), [Text(lines)], messages=said, paged=True)


def _names(found: Sequence[FileDiff]) -> Result:
    """Tells which files differ, one to a line."""
    return Result(differences_of(found), [Text([diff.path for diff in found])], paged=True)
