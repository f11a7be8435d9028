"""The outcome of calls that were to be undone."""

from typing import TypedDict

from cleveragents.plans.undo_run import UndoRun, UndoStatus


class UndoRunRow(TypedDict):
    """The outcome of one call."""

    step: str
    tool: str
    status: UndoStatus
    summary: str


def undo_of(run: UndoRun) -> UndoRunRow:
    """The outcome of one call."""
    return {"step": run.step, "tool": run.tool, "status": run.status, "summary": run.summary}
