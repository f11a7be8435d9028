"""Draws what the engine reports: one line per step, checkpoints named as they are made."""

import sys
from contextlib import suppress

from rich.markup import escape

from cleveragents.cli.console import PatientConsole, silence
from cleveragents.cli.lanes import Lanes, elapsed
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
)


class ProgressDisplay:
    """A reporter for people: whole lines, and on a terminal what runs right now below them.

    What a subplan does is told under its name.
    """

    def __init__(self, *, verbose: bool) -> None:
        self._console = PatientConsole(stderr=True, highlight=False)
        self._verbose = verbose
        self._lanes = Lanes(self._console)
        self._steps: dict[str, str] = {}  # those that run, by plan
        self._names: dict[str, str] = {}  # of subplans
        self._name = ""  # of the subplan that the event is about

    def __call__(self, event: Event) -> None:
        """Tells about one event; a reader who has left does not stop the plan."""
        with suppress(OSError):
            try:
                self._tell(event)
            except BrokenPipeError:
                silence(sys.stderr)

    def _tell(self, event: Event) -> None:
        self._name = self._names.get(event.plan_id, "")
        step = self._steps.get(event.plan_id, "")
        match event:
            case StepStarted():
                self._start(event)
            case StepOutput():
                self._lanes.tell(event.plan_id, event.text)
            case StepFinished():
                line = f"[green]✓[/] {step}  {_told(event.summary)}  {_time(event.seconds)}"
                self._end(event, line)
            case StepFailed():
                reason = f"{_told(event.reason)}{_again(event.attempts_left)}"
                self._end(event, f"[red]✗[/] {step}  {reason}  {_time(event.seconds)}")
            case SubplanStarted() | SubplanEnded() | SubplanMerged():
                self._tell_subplan(event)
            case RolledBack() | PathsRestored() | CallUndone():
                self._tell_way_back(event)
            case _:
                self._tell_other(event)

    def _tell_subplan(self, event: SubplanStarted | SubplanEnded | SubplanMerged) -> None:
        name = _told(event.name)
        match event:
            case SubplanStarted():
                self._names[event.child_id] = f"{self._name}[magenta]{name}[/] "
            case SubplanEnded() if event.reason:
                again = _again(event.attempts_left)
                self._line(f"[red]✗[/] subplan {name}  {_told(event.reason)}{again}")
            case SubplanMerged():
                found = f", {counted(event.conflicts, 'conflict')}" if event.conflicts else ""
                paths = counted(event.files, "path")
                self._line(f"[green]⇐[/] subplan {name}  {paths} merged{found}")
            case _:
                return

    def _tell_way_back(self, event: RolledBack | PathsRestored | CallUndone) -> None:
        match event:
            case RolledBack():
                self._line(f"[yellow]↶[/] back to cp{event.seq}, {counted(event.files, 'file')}")
            case PathsRestored():
                self._line(f"[yellow]↶[/] {counted(event.files, 'file')} from cp{event.seq}")
            case CallUndone():
                mark = "[yellow]↶[/]" if event.worked else "[red]✗[/]"
                self._line(f"{mark} {_told(event.text)}")

    def _tell_other(self, event: Event) -> None:
        match event:
            case SandboxReady():
                self._line(f"  sandbox  {event.strategy}, {counted(event.files, 'file')}")
            case Decided():
                why = f"  [dim]{_told(event.why)}[/]" if event.why else ""
                self._line(f"[green]?[/] {_told(event.name)}  → {_told(event.chosen)}{why}")
            case CheckpointSaved():
                self._line(f"  [cyan]cp{event.seq}[/]  [dim]{_told(event.reason)}[/]")
            case CheckpointSame() if self._verbose:
                self._line(f"  [dim]{_told(event.reason)}: same as cp{event.seq}[/]")
            case Validated() | CheckpointTried():
                self._tell_check(event)
            case SandboxRefreshed():
                found = counted(event.conflicts, "conflict")
                self._line(f"[yellow]↻[/] refreshed, {counted(event.files, 'path')}, {found}")
            case Note():
                self._line(f"[yellow]note:[/] {_told(event.text)}")
            case _:
                return

    def _tell_check(self, event: Validated | CheckpointTried) -> None:
        mark = "[green]✓[/]" if event.exit_code == 0 else "[red]✗[/]"
        checked = isinstance(event, CheckpointTried)
        name = f"cp{event.seq}" if checked else f"validate: {_told(event.command)}"
        self._line(f"{mark} {name}  {_time(event.seconds)}")

    def _start(self, event: StepStarted) -> None:
        again = f", attempt {event.attempt}" if event.attempt > 1 else ""
        name = f"{event.index + 1}/{event.total} {event.name} ({event.tool}{again})"
        self._steps[event.plan_id] = step = escape(safe(name))
        self._lanes.begin(event.plan_id, f"{self._name}{step}")

    def say(self, text: str) -> bool:
        """Shows a notice with what runs right now; tells whether anything does."""
        self._lanes.notice(text)
        return self._lanes.are_drawn

    def close(self) -> None:
        """Takes away what is not of the past and gives the cursor back."""
        self._lanes.close()

    def _end(self, event: Event, line: str) -> None:
        self._steps.pop(event.plan_id, None)
        self._lanes.end(event.plan_id)
        self._line(line)

    def _line(self, text: str) -> None:
        self._console.print(f"{self._name}{text}", soft_wrap=True)


def _again(attempts_left: int) -> str:
    return f", {attempts_left} more to try" if attempts_left else ""


def _told(text: str) -> str:
    return escape(safe(text))


def _time(seconds: float) -> str:
    return f"[dim]{elapsed(seconds)}[/]"
