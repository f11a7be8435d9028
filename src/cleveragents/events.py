"""What the engine reports as it goes; surfaces draw it, tests read it."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import RLock

from cleveragents.errors import CleverAgentsError
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.records import frozen

NO_PLAN = PlanId("")  # that something concerns which is told all the same


@frozen
class Event:
    """Something that has just happened to a plan."""

    plan_id: PlanId

    @property
    def must_be_told(self) -> str:
        """What somebody has to know of even where nothing else is told as it happens."""
        return ""


@frozen
class PlanMoved(Event):
    """The plan went to another phase or state."""

    phase: str
    state: str


@frozen
class SandboxReady(Event):
    """The sandbox is made and filled."""

    strategy: str
    path: str
    files: int


@frozen
class StepStarted(Event):
    """An attempt at a step begins."""

    index: int
    total: int
    name: str
    tool: str
    attempt: int


@frozen
class StepOutput(Event):
    """A step has printed something."""

    text: str  # the newest complete line a step printed


@frozen
class StepFinished(Event):
    """A step has worked."""

    index: int
    name: str
    seconds: float
    summary: str


@frozen
class StepFailed(Event):
    """An attempt at a step has failed."""

    index: int
    name: str
    seconds: float
    reason: str
    attempts_left: int


@frozen
class Decided(Event):
    """A decision was made, or one that counts was reused."""

    name: str
    chosen: str
    why: str


@frozen
class CheckpointSaved(Event):
    """A checkpoint was made."""

    seq: int
    checkpoint_id: CheckpointId
    reason: str


@frozen
class CheckpointSame(Event):
    """A checkpoint was due, but nothing had changed since the latest."""

    seq: int  # the checkpoint that already holds this state
    reason: str


@frozen
class RolledBack(Event):
    """Files and plan are back at a checkpoint."""

    seq: int
    checkpoint_id: CheckpointId
    files: int


@frozen
class PathsRestored(Event):
    """Single paths were taken back from a checkpoint."""

    seq: int  # the checkpoint they are from
    files: int


@frozen
class CallUndone(Event):
    """The undo of a call was run."""

    worked: bool
    text: str

    @property
    def must_be_told(self) -> str:
        """What the call did, if that is still so."""
        return "" if self.worked else self.text


@frozen
class Validated(Event):
    """A validation of the action was run before an apply."""

    command: str
    exit_code: int
    seconds: float


@frozen
class CheckpointTried(Event):
    """A command was tried at a checkpoint."""

    seq: int
    exit_code: int
    seconds: float


@frozen
class SandboxRefreshed(Event):
    """What the user changed meanwhile was merged into the sandbox."""

    files: int
    conflicts: int


@frozen
class SubplanStarted(Event):
    """An attempt at a subplan begins."""

    child_id: PlanId
    name: str
    attempt: int


@frozen
class SubplanEnded(Event):
    """An attempt at a subplan has come to its end."""

    name: str
    state: str
    reason: str  # why it is not complete; empty if it is
    attempts_left: int


@frozen
class SubplanMerged(Event):
    """The result of a subplan was merged into its parent."""

    name: str
    files: int
    conflicts: int


@frozen
class Working(Event):
    """Long work on files has come so far."""

    doing: str
    seconds: float  # since it began
    files: int
    size: int  # bytes
    of_files: int  # 0: that is not known before
    of_size: int


@frozen
class Note(Event):
    """Something that should be told even where progress is not shown."""

    text: str

    @property
    def must_be_told(self) -> str:
        """All of it."""
        return self.text


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


@contextmanager
def afterwards(report: Reporter, plan_id: PlanId, doing: str) -> Generator[None]:
    """Tells what fails in here as a note: the act that came before is done, and stands."""
    try:
        yield
    except (CleverAgentsError, OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        report(Note(plan_id, f"what was done stands, but {doing} failed: {why}"))
