"""`agents run`: make a plan and run it in one go."""

import typer

from cleveragents.cli.execute import run_plan
from cleveragents.cli.invocation import add_commands, current
from cleveragents.cli.plan import ActionArgument, ArgOption, make_plan
from cleveragents.cli.render import Result


def register(root: typer.Typer) -> None:
    """Adds the command to the command line."""
    add_commands(root, {"run": run})


def run(action: ActionArgument, arg: ArgOption = None) -> Result:
    """Make a plan from an action file and run it.

    Example: agents run action.yaml --arg module=auth
    """
    app = current.app(progress=True)
    return run_plan(app, make_plan(app, action, arg or []))
