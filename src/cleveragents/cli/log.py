"""`agents plan log`: the whole story of a plan, in order."""

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Grid, Result
from cleveragents.shapes.log import log_of


def log(call: Invocation, plan: str = "@") -> Result:
    """Tell the whole story of a plan: steps, checkpoints, rollbacks, and why."""
    app = call.app()
    found = views.meant(call, app, plan)
    events = app.history.of(found)
    rows = [[views.moment(event.at), event.what, event.story] for event in events]
    return Result(
        log_of(found, events),
        [Grid("", ["WHEN", "WHAT", "STORY"], rows)],
        messages=app.cautions(found),
        paged=True,
    )
