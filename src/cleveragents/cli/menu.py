"""The menu of checkpoints to go back to, for whoever sits at a terminal."""

from collections.abc import Sequence

from cleveragents.app import App
from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.cli import differences, views
from cleveragents.cli.picker import pick
from cleveragents.cli.picking import Choice, Picking
from cleveragents.counting import counted
from cleveragents.errors import CleverAgentsError, Declined
from cleveragents.plans.plan import Plan

QUESTION = "Roll back to:"


def choose(app: App, plan: Plan, rows: Sequence[Checkpoint]) -> Checkpoint:
    """Lets a checkpoint be picked, with what going back to it would change beside it."""
    line = app.checkpoints.current_line(plan.plan_id)
    named = {row.name: row for row in rows}
    choices = [
        Choice(row.name, views.remark(row, left_behind=row.checkpoint_id not in line))
        for row in rows
    ]
    chosen = pick(
        QUESTION,
        Picking(choices, len(choices) - 1),
        lambda one: _preview(app, plan, named[one.name]),
        lambda one: _diff(app, plan, named[one.name]),
    )
    if chosen is None:
        raise Declined
    return named[chosen.name]


def _preview(app: App, plan: Plan, row: Checkpoint) -> list[str]:
    """The changes of going back; where they cannot be told, that is said."""
    try:
        changes = app.comparisons.way_back(plan, row)
    except CleverAgentsError as error:
        return [error.message]
    if changes is None:
        return ["unknown, no sandbox"]
    listed = [f"{change.action:<8}  {change.file}" for change in changes]
    return [f"Would change {counted(len(changes), 'file')}", *listed]


def _diff(app: App, plan: Plan, row: Checkpoint) -> list[str]:
    try:
        found = app.comparisons.back_to(plan, row)
    except CleverAgentsError as error:
        return [error.message]
    return differences.lines(found)
