"""Draws what the engine reports: one line per step, checkpoints named as they are made."""

from contextlib import suppress

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from cleveragents.cli.render import safe
from cleveragents.events import (
    CallUndone,
    CheckpointSame,
    CheckpointSaved,
    Decided,
    Event,
    Note,
    RolledBack,
    SandboxReady,
    SandboxRefreshed,
    StepFailed,
    StepFinished,
    StepOutput,
    StepStarted,
    Validated,
)


class Progress:
    """A reporter for people: whole lines, and on a terminal a spinner with the latest output."""

    def __init__(self, *, verbose: bool) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._verbose = verbose
        self._status: Status | None = None
        self._step = ""

    def __call__(self, event: Event) -> None:
        """Tells about one event; a reader who has left does not stop the plan."""
        with suppress(OSError):
            self._tell(event)

    def _tell(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._start(event)
            case StepOutput() if self._status is not None:
                self._status.update(f"{self._step}  [dim]{escape(safe(event.text)[:100])}[/]")
            case StepFinished():
                line = f"[green]✓[/] {self._step}  {_told(event.summary)}  {_time(event.seconds)}"
                self._end(line)
            case StepFailed():
                again = f", {event.attempts_left} more to try" if event.attempts_left else ""
                reason = f"{_told(event.reason)}{again}"
                self._end(f"[red]✗[/] {self._step}  {reason}  {_time(event.seconds)}")
            case _:
                self._tell_other(event)

    def _tell_other(self, event: Event) -> None:
        match event:
            case SandboxReady():
                files = f"{event.files} file{'s' if event.files != 1 else ''}"
                self._line(f"  sandbox  {event.strategy}, {files}")
            case Decided():
                why = f"  [dim]{_told(event.why)}[/]" if event.why else ""
                self._line(f"[green]?[/] {_told(event.name)}  → {_told(event.chosen)}{why}")
            case CheckpointSaved():
                self._line(f"  [cyan]cp{event.seq}[/]  [dim]{_told(event.reason)}[/]")
            case CheckpointSame() if self._verbose:
                self._line(f"  [dim]{_told(event.reason)}: same as cp{event.seq}[/]")
            case RolledBack():
                files = f"{event.files} file{'s' if event.files != 1 else ''}"
                self._line(f"[yellow]↶[/] back to cp{event.seq}, {files}")
            case CallUndone():
                mark = "[yellow]↶[/]" if event.worked else "[red]✗[/]"
                self._line(f"{mark} {_told(event.text)}")
            case Validated():
                mark = "[green]✓[/]" if event.exit_code == 0 else "[red]✗[/]"
                self._line(f"{mark} validate: {_told(event.command)}  {_time(event.seconds)}")
            case SandboxRefreshed():
                self._line(
                    f"[yellow]↻[/] refreshed, {event.files} paths, {event.conflicts} conflicts"
                )
            case Note():
                self._line(f"[yellow]note:[/] {_told(event.text)}")
            case _:
                return

    def _start(self, event: StepStarted) -> None:
        again = f", attempt {event.attempt}" if event.attempt > 1 else ""
        name = f"{event.index + 1}/{event.total} {event.name} ({event.tool}{again})"
        self._step = escape(safe(name))
        if self._console.is_terminal:
            self._status = self._console.status(self._step)
            self._status.start()

    def close(self) -> None:
        """Stops the spinner and gives the cursor back."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _end(self, line: str) -> None:
        self.close()
        self._line(line)

    def _line(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


def _told(text: str) -> str:
    return escape(safe(text))


def _time(seconds: float) -> str:
    return f"[dim]{seconds:.1f} s[/]"
