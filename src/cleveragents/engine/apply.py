"""Where the first release had this public name."""

from cleveragents.engine.bring.apply import ApplyPhase

__all__ = ["ApplyPhase"]
