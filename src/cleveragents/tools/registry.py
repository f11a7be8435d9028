"""Finds tools by name: the built-in ones, then those an action declares."""

import difflib
from collections.abc import Iterator, Sequence

from cleveragents.errors import NotFound
from cleveragents.tools.builtin import BUILT_IN, command_tool
from cleveragents.tools.declaration import CommandTool
from cleveragents.tools.tool import AnyTool


class ToolRegistry:
    """The tools that are known in one place."""

    def __init__(self, declared: Sequence[CommandTool] = ()) -> None:
        self._tools: dict[str, AnyTool] = dict(BUILT_IN)
        self._tools.update((tool.name, command_tool(tool)) for tool in declared)

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self._tools.values())

    def find(self, name: str) -> AnyTool:
        """Returns a tool; an unknown name comes with the nearest known one."""
        if name in self._tools:
            return self._tools[name]
        near = difflib.get_close_matches(name, self._tools, n=1)
        hints = [f"did you mean {near[0]!r}?"] if near else ["see: agents tool list"]
        raise NotFound(f"unknown tool {name!r}", hints=hints)
