"""`agents run`: make a plan and run it in one go."""

import sys
from typing import Annotated

import typer

from cleveragents.cli.apply import apply_plan
from cleveragents.cli.execute import run_plan
from cleveragents.cli.invocation import Invocation, YesOption, add_commands
from cleveragents.cli.plan import ActionArgument, ArgOption, make_plan
from cleveragents.cli.render import Result
from cleveragents.engine.bring.proposal import ApplyOptions
from cleveragents.errors import InvalidInput


def register(root: typer.Typer, call: Invocation) -> None:
    """Adds the command to the command line."""
    add_commands(root, call, {"run": run})


def run(
    call: Invocation,
    action: ActionArgument,
    arg: ArgOption = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Bring the result into the project as well.")
    ] = False,
    yes: YesOption = False,
) -> Result:
    """Make a plan from an action file and run it.

    Examples:
      agents run action.yaml --arg module=auth
      agents run action.yaml --apply
    """
    if apply and not yes and not sys.stdin.isatty():  # before anything runs in vain
        raise InvalidInput(
            "--apply asks before it changes your files, and there is no terminal to ask on",
            hints=["confirm it: agents run … --apply --yes"],
        )
    app = call.app(progress=True)
    made = make_plan(app, action, arg or [])
    done = run_plan(call, app, made)
    return apply_plan(call, app, made, ApplyOptions(), yes=yes) if apply else done
