"""CleverAgents runs plans in a sandbox of your project and takes them back to any checkpoint."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cleveragents.app import App
    from cleveragents.tools.python_tool import tool

    __version__: str

__all__ = ["App", "__version__", "tool"]


def __getattr__(name: str) -> object:
    """Resolves public names on first use, so that `agents --version` stays quick."""
    if name == "App":
        from cleveragents.app import App

        return App
    if name == "tool":
        from cleveragents.tools.python_tool import tool

        return tool
    if name == "__version__":
        from importlib.metadata import version

        return version("cleveragents")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
