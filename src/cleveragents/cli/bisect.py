"""`agents plan bisect`: finds the checkpoint at which something broke."""

import shlex
from collections.abc import Mapping, Sequence

from cleveragents.app import App
from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.comparison import FileDiff
from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Fields, Grid, Result, Text
from cleveragents.counting import counted
from cleveragents.engine.read.bisect import Found, line_between
from cleveragents.errors import Failed
from cleveragents.plans.plan import Plan
from cleveragents.shapes.bisect import border_of


def bisect(
    call: Invocation,
    command: list[str],
    plan: str = "@",
    first: str | None = None,
    last: str | None = None,
) -> Result:
    """Find the first checkpoint at which a command fails, in a throw-away directory."""
    app = call.app(progress=True)
    found = views.find(call, app, plan)
    line = " ".join(command) if len(command) == 1 else shlex.join(command)
    border = app.bisection.find(found, _rows(app, found, first, last), line)
    changed = app.comparisons.between(found, border.good, border.bad.checkpoint)
    good, bad = border.good, border.bad.checkpoint
    return Result(
        border_of(found, line, border, changed),
        _blocks(border, changed, views.short_ids(call, app, _ids(border))),
        next_steps=[
            f"agents plan checkpoint diff {found.plan_id} {good.seq} {bad.seq}",
            f"agents plan rollback {found.plan_id} {good.seq}",
        ],
    )


def _rows(app: App, plan: Plan, first: str | None, last: str | None) -> Sequence[Checkpoint]:
    rows = app.checkpoints.list_checkpoints(plan.plan_id)
    if not rows:
        raise Failed("the plan has no checkpoint yet", hints=["run it: agents plan execute @"])
    ends = [
        None if text is None else app.checkpoints.get_checkpoint(plan.plan_id, text)
        for text in (first, last)
    ]
    return line_between(rows, *ends)


def _blocks(found: Found, changed: Sequence[FileDiff], short: Mapping[str, str]) -> list[Block]:
    merged = [f"{child.name} ({short[child.plan_id]})" for child in found.subplans]
    steps = [f"{run.name} ({run.tool})" for run in found.steps]
    steps += [f"the merge of subplan {child}" for child in merged]
    facts = [
        ("Broken by", ", ".join(steps) or "no step: the files were changed in another way"),
        ("Fails since", f"{_shown(found.bad.checkpoint, short)} (exit code {found.bad.exit_code})"),
        ("Passes until", _shown(found.good, short)),
        ("Tried", counted(len(found.tried), "checkpoint")),
    ]
    rows = [[diff.status, diff.path, f"+{diff.insertions} -{diff.deletions}"] for diff in changed]
    blocks: list[Block] = [Fields("Where it broke", facts)]
    blocks += [Grid("Changed there", ["STATUS", "PATH", "LINES"], rows)] if rows else []
    return [*blocks, Text(found.bad.tail)]


def _ids(found: Found) -> list[str]:
    ends = [found.good.checkpoint_id, found.bad.checkpoint.checkpoint_id]
    return [*ends, *(child.plan_id for child in found.subplans)]


def _shown(row: Checkpoint, short: Mapping[str, str]) -> str:
    return f"{row.name}  {short[row.checkpoint_id]}  {row.label or row.reason}"
