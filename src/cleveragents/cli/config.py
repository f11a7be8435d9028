"""`agents config …`: the settings in force."""

import typer

from cleveragents.cli.invocation import add_commands, current
from cleveragents.cli.render import Grid, Result
from cleveragents.config import SETTINGS


def register(root: typer.Typer) -> None:
    """Adds the group to the command line."""
    group = typer.Typer()
    add_commands(group, {"list": list_settings})
    root.add_typer(group, name="config", help="The settings in force.")


def list_settings() -> Result:
    """List every setting, its value and which level it comes from.

    Example: agents config list
    """
    settings = current.app().settings
    data = [
        {
            "key": key,
            "value": settings.value(key).value,
            "source": settings.value(key).source,
            "variable": setting.variable,
            "help": setting.help,
        }
        for key, setting in SETTINGS.items()
    ]
    rows = [[key, settings.written(key), settings.value(key).source] for key in SETTINGS]
    return Result({"settings": data}, [Grid("", ["KEY", "VALUE", "FROM"], rows)])
