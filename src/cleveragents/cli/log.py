"""`agents plan log`: the whole story of a plan, in order."""

import typer

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation, PlanArgument, add_commands
from cleveragents.cli.render import Grid, Result
from cleveragents.shapes.log import log_of


def register(group: typer.Typer, call: Invocation) -> None:
    """Adds the command to its group."""
    add_commands(group, call, {"log": log})


def log(call: Invocation, plan: PlanArgument = "@") -> Result:
    """Tell the whole story of a plan: steps, checkpoints, rollbacks, and why.

    Examples:
      agents plan log @
    """
    app = call.app()
    found = app.plans.find(plan)
    events = app.history.of(found)
    rows = [[views.moment(event.at), event.what, event.story] for event in events]
    return Result(
        log_of(found, events),
        [Grid("", ["WHEN", "WHAT", "STORY"], rows)],
        messages=app.cautions(found),
        paged=True,
    )
