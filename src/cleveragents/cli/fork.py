"""`agents plan fork`: a second plan from any checkpoint."""

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Result, Text
from cleveragents.shapes.plan import fork_of


def fork(
    call: Invocation,
    plan: str,
    checkpoint: str,
    name: str | None = None,
) -> Result:
    """Start a second plan from a checkpoint, to try another way beside the first."""
    app = call.app(progress=True)
    found = views.meant(call, app, plan)
    row = app.checkpoints.get_checkpoint(found.plan_id, checkpoint)
    made = app.fork(found, row, name or f"{found.name} from {row.name}")
    return Result(
        fork_of(made, found, row),
        [Text([made.plan_id])],
        f"{made.name} is a plan of its own, from {row.name} of {found.name}",
        messages=app.cautions(made),
        next_steps=[
            f"agents plan execute {made.plan_id}",
            f"agents plan diff {found.plan_id} {made.plan_id}",
        ],
    )
