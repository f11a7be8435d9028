"""`agents plan checkpoint …`: list, show, compare and verify checkpoints."""

from collections.abc import Sequence
from typing import Annotated

import typer

from cleveragents.checkpoints.checkpoint import forgotten
from cleveragents.checkpoints.verification import VerificationResult
from cleveragents.cli import keeping, views
from cleveragents.cli.invocation import (
    CheckpointArgument,
    PlanArgument,
    add_commands,
    add_group,
    current,
)
from cleveragents.cli.render import Grid, Result, Text, name_fields
from cleveragents.counting import counted, size
from cleveragents.errors import InvalidInput


def register(parent: typer.Typer) -> None:
    """Adds the group to its parent."""
    group = add_group(parent, "checkpoint", "The points a plan can be taken back to.")
    add_commands(
        group,
        {
            "list": list_checkpoints,
            "show": show,
            "diff": diff,
            "verify": verify,
        },
    )
    keeping.register(group)


def list_checkpoints(plan: PlanArgument = "@") -> Result:
    """List the checkpoints of a plan, the oldest first; with --verbose, why each is kept.

    Examples:
      agents plan checkpoint list @ --verbose
      agents plan checkpoint list
    """
    app = current.app()
    found = views.find(app, plan)
    current.messages += views.cautions(found, app)
    verdicts = app.checkpoints.retention(found.plan_id)
    rows = [verdict.checkpoint for verdict in verdicts]
    reasons = [verdict.why for verdict in verdicts]
    line = app.checkpoints.current_line(found.plan_id)
    table = [
        [
            row.name,
            row.checkpoint_id,
            row.checkpoint_type,
            *([str(row.step_index), size(row.size_bytes)] if current.verbose else []),
            views.moment(row.created_at),
            views.remark(row, left_behind=row.checkpoint_id not in line),
            *([why] if current.verbose else []),
        ]
        for row, why in zip(rows, reasons, strict=True)
    ]
    more, last = (["STEP", "ADDED"], ["KEPT"]) if current.verbose else ([], [])
    columns = ["CP", "ID", "TYPE", *more, "CREATED", "WHY", *last]
    data = [
        {**views.checkpoint_row(row), "marked": row.checkpoint_id not in line, "kept": why}
        for row, why in zip(rows, reasons, strict=True)
    ]
    problems = [
        f"{row.name}: {row.metadata['problem']}" for row in rows if "problem" in row.metadata
    ]
    gone = forgotten(rows)
    ended = counted(gone, "checkpoint was forgotten", "checkpoints were forgotten")
    told = [f"{ended}: deleted, or let go by the limit"] if gone else []
    return Result(
        {"checkpoints": data, "forgotten": gone},
        [Grid("", columns, table)] if rows else [],
        status="warn" if problems else "ok",
        messages=[*problems, *told] if rows else ["the plan has no checkpoint yet"],
        paged=True,
    )


def show(plan: PlanArgument, checkpoint: CheckpointArgument) -> Result:
    """Show everything about a checkpoint.

    Examples:
      agents plan checkpoint show @ 3
      agents plan checkpoint show @ @
    """
    app = current.app()
    found = views.find(app, plan)
    row = app.checkpoints.get_checkpoint(found.plan_id, checkpoint)
    data = views.checkpoint_row(row)
    shown = {key: value for key, value in data.items() if key != "metadata_json"}
    return Result(data, [views.fields(f"Checkpoint {row.name}", {**shown, **row.metadata})])


def diff(
    plan: PlanArgument,
    before: CheckpointArgument,
    after: Annotated[
        str | None, typer.Argument(metavar="CHECKPOINT", help="Default: the files as they are.")
    ] = None,
    stat: Annotated[bool, typer.Option("--stat", help="Only count lines.")] = False,
) -> Result:
    """Show what changed from a checkpoint to another, or to the files as they are.

    Examples:
      agents plan checkpoint diff @ 1 3
      agents plan checkpoint diff @ 1 --stat
    """
    app = current.app()
    found = views.find(app, plan)
    first = app.checkpoints.get_checkpoint(found.plan_id, before)
    if after is None:
        return views.differences(app.comparisons.since(found, first), stat=stat)
    second = app.checkpoints.get_checkpoint(found.plan_id, after)
    return views.differences(app.comparisons.between(found, first, second), stat=stat)


def verify(
    plan: PlanArgument = "@",
    checkpoint: Annotated[
        str | None, typer.Argument(metavar="CHECKPOINT", help="Default: all of the plan.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All plans of the project.")] = False,
) -> Result:
    """Read the content of checkpoints back and compare it with its hashes.

    Examples:
      agents plan checkpoint verify @
      agents plan checkpoint verify --all
    """
    app = current.app()
    if every and (checkpoint is not None or plan != "@"):
        raise InvalidInput("--all is about every plan of the project; name none with it")
    if checkpoint is not None:
        rows = [app.checkpoints.get_checkpoint(views.find(app, plan).plan_id, checkpoint)]
    else:
        plans = app.plans.list() if every else [views.find(app, plan)]
        rows = [row for one in plans for row in app.checkpoints.list_checkpoints(one.plan_id)]
    return _read_back(list(app.checkpoints.verify_checkpoints(rows)))


def _read_back(found: Sequence[VerificationResult]) -> Result:
    bad = [one for one in found if not one.is_intact]
    intact = [one.checkpoint.checkpoint_id for one in found if one.is_intact]
    if not bad:
        text = Text([f"{counted(len(intact), 'checkpoint')} verified"])
        return Result({"verified": intact, "damaged": []}, [text])
    table = [
        [one.checkpoint.name, one.checkpoint.checkpoint_id, line]
        for one in bad
        for line in ([one.problem] if one.problem else one.damaged)
    ]
    plans = dict.fromkeys(one.checkpoint.plan_id for one in bad)
    return Result(
        {"verified": intact, "damaged": [_damage(one) for one in bad]},
        [Grid("Damaged or missing", ["CP", "ID", "WHAT"], table)],
        status="warn",
        exit_code=1,
        messages=[f"{len(bad)} of {len(found)} checkpoints are damaged"],
        next_steps=[
            "agents doctor --repair    # stores again what the sandbox or the project still has",
            *(f"agents plan rollback {plan_id} CHECKPOINT --to DIR" for plan_id in plans),
        ],
    )


def _damage(found: VerificationResult) -> dict[str, object]:
    return {
        "plan_id": found.checkpoint.plan_id,
        "checkpoint_id": found.checkpoint.checkpoint_id,
        "seq": found.checkpoint.seq,
        "problem": found.problem,
        "paths": [name_fields("path", path) for path in found.damaged],
    }
