"""`agents plan revert`: plans anew."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from cleveragents.cli import changes, previewing, views
from cleveragents.cli.invocation import (
    DryRunOption,
    PlanArgument,
    YesOption,
    add_commands,
    confirm,
    current,
)
from cleveragents.cli.render import Block, Result, Text, show_blocks
from cleveragents.counting import counted
from cleveragents.engine.correct.revert import BackToStart
from cleveragents.shapes.plan import plan_of
from cleveragents.shapes.reversion import reversion_preview_of


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
    again = f"agents plan revert --to-phase {to_phase} {found.plan_id}"
    if dry_run:
        is_moving = previewing.looking(app, found)
        would = app.reversions.preview(found.plan_id)
        data = reversion_preview_of(would, to_phase, moving=is_moving)
        return Result(data, _blocks(would), messages=[previewing.DRY_RUN], next_steps=[again])
    app.recover(found.plan_id)
    digest = None
    if not yes:
        would = app.reversions.preview(found.plan_id)
        digest = would.digest
        show_blocks(_blocks(would), current.form, sys.stderr)
        confirm(f"Plan anew? {_told(would)}.", yes=yes, command_line=again)
    reverted = app.reversions.to_strategize(found.plan_id, guidance, shown_digest=digest)
    done, safety = reverted.plan, reverted.safety
    back = [] if safety is None else [f"agents plan rollback {done.plan_id} {safety.seq}"]
    return Result(
        plan_of(done),
        [Text([f"{done.plan_id} was planned anew"])],
        messages=views.cautions(done, app),
        next_steps=[
            f"agents plan execute {done.plan_id}",
            *(f"{b}    # takes it back" for b in back),
        ],
    )


def _told(would: BackToStart) -> str:
    often = counted(would.times_left, "more time")
    return f"all that {would.plan.name} has done goes back to the start; it may be done {often}"


def _blocks(would: BackToStart) -> list[Block]:
    panel = changes.panel("Would change", would.files)
    return [Text([_told(would)]), panel, *previewing.blocks(would.besides)]
