"""`agents plan fork`: a second plan from any checkpoint."""

from typing import Annotated

import typer

from cleveragents.cli.invocation import Invocation, PlanArgument, add_commands
from cleveragents.cli.render import Result, Text
from cleveragents.shapes.plan import fork_of


def register(group: typer.Typer, call: Invocation) -> None:
    """Adds the command to its group."""
    add_commands(group, call, {"fork": fork})


def fork(
    call: Invocation,
    plan: PlanArgument,
    checkpoint: Annotated[
        str, typer.Argument(metavar="CHECKPOINT", help="A number, an id, a prefix, or @.")
    ],
    name: Annotated[str | None, typer.Option("--name", help="What to call it.")] = None,
) -> Result:
    """Start a second plan from a checkpoint, to try another way beside the first.

    Examples:
      agents plan fork @ 3 --name "with sqlite"
    """
    app = call.app(progress=True)
    found = app.plans.find(plan)
    row = app.checkpoints.get_checkpoint(found.plan_id, checkpoint)
    made = app.fork(found, row, name or f"{found.name} from {row.name}")
    return Result(
        fork_of(made, found, row),
        [Text([made.plan_id])],
        messages=app.cautions(made),
        next_steps=[
            f"agents plan execute {made.plan_id}",
            f"agents plan diff {found.plan_id} {made.plan_id}",
        ],
    )
