"""What the engine reports as it goes; surfaces draw it, tests read it."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock


@dataclass(frozen=True)
class Event:
    """Something that has just happened to a plan."""

    plan_id: str


@dataclass(frozen=True)
class PlanMoved(Event):
    phase: str
    state: str


@dataclass(frozen=True)
class SandboxReady(Event):
    strategy: str
    path: str
    files: int


@dataclass(frozen=True)
class StepStarted(Event):
    index: int
    total: int
    name: str
    tool: str
    attempt: int


@dataclass(frozen=True)
class StepOutput(Event):
    text: str  # the newest complete line a step printed


@dataclass(frozen=True)
class StepFinished(Event):
    index: int
    name: str
    seconds: float
    summary: str


@dataclass(frozen=True)
class StepFailed(Event):
    index: int
    name: str
    seconds: float
    reason: str
    attempts_left: int


@dataclass(frozen=True)
class Decided(Event):
    name: str
    chosen: str
    why: str


@dataclass(frozen=True)
class CheckpointSaved(Event):
    seq: int
    checkpoint_id: str
    reason: str


@dataclass(frozen=True)
class CheckpointSame(Event):
    seq: int  # the checkpoint that already holds this state
    reason: str


@dataclass(frozen=True)
class RolledBack(Event):
    seq: int
    checkpoint_id: str
    files: int


@dataclass(frozen=True)
class PathsRestored(Event):
    seq: int  # the checkpoint they are from
    files: int


@dataclass(frozen=True)
class CallUndone(Event):
    worked: bool
    text: str


@dataclass(frozen=True)
class Validated(Event):
    command: str
    exit_code: int
    seconds: float


@dataclass(frozen=True)
class SandboxRefreshed(Event):
    files: int
    conflicts: int


@dataclass(frozen=True)
class SubplanStarted(Event):
    child_id: str
    name: str
    attempt: int


@dataclass(frozen=True)
class SubplanEnded(Event):
    name: str
    state: str
    reason: str  # why it is not complete; empty if it is
    attempts_left: int


@dataclass(frozen=True)
class SubplanMerged(Event):
    name: str
    files: int
    conflicts: int


@dataclass(frozen=True)
class Note(Event):
    text: str


Reporter = Callable[[Event], None]


def silent(_: Event) -> None:
    """A reporter that tells nobody."""


def in_turn(report: Reporter) -> Reporter:
    """Returns a reporter that is told of one event at a time, whichever thread it comes from."""
    lock = RLock()

    def tell(event: Event) -> None:
        with lock:
            report(event)

    return tell
