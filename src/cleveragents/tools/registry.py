"""Finds tools by name: built in, of the action, of imported modules, of installed packages."""

from collections.abc import Iterator, Sequence

from cleveragents.errors import CleverAgentsError, Failed, NotFound
from cleveragents.nearest import hints_for_name
from cleveragents.tools.builtin import BUILT_IN, command_tool
from cleveragents.tools.declaration import CommandTool
from cleveragents.tools.installed import installed, installed_tool, named
from cleveragents.tools.python_tool import made_here
from cleveragents.tools.tool import AnyTool


class ToolRegistry:
    """The tools that are known in one place; of two with one name the nearest counts.

    What installed packages bring is looked at only when it is asked for: it takes a process each.
    """

    def __init__(self, declared: Sequence[CommandTool] = ()) -> None:
        self._tools: dict[str, AnyTool] = dict(made_here())
        self._tools.update((tool.name, command_tool(tool)) for tool in declared)
        self._tools.update(BUILT_IN)

    def every(self) -> Iterator[AnyTool | CleverAgentsError]:
        """Yields every tool, and in the place of one that cannot be used why not."""
        yield from self._tools.values()
        for name in installed():
            if name in self._tools:
                yield Failed(f"{named(name)} is not used: the name is {self._tools[name].origin}")
                continue
            try:
                yield installed_tool(name)
            except CleverAgentsError as error:
                yield error

    def find(self, name: str) -> AnyTool:
        """Returns a tool; an unknown name comes with the nearest known one."""
        if name in self._tools:
            return self._tools[name]
        if name in installed():
            return installed_tool(name)
        hints = hints_for_name(name, [*self._tools, *installed()])
        raise NotFound(f"unknown tool {name!r}", hints=hints or ["see: agents tool list"])
