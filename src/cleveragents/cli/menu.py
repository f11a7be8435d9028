"""The menu of checkpoints to go back to, for whoever sits at a terminal."""

import sys
from collections.abc import Sequence

from cleveragents.app import App
from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.file_change import FileChange
from cleveragents.cli import differences, views
from cleveragents.cli.invocation import Invocation, answer_to
from cleveragents.cli.render import Format, Grid, Text, show_blocks, show_paged
from cleveragents.errors import CleverAgentsError, Damaged, Failed
from cleveragents.escaping import safe
from cleveragents.plans.plan import Plan

QUESTION = "Roll back to (number, d NUMBER shows its diff, q leaves): "
DIFF = "d"


def choose(call: Invocation, app: App, plan: Plan, rows: Sequence[Checkpoint]) -> Checkpoint:
    """Shows what going back to each checkpoint would change, and asks until one is chosen.

    An empty answer leaves everything as it is, and so does the end of the input.
    """
    form = Format.PLAIN if call.form in (Format.JSON, Format.YAML) else call.form
    show_blocks([_table(app, plan, rows)], form, sys.stderr)
    while True:
        answer = _answer()
        try:
            if not answer.startswith(DIFF):
                return app.checkpoints.get_checkpoint(plan.plan_id, answer)
            _show_diff(app, plan, answer.removeprefix(DIFF).strip(), form)
        except CleverAgentsError as error:
            sys.stderr.write(f"{safe(error.message)}\n")


def _answer() -> str:
    answer = answer_to(QUESTION)
    if answer in ("", "q"):
        raise Failed("declined; nothing was changed")
    return answer


def _show_diff(app: App, plan: Plan, name: str, form: Format) -> None:
    row = app.checkpoints.get_checkpoint(plan.plan_id, name)
    diffs = app.comparisons.back_to(plan, row)
    blocks = differences.told(diffs, stat=False).blocks if diffs else [Text(["no file differs"])]
    if sys.stdout.isatty():
        show_paged(blocks, form)
    else:
        show_blocks(blocks, form, sys.stderr)


def _table(app: App, plan: Plan, rows: Sequence[Checkpoint]) -> Grid:
    line = app.checkpoints.current_line(plan.plan_id)
    cells = [
        [
            row.name,
            row.checkpoint_id,
            _would_change(app, plan, row),
            views.remark(row, left_behind=row.checkpoint_id not in line),
        ]
        for row in rows
    ]
    return Grid("", ["CP", "ID", "WOULD CHANGE", "WHY IT WAS MADE"], cells)


def _would_change(app: App, plan: Plan, row: Checkpoint) -> str:
    try:
        changes = app.comparisons.way_back(plan, row)
    except Damaged:
        return "damaged"
    return "unknown, no sandbox" if changes is None else _counted(changes)


def _counted(changes: Sequence[FileChange]) -> str:
    actions = [change.action for change in changes]
    counts = [(actions.count(action), action) for action in ("restored", "removed")]
    return ", ".join(f"{count} {action}" for count, action in counts if count) or "no file"
