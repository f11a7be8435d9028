"""Decides again, beside, or plans anew; what the first release had here stays importable."""

from cleveragents.engine.correct.correction import CorrectionService

__all__ = ["CorrectionService"]
