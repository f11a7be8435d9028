"""`agents plan diff` and `agents diff`: how files differ, between any two states of plans."""

from collections.abc import Sequence

from cleveragents.checkpoints.comparison import FileDiff
from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Grid, Patch, Result, Text
from cleveragents.counting import counted
from cleveragents.shapes.difference import Differences, differences_of


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
        call.messages += app.cautions(views.meant(call, app, plan))
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
    views.refuse_plans(call, before, after)
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
    data = differences_of(found)
    if stat:
        table = [Grid("", ["STATUS", "LINES", "PATH"], rows), Text([_sum(data)])] if rows else []
        return Result(data, table, messages=said, paged=True)
    patches = [Patch(diff.patch) if diff.patch else _remark(diff) for diff in found]
    return Result(data, patches, messages=said, paged=True)


def lines(found: Sequence[FileDiff]) -> list[str]:
    """The lines of a patch, for whoever shows them by itself."""
    blocks = told(found, stat=False).blocks
    each = [line for block in blocks if isinstance(block, Patch | Text) for line in block.lines]
    return each or ["no file differs"]


def _remark(diff: FileDiff) -> Text:
    return Text([f"{diff.status}: {diff.path} ({diff.remark})"])


def _sum(found: Differences) -> str:
    """All of them together."""
    total = found["total"]
    files = counted(total["files"], "path")
    return f"{files}, +{total['insertions']} -{total['deletions']}"


def _names(found: Sequence[FileDiff]) -> Result:
    """Tells which files differ, one to a line."""
    return Result(differences_of(found), [Text([diff.path for diff in found])], paged=True)
