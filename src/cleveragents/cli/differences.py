"""`agents plan diff` and `agents diff`: how files differ, between any two states of plans."""

from collections.abc import Sequence

from cleveragents.checkpoints.comparison import FileDiff
from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Grid, Result, Text
from cleveragents.shapes.difference import differences_of


def diff(
    call: Invocation,
    plan: str = "@",
    other: str | None = None,
    stat: bool = False,
    name_only: bool = False,
    correction: str | None = None,
) -> Result:
    """Show what a plan or a correction has changed so far, or how another plan differs."""
    app = call.app()
    if correction is None:
        call.messages += app.cautions(app.plans.find(plan))
    diffs = app.differences(plan, other, correction)
    return _names(diffs) if name_only else told(diffs, stat=stat)


def between(
    call: Invocation,
    before: str | None = None,
    after: str | None = None,
    plan: str = "@",
    stat: bool = False,
    name_only: bool = False,
) -> Result:
    """Show what a plan has changed: all of it, since a checkpoint, or between two."""
    app = call.app()
    found = views.find(call, app, plan)
    if before is None:
        diffs = app.differences(found.plan_id)
    else:
        diffs = app.checkpoint_differences(found, before, after)
    return _names(diffs) if name_only else told(diffs, stat=stat)


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
