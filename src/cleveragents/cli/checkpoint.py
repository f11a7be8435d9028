"""`agents plan checkpoint …`: list, show, compare and verify checkpoints."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Grid, Result, Text
from cleveragents.counting import counted, size
from cleveragents.errors import InvalidInput
from cleveragents.plans.plan import ALL_KINDS
from cleveragents.shapes.checkpoint import checkpoint_of, list_of, reading_back_of

if TYPE_CHECKING:
    from cleveragents.checkpoints.verification import VerificationResult


def list_checkpoints(call: Invocation, plan: str = "@") -> Result:
    """List the checkpoints of a plan, the oldest first; with --verbose, why each is kept."""
    app = call.app()
    found = views.find(call, app, plan)
    call.messages += app.cautions(found)
    verdicts = app.kept.retention(found.plan_id)
    rows = [verdict.checkpoint for verdict in verdicts]
    reasons = [verdict.why for verdict in verdicts]
    line = app.kept.current_line(found.plan_id)
    short = views.short_among(call, [row.checkpoint_id for row in rows])
    table = [
        [
            row.name,
            short[row.checkpoint_id],
            row.checkpoint_type,
            *([str(row.step_index), size(row.size_bytes)] if call.verbose else []),
            views.ago(row.created_at),
            views.remark(row, left_behind=row.checkpoint_id not in line),
            *([why] if call.verbose else []),
        ]
        for row, why in zip(rows, reasons, strict=True)
    ]
    more, last = (["STEP", "ADDED"], ["KEPT"]) if call.verbose else ([], [])
    columns = ["CP", "ID", "TYPE", *more, "CREATED", "WHY", *last]
    data = list_of(verdicts, line)
    problems = [
        f"{row.name}: {row.metadata['problem']}" for row in rows if "problem" in row.metadata
    ]
    gone = data["forgotten"]
    ended = counted(gone, "checkpoint is gone", "checkpoints are gone")
    told = [f"{ended}: deleted, or let go by the limit"] if gone else []
    return Result(
        data,
        [Grid("", columns, table)] if rows else [],
        status="warn" if problems else "ok",
        messages=[*problems, *told] if rows else ["the plan has no checkpoint yet"],
        paged=True,
    )


def show(call: Invocation, plan: str, checkpoint: str) -> Result:
    """Show everything about a checkpoint."""
    app = call.app()
    found = views.find(call, app, plan)
    row = app.kept.get_checkpoint(found.plan_id, checkpoint)
    data = checkpoint_of(row)
    shown = {key: value for key, value in data.items() if key != "metadata_json"}
    return Result(data, [views.fields(f"Checkpoint {row.name}", {**shown, **row.metadata})])


def diff(
    call: Invocation,
    plan: str,
    before: str,
    after: str | None = None,
    stat: bool = False,
) -> Result:
    """Show what changed from a checkpoint to another, or to the files as they are."""
    from cleveragents.cli.differences import told  # no other command here compares

    app = call.app()
    found = views.find(call, app, plan)
    return told(app.checkpoint_differences(found, before, after), stat=stat)


def verify(
    call: Invocation,
    plan: str = "@",
    checkpoint: str | None = None,
    every: bool = False,
) -> Result:
    """Read the content of checkpoints back and compare it with its hashes."""
    app = call.app(progress=True)
    if every and (checkpoint is not None or plan != "@"):
        raise InvalidInput("--all is about every plan of the project; name none with it")
    if checkpoint is not None:
        rows = [app.kept.get_checkpoint(views.find(call, app, plan).plan_id, checkpoint)]
    else:
        plans = app.plans.list(kind=ALL_KINDS) if every else [views.find(call, app, plan)]
        rows = [row for one in plans for row in app.kept.list_checkpoints(one.plan_id)]
    return _read_back(list(app.checkpoints.verify_checkpoints(rows)))


def _read_back(found: Sequence["VerificationResult"]) -> Result:
    data, bad = reading_back_of(found), [one for one in found if not one.is_intact]
    if not bad:
        return Result(data, [Text([f"{counted(len(found), 'checkpoint')} verified"])])
    table = [
        [one.checkpoint.name, one.checkpoint.checkpoint_id, line]
        for one in bad
        for line in ([one.problem] if one.problem else one.damaged)
    ]
    plans = dict.fromkeys(one.checkpoint.plan_id for one in bad)
    return Result(
        data,
        [Grid("Damaged or missing", ["CP", "ID", "WHAT"], table)],
        status="warn",
        exit_code=1,
        messages=[f"{len(bad)} of {len(found)} checkpoints are damaged"],
        next_steps=[
            "agents doctor --repair    # stores again what the sandbox or the project still has",
            *(f"agents plan rollback {plan_id} CHECKPOINT --to DIR" for plan_id in plans),
        ],
    )
