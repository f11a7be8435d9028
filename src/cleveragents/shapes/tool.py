"""Tools: what they declare and which parameters they take."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from cleveragents.tools.tool import AnyTool


class ToolRow(TypedDict):
    """The declaration of a tool."""

    name: str
    description: str
    read_only: bool
    checkpointable: bool  # a checkpoint before the call takes it back
    side_effects: Sequence[str]  # what it changes outside the sandbox
    idempotent: bool
    timeout: float | None  # seconds
    undo: str | None  # a command or module:function
    pass_env: Sequence[str]
    origin: str  # where it comes from
    parameters: Mapping[str, object]  # a JSON schema for each, by name


class ToolList(TypedDict):
    """The tools a step may call."""

    tools: Sequence[ToolRow]


def tool_of(tool: AnyTool) -> ToolRow:
    """The declaration of a tool."""
    declared = tool.declaration
    return {
        "name": declared.name,
        "description": declared.description,
        "read_only": declared.read_only,
        "checkpointable": declared.is_checkpointable,
        "side_effects": list(declared.side_effects),
        "idempotent": declared.idempotent,
        "timeout": declared.timeout,
        "undo": declared.undo,
        "pass_env": list(declared.pass_env),
        "origin": tool.origin,
        "parameters": parameters_of(tool),
    }


def list_of(tools: Sequence[AnyTool]) -> ToolList:
    """The tools a step may call."""
    return {"tools": [tool_of(tool) for tool in tools]}


def parameters_of(tool: AnyTool) -> Mapping[str, object]:
    """The parameters of a tool, by name."""
    return tool.parameters.model_json_schema()["properties"]
