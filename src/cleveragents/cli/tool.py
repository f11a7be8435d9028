"""`agents tool …`: the tools a step may call."""

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Grid, Result
from cleveragents.errors import CleverAgentsError
from cleveragents.shapes.tool import list_of, parameters_of, tool_of
from cleveragents.tools.registry import ToolRegistry


def list_tools(_: Invocation) -> Result:
    """List the tools, what they declare and where they come from."""
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


def show(_: Invocation, name: str) -> Result:
    """Show a tool's declaration and parameters."""
    data = tool_of(ToolRegistry().find(name))
    return Result(data, [views.fields(f"Tool {name}", data)])
