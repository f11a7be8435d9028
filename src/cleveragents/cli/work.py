"""Shows how far long work has come: a bar on a terminal, elsewhere a line now and then."""

from cleveragents.cli.console import Paper
from cleveragents.cli.views import elapsed
from cleveragents.counting import size
from cleveragents.events import Working
from cleveragents.records import replace

LINE_SECONDS = 10  # between two lines where nothing can be drawn
BAR = 20  # columns
CLEAR = "\r\x1b[K"
SOON = 2.0  # seconds; what is left is guessed from then on


class WorkDisplay:
    """Tells of one piece of work at a time."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper
        self._is_drawn = False
        self._told = 0.0  # when the latest line was told, in seconds of the work

    def tell(self, event: Working) -> None:
        """Draws or tells how far the work has come."""
        if self._paper.can_be_drawn_on:
            line = f"{drawn(event)}{told(event)}"[: self._paper.width - 1]
            self._paper.stream.write(f"{CLEAR}{line}")
            self._paper.stream.flush()
            self._is_drawn = True
            return
        if event.seconds < self._told:  # other work
            self._told = 0.0
        if event.seconds >= self._told + LINE_SECONDS:
            self._told = event.seconds
            self._paper.line((told(event), ""))

    def clear(self) -> None:
        """Takes the bar away."""
        if self._is_drawn:
            self._paper.stream.write(CLEAR)
            self._paper.stream.flush()
            self._is_drawn = False


def drawn(event: Working) -> str:
    """A bar, if it is known how much there is to do."""
    part = _part(event)
    if part is None:
        return ""
    done = int(part * BAR)
    return f"{'█' * done}{'─' * (BAR - done)} "


def told(event: Working) -> str:
    """How far the work has come, in words."""
    event = _within(event)
    files = f"{event.files} of {event.of_files}" if event.of_files else f"{event.files}"
    amount = f"{size(event.size)} of {size(event.of_size)}" if event.of_size else size(event.size)
    part = _part(event)
    known = part and event.seconds >= SOON
    left = f", {elapsed(event.seconds / part - event.seconds)} left" if part and known else ""
    return f"{event.doing}: {files} files, {amount}{left}"


def _within(event: Working) -> Working:
    """Counts what is read back afterwards as well; it is no more than all."""
    return replace(
        event,
        files=min(event.files, event.of_files or event.files),
        size=min(event.size, event.of_size or event.size),
    )


def _part(event: Working) -> float | None:
    """How much of it is done, as far as that is known."""
    if event.of_size:
        return min(1.0, event.size / event.of_size)
    return min(1.0, event.files / event.of_files) if event.of_files else None
