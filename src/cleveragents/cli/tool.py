"""`agents tool …`: the tools a step may call."""

from typing import Annotated

import typer

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation, add_commands, add_group
from cleveragents.cli.render import Grid, Result
from cleveragents.errors import CleverAgentsError
from cleveragents.shapes.tool import list_of, parameters_of, tool_of
from cleveragents.tools.registry import ToolRegistry


def register(root: typer.Typer, call: Invocation) -> None:
    """Adds the group to the command line."""
    group = add_group(root, call, "tool", "The tools a step may call.")
    add_commands(group, call, {"list": list_tools, "show": show})


def list_tools(_: Invocation) -> Result:
    """List the tools, what they declare and where they come from.

    Examples:
      agents tool list
    """
    found = list(ToolRegistry().every())
    tools = [tool for tool in found if not isinstance(tool, CleverAgentsError)]
    broken = [error.message for error in found if isinstance(error, CleverAgentsError)]
    rows = [
        [
            tool.declaration.name,
            "reads" if tool.declaration.read_only else "writes",
            tool.origin,
            ", ".join(parameters_of(tool)),
            tool.declaration.description,
        ]
        for tool in tools
    ]
    table = Grid("", ["TOOL", "EFFECT", "FROM", "WITH", "DESCRIPTION"], rows)
    return Result(list_of(tools), [table], status="warn" if broken else "ok", messages=broken)


def show(_: Invocation, name: Annotated[str, typer.Argument(metavar="TOOL")]) -> Result:
    """Show a tool's declaration and parameters.

    Examples:
      agents tool show edit_file
    """
    data = tool_of(ToolRegistry().find(name))
    return Result(data, [views.fields(f"Tool {name}", data)])
