"""Draws what the engine reports: one line per step, checkpoints named as they are made."""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cleveragents.cli.console import Line, Paper, Piece, silence
from cleveragents.cli.views import elapsed
from cleveragents.cli.work import WorkDisplay
from cleveragents.counting import counted
from cleveragents.escaping import safe
from cleveragents.events import (
    CallUndone,
    CheckpointSame,
    CheckpointSaved,
    CheckpointTried,
    Decided,
    Event,
    Note,
    PathsRestored,
    RolledBack,
    SandboxReady,
    SandboxRefreshed,
    StepFailed,
    StepFinished,
    StepOutput,
    StepStarted,
    SubplanEnded,
    SubplanMerged,
    SubplanStarted,
    Validated,
    Working,
)

if TYPE_CHECKING:
    from cleveragents.cli.lanes import Lanes

WORKED, FAILED, BACK = ("✓", "green"), ("✗", "red"), ("↶", "yellow")


class ProgressDisplay:
    """A reporter for people: whole lines, and on a terminal what runs right now below them.

    What a subplan does is told under its name.
    """

    def __init__(self, *, verbose: bool, retold: Callable[[str], str] = str) -> None:
        self._paper = Paper(sys.stderr)
        self._verbose = verbose
        self._retold = retold  # makes the commands in notes those of this call
        self._lanes: Lanes | None = None  # from the first step on, if it is a terminal
        self._steps: dict[str, str] = {}  # those that run, by plan
        self._names: dict[str, Line] = {}  # of subplans
        self._name: Line = ()  # of the subplan that the event is about
        self._work = WorkDisplay(self._paper)

    def __call__(self, event: Event) -> None:
        """Tells about one event; a reader who has left does not stop the plan."""
        with suppress(OSError):
            try:
                self._tell(event)
            except BrokenPipeError:
                silence(sys.stderr)

    def _tell(self, event: Event) -> None:
        self._name = self._names.get(event.plan_id, ())
        step = self._steps.get(event.plan_id, "")
        match event:
            case Working():
                if self._lanes is None or not self._lanes.are_drawn:
                    self._work.tell(event)
            case StepStarted():
                self._start(event)
            case StepOutput():
                if self._lanes is not None:
                    self._lanes.tell(event.plan_id, event.text)
            case StepFinished():
                told = (f" {step}  {safe(event.summary)}  ", "")
                self._end(event, WORKED, told, _time(event.seconds))
            case StepFailed():
                reason = f"{safe(event.reason)}{_again(event.attempts_left)}"
                self._end(event, FAILED, (f" {step}  {reason}  ", ""), _time(event.seconds))
            case SubplanStarted() | SubplanEnded() | SubplanMerged():
                self._tell_subplan(event)
            case RolledBack() | PathsRestored() | CallUndone():
                self._tell_way_back(event)
            case _:
                self._tell_other(event)

    def _tell_subplan(self, event: SubplanStarted | SubplanEnded | SubplanMerged) -> None:
        name = safe(event.name)
        match event:
            case SubplanStarted():
                self._names[event.child_id] = (*self._name, (name, "magenta"), (" ", ""))
            case SubplanEnded() if event.reason:
                reason = f"{safe(event.reason)}{_again(event.attempts_left)}"
                self._line(FAILED, (f" subplan {name}  {reason}", ""))
            case SubplanMerged():
                found = f", {counted(event.conflicts, 'conflict')}" if event.conflicts else ""
                paths = counted(event.files, "path")
                self._line(("⇐", "green"), (f" subplan {name}  {paths} merged{found}", ""))
            case _:
                return

    def _tell_way_back(self, event: RolledBack | PathsRestored | CallUndone) -> None:
        match event:
            case RolledBack():
                told = f" back to cp{event.seq}, {counted(event.files, 'file')}"
                self._line(BACK, (told, ""))
            case PathsRestored():
                self._line(BACK, (f" {counted(event.files, 'file')} from cp{event.seq}", ""))
            case CallUndone():
                self._line(BACK if event.worked else FAILED, (f" {safe(event.text)}", ""))

    def _tell_other(self, event: Event) -> None:
        match event:
            case SandboxReady():
                told = f"  sandbox  {event.strategy}, {counted(event.files, 'file')}"
                self._line((told, ""))
            case Decided():
                told = (f" {safe(event.name)}  → {safe(event.chosen)}", "")
                why = [("  ", ""), (safe(event.why), "dim")] if event.why else []
                self._line(("?", "green"), told, *why)
            case CheckpointSaved():
                name = (f"cp{event.seq}", "cyan")
                self._line(("  ", ""), name, ("  ", ""), (safe(event.reason), "dim"))
            case CheckpointSame() if self._verbose:
                told = f"{safe(event.reason)}: same as cp{event.seq}"
                self._line(("  ", ""), (told, "dim"))
            case Validated() | CheckpointTried():
                self._tell_check(event)
            case SandboxRefreshed():
                found = counted(event.conflicts, "conflict")
                told = f" refreshed, {counted(event.files, 'path')}, {found}"
                self._line(("↻", "yellow"), (told, ""))
            case Note():
                text = safe(self._retold(event.text))
                self._line(("note:", "yellow"), (f" {text}", ""))
            case _:
                return

    def _tell_check(self, event: Validated | CheckpointTried) -> None:
        checked = isinstance(event, CheckpointTried)
        name = f"cp{event.seq}" if checked else f"validate: {safe(event.command)}"
        mark = WORKED if event.exit_code == 0 else FAILED
        self._line(mark, (f" {name}  ", ""), _time(event.seconds))

    def _start(self, event: StepStarted) -> None:
        again = f", attempt {event.attempt}" if event.attempt > 1 else ""
        name = f"{event.index + 1}/{event.total} {event.name} ({event.tool}{again})"
        self._steps[event.plan_id] = step = safe(name)
        if self._lanes is None and self._paper.can_be_drawn_on:
            from cleveragents.cli.lanes import Lanes  # slow to import, and drawn on terminals only

            self._lanes = Lanes()
        self._work.clear()
        if self._lanes is not None:
            self._lanes.begin(event.plan_id, (*self._name, (step, "")))

    def say(self, text: str) -> bool:
        """Shows a notice with what runs right now; tells whether anything does."""
        if self._lanes is None:
            return False
        self._lanes.notice(text)
        return self._lanes.are_drawn

    def close(self) -> None:
        """Takes away what is not of the past and gives the cursor back."""
        self._work.clear()
        if self._lanes is not None:
            self._lanes.close()

    def _end(self, event: Event, *line: Piece) -> None:
        self._steps.pop(event.plan_id, None)
        if self._lanes is not None:
            self._lanes.end(event.plan_id)
        self._line(*line)

    def _line(self, *line: Piece) -> None:
        """Writes a line of the past, above the lanes."""
        self._work.clear()
        if self._lanes is not None:
            self._lanes.write((*self._name, *line))
        else:
            self._paper.line(*self._name, *line)


def _again(attempts_left: int) -> str:
    return f", {attempts_left} more to try" if attempts_left else ""


def _time(seconds: float) -> Piece:
    return elapsed(seconds), "dim"
