"""`agents tool …`: the tools a step may call."""

from typing import Annotated

import typer

from cleveragents.cli import views
from cleveragents.cli.invocation import add_commands
from cleveragents.cli.render import Grid, Result
from cleveragents.tools.registry import ToolRegistry
from cleveragents.tools.tool import AnyTool


def register(root: typer.Typer) -> None:
    """Adds the group to the command line."""
    group = typer.Typer()
    add_commands(group, {"list": list_tools, "show": show})
    root.add_typer(group, name="tool", help="The tools a step may call.")


def list_tools() -> Result:
    """List the tools and what they declare.

    Example: agents tool list
    """
    tools = list(ToolRegistry())
    rows = [
        [
            tool.declaration.name,
            "reads" if tool.declaration.read_only else "writes",
            tool.origin,
            ", ".join(tool.parameters.model_fields),
            tool.declaration.description,
        ]
        for tool in tools
    ]
    table = Grid("", ["TOOL", "EFFECT", "FROM", "WITH", "DESCRIPTION"], rows)
    return Result({"tools": [_declared(tool) for tool in tools]}, [table])


def show(name: Annotated[str, typer.Argument(metavar="TOOL")]) -> Result:
    """Show a tool's declaration and parameters.

    Example: agents tool show edit_file
    """
    data = _declared(ToolRegistry().find(name))
    return Result(data, [views.fields(f"Tool {name}", data)])


def _declared(tool: AnyTool) -> dict[str, object]:
    return {
        **tool.declaration.model_dump(mode="json"),
        "origin": tool.origin,
        "parameters": tool.parameters.model_json_schema()["properties"],
    }
