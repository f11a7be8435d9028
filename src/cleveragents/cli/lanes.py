"""The steps that run at this moment, drawn on a terminal: one line per plan."""

import time

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from cleveragents.cli.console import Line
from cleveragents.cli.views import elapsed
from cleveragents.escaping import safe
from cleveragents.ids import PlanId
from cleveragents.records import field, mutable

REFRESHES = 8  # per second
LONGEST = 200  # characters of output that a line could ever show


@mutable
class Lane:
    """A step that runs."""

    step: Text
    since: float = field(default_factory=time.monotonic)


class PatientConsole(Console):
    """Leaves it to the caller what a reader who has left means."""

    def on_broken_pipe(self) -> None:
        """Raises it again; rich would end the process as failed."""
        raise BrokenPipeError


class Lanes:
    """Draws the lanes while there are any; the lines of the past stand above them."""

    def __init__(self) -> None:
        self._console = console = PatientConsole(stderr=True, highlight=False)
        self._lanes: dict[str, Lane] = {}
        self._latest: dict[str, str] = {}  # the last line that each printed
        self._notice = ""
        ascii_only = not console.encoding.startswith("utf")
        self._spinner = Spinner("line" if ascii_only else "dots", style="cyan")
        self._live: Live | None = None

    @property
    def are_drawn(self) -> bool:
        """Whether anything of them is on the screen."""
        return self._live is not None

    def begin(self, plan_id: PlanId, step: Line) -> None:
        """Adds the lane of a plan, or takes it for its next step."""
        self._lanes[plan_id] = Lane(Text.assemble(*step))
        self._latest[plan_id] = ""
        if self._live is None:
            # What is drawn goes away with the last lane: by then its line of the past is told.
            self._live = Live(
                self, console=self._console, refresh_per_second=REFRESHES, transient=True
            )
            self._live.start(refresh=True)

    def write(self, line: Line) -> None:
        """Writes a line of the past above the lanes."""
        self._console.print(Text.assemble(*line), soft_wrap=True)

    def tell(self, plan_id: PlanId, line: str) -> None:
        """Notes the last line that a step printed; it is drawn with the next refresh."""
        self._latest[plan_id] = line[:LONGEST]

    def end(self, plan_id: PlanId) -> None:
        """Takes the lane of a plan away."""
        self._lanes.pop(plan_id, None)
        if not self._lanes:
            self.close()

    def notice(self, text: str) -> None:
        """Shows a line below the lanes, for as long as there are any."""
        self._notice = text

    def close(self) -> None:
        """Clears what was drawn and gives the cursor back."""
        self._lanes.clear()
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draws each lane on a line of its own: step, time so far, last output."""
        grid = Table.grid(padding=(0, 1), expand=True)
        grid.add_column(width=1)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        grid.add_column(no_wrap=True, justify="right")
        grid.add_column(no_wrap=True, overflow="ellipsis", ratio=1, style="dim")
        frame = self._spinner.render(console.get_time())
        for plan_id, lane in list(self._lanes.items()):
            took = elapsed(time.monotonic() - lane.since)
            grid.add_row(frame, lane.step, took, Text(safe(self._latest[plan_id])))
        below = [Text(self._notice, style="yellow")] if self._notice else []
        yield from (grid, *below)
