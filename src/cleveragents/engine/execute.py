"""Where the first release had this public name."""

from cleveragents.engine.run.execute import ExecutePhase

__all__ = ["ExecutePhase"]
