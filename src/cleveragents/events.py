"""Events: the engine reports each as it happens; surfaces draw them, programs read them."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import RLock
from typing import TypeAlias

from cleveragents.errors import CleverAgentsError, Interrupted
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.records import frozen

NO_PLAN = PlanId("")  # that something concerns which is told all the same


@frozen
class Occurrence:
    """Something that has just happened to a plan; its kinds together are `Event`."""

    plan_id: PlanId

    @property
    def must_be_told(self) -> str:
        """The text that somebody has to read even where nothing else is told; empty: none."""
        return ""


@frozen
class PlanMoved(Occurrence):
    """The plan went to another phase or state."""

    phase: str
    state: str


@frozen
class SandboxReady(Occurrence):
    """The sandbox is made and filled."""

    strategy: str
    path: str
    files: int


@frozen
class StepStarted(Occurrence):
    """An attempt at a step begins."""

    index: int
    total: int
    name: str
    tool: str
    attempt: int


@frozen
class StepOutput(Occurrence):
    """A step has printed something."""

    text: str  # the newest complete line a step printed


@frozen
class StepFinished(Occurrence):
    """A step has worked."""

    index: int
    name: str
    seconds: float
    summary: str


@frozen
class StepFailed(Occurrence):
    """An attempt at a step has failed."""

    index: int
    name: str
    seconds: float
    reason: str
    attempts_left: int


@frozen
class Decided(Occurrence):
    """A decision was made, or one that counts was reused."""

    name: str
    chosen: str
    why: str


@frozen
class CheckpointSaved(Occurrence):
    """A checkpoint was made."""

    seq: int
    checkpoint_id: CheckpointId
    reason: str


@frozen
class CheckpointSame(Occurrence):
    """A checkpoint was due, but nothing had changed since the latest."""

    seq: int  # the checkpoint that already holds this state
    reason: str


@frozen
class RolledBack(Occurrence):
    """Files and plan are back at a checkpoint."""

    seq: int
    checkpoint_id: CheckpointId
    files: int


@frozen
class PathsRestored(Occurrence):
    """Single paths were taken back from a checkpoint."""

    seq: int  # the checkpoint they are from
    files: int


@frozen
class CallUndone(Occurrence):
    """The undo of a call was run."""

    worked: bool
    text: str

    @property
    def must_be_told(self) -> str:
        """The text, if the undo did not work."""
        return "" if self.worked else self.text


@frozen
class Validated(Occurrence):
    """A validation of the action was run before an apply."""

    command: str
    exit_code: int
    seconds: float


@frozen
class CheckpointTried(Occurrence):
    """A command was tried at a checkpoint."""

    seq: int
    exit_code: int
    seconds: float


@frozen
class SandboxRefreshed(Occurrence):
    """Changes of the project were merged into the sandbox."""

    files: int
    conflicts: int


@frozen
class SubplanStarted(Occurrence):
    """An attempt at a subplan begins."""

    child_id: PlanId
    name: str
    attempt: int


@frozen
class SubplanEnded(Occurrence):
    """An attempt at a subplan has come to its end."""

    name: str
    state: str
    reason: str  # why it is not complete; empty if it is
    attempts_left: int


@frozen
class SubplanMerged(Occurrence):
    """The result of a subplan was merged into its parent."""

    name: str
    files: int
    conflicts: int


@frozen
class Working(Occurrence):
    """Long work on files has come so far."""

    doing: str
    seconds: float  # since it began
    files: int
    size: int  # bytes
    of_files: int  # 0: that is not known before
    of_size: int


@frozen
class Note(Occurrence):
    """Something that should be told even where progress is not shown."""

    text: str

    @property
    def must_be_told(self) -> str:
        """The text."""
        return self.text


# The one list of kinds: whoever matches all of them is told by a type checker of a new one.
Event: TypeAlias = (
    PlanMoved
    | SandboxReady
    | StepStarted
    | StepOutput
    | StepFinished
    | StepFailed
    | Decided
    | CheckpointSaved
    | CheckpointSame
    | RolledBack
    | PathsRestored
    | CallUndone
    | Validated
    | CheckpointTried
    | SandboxRefreshed
    | SubplanStarted
    | SubplanEnded
    | SubplanMerged
    | Working
    | Note
)
Reporter: TypeAlias = Callable[[Event], None]


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
    except Interrupted:
        told = f"interrupted while {doing}: what was done stands, a later command does the rest"
        report(Note(plan_id, told))
    except (CleverAgentsError, OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        report(Note(plan_id, f"what was done stands, but {doing} failed: {why}"))
