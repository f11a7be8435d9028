"""`agents config …`: the settings in force."""

import typer

from cleveragents.cli.invocation import command, current
from cleveragents.cli.render import Grid, Result
from cleveragents.config import SETTINGS

group = typer.Typer()


def register(root: typer.Typer) -> None:
    """Adds the group to the command line."""
    root.add_typer(group, name="config", help="The settings in force.")


@command(group, "list")
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
