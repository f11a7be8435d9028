"""`agents plan revert`: plans anew."""

from enum import StrEnum
from typing import Annotated

import typer

from cleveragents.cli import views
from cleveragents.cli.invocation import (
    DryRunOption,
    PlanArgument,
    YesOption,
    add_commands,
    confirm,
    current,
)
from cleveragents.cli.render import Result, Text
from cleveragents.counting import counted


class BackTo(StrEnum):
    """The phases a plan may go back to."""

    STRATEGIZE = "strategize"


def register(group: typer.Typer) -> None:
    """Adds the command to its group."""
    add_commands(group, {"revert": revert})


def revert(
    plan: PlanArgument,
    to_phase: Annotated[BackTo, typer.Option("--to-phase", help="The phase to go back to.")],
    guidance: Annotated[
        str, typer.Option("--guidance", metavar="TEXT", help="What should be done otherwise.")
    ] = "planned anew",
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> Result:
    """Plan anew: read the action file or ask the strategist again, and start from there.

    Examples:
      agents plan revert --to-phase strategize @
    """
    app = current.app(progress=True)
    found = app.plans.find(plan)
    left = app.reversions.left(found)
    often = counted(left, "more time")
    told = f"all that {found.name} has done goes back to the start; it may be done {often}"
    if dry_run:
        data = {"plan_id": found.plan_id, "to_phase": to_phase, "times_left": left}
        return Result(data, [Text([told])], messages=["dry run: nothing was changed"])
    again = f"agents plan revert --to-phase {to_phase} {found.plan_id}"
    confirm(f"Plan anew? {told}.", yes=yes, command_line=again)
    reverted = app.reversions.to_strategize(found.plan_id, guidance)
    done, safety = reverted.plan, reverted.safety
    back = [] if safety is None else [f"agents plan rollback {done.plan_id} {safety.seq}"]
    return Result(
        views.plan_row(done),
        [Text([f"{done.plan_id} was planned anew"])],
        messages=views.cautions(done, app),
        next_steps=[
            f"agents plan execute {done.plan_id}",
            *(f"{b}    # takes it back" for b in back),
        ],
    )
