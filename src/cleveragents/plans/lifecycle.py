"""The lifecycle of a plan: one table holds the legal moves, anything else is refused."""

from collections.abc import Mapping
from enum import StrEnum

from cleveragents.errors import Refused


class Phase(StrEnum):
    """The part of its life in which a plan is."""

    STRATEGIZE = "strategize"
    EXECUTE = "execute"
    APPLY = "apply"


class State(StrEnum):
    """How far the phase has come."""

    QUEUED = "queued"
    PROCESSING = "processing"
    COMPLETE = "complete"
    ERRORED = "errored"
    APPLIED = "applied"
    CANCELLED = "cancelled"


Stage = tuple[Phase, State]

STRATEGIZING = (Phase.STRATEGIZE, State.PROCESSING)
STRATEGIZED = (Phase.STRATEGIZE, State.COMPLETE)
STRATEGY_FAILED = (Phase.STRATEGIZE, State.ERRORED)
QUEUED = (Phase.EXECUTE, State.QUEUED)
RUNNING = (Phase.EXECUTE, State.PROCESSING)
COMPLETE = (Phase.EXECUTE, State.COMPLETE)
ERRORED = (Phase.EXECUTE, State.ERRORED)
CANCELLED = (Phase.EXECUTE, State.CANCELLED)
APPLYING = (Phase.APPLY, State.PROCESSING)
APPLIED = (Phase.APPLY, State.APPLIED)

MOVES: Mapping[Stage, frozenset[Stage]] = {
    # From processing to processing: a new owner takes over from a dead one.
    STRATEGIZING: frozenset({STRATEGIZING, STRATEGIZED, STRATEGY_FAILED}),
    STRATEGIZED: frozenset({RUNNING, CANCELLED, STRATEGIZING, QUEUED}),
    STRATEGY_FAILED: frozenset({STRATEGIZING}),
    QUEUED: frozenset({RUNNING, QUEUED, CANCELLED, STRATEGIZING}),
    RUNNING: frozenset({RUNNING, COMPLETE, ERRORED, CANCELLED, QUEUED, STRATEGIZING}),
    # From errored to errored: recovery finishes the rollback that a failed step had begun.
    ERRORED: frozenset({ERRORED, RUNNING, QUEUED, CANCELLED, STRATEGIZING}),
    # From cancelled to complete: a rollback that cancelled a finished subplan is taken back.
    CANCELLED: frozenset({RUNNING, QUEUED, COMPLETE, STRATEGIZING}),
    COMPLETE: frozenset({QUEUED, APPLYING, STRATEGIZING, CANCELLED}),
    APPLYING: frozenset({APPLIED, COMPLETE}),
    APPLIED: frozenset({APPLYING}),
}
START = STRATEGIZING


def check_move(current: Stage, target: Stage) -> None:
    """Refuses a move that the table does not hold."""
    if target not in MOVES[current]:
        raise Refused(f"a plan in {written(current)} cannot go to {written(target)}")


def written(stage: Stage) -> str:
    """Returns the stage as users read it."""
    return f"{stage[0]}/{stage[1]}"
