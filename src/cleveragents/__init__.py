"""CleverAgents runs plans in a sandbox of your project and takes them back to any checkpoint."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cleveragents.app import App
    from cleveragents.checkpoints.checkpoint import Checkpoint
    from cleveragents.checkpoints.comparison import FileDiff
    from cleveragents.checkpoints.rollback import RollbackResult
    from cleveragents.engine.bring.proposal import ApplyOptions
    from cleveragents.engine.session import CallFailed, Session, ToolResult
    from cleveragents.errors import CleverAgentsError
    from cleveragents.plans.action import Action, RollbackPolicy
    from cleveragents.plans.plan import Plan
    from cleveragents.tools.python_tool import tool

__version__: str = "0.1.0"
__all__ = [
    "Action",
    "App",
    "ApplyOptions",
    "CallFailed",
    "Checkpoint",
    "CleverAgentsError",
    "FileDiff",
    "Plan",
    "RollbackPolicy",
    "RollbackResult",
    "Session",
    "ToolResult",
    "__version__",
    "tool",
]

_HOMES = {
    "Action": "plans.action",
    "App": "app",
    "ApplyOptions": "engine.bring.proposal",
    "CallFailed": "engine.session",
    "Checkpoint": "checkpoints.checkpoint",
    "CleverAgentsError": "errors",
    "FileDiff": "checkpoints.comparison",
    "Plan": "plans.plan",
    "RollbackPolicy": "plans.action",
    "RollbackResult": "checkpoints.rollback",
    "Session": "engine.session",
    "ToolResult": "engine.session",
    "tool": "tools.python_tool",
}


def __getattr__(name: str) -> object:
    """Resolves public names on first use, so that `agents --version` stays quick."""
    if name in _HOMES:
        return getattr(import_module(f"cleveragents.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
