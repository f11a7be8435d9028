"""How blocks fit the width there is: columns are folded between words, never cut.

Where even that would leave slivers, a table becomes one short list per row, and a panel a list.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cleveragents.escaping import safe, safe_cell

LONGEST_WORD = 30  # of a column; what is longer, as a path may be, is folded within
READABLE = 18  # columns that prose needs
NAMED = 28  # columns that the value beside a name needs: an id fits


class Columns:
    """A table, drawn for the width it is given."""

    def __init__(
        self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, framed: bool
    ) -> None:
        self._title = title
        self._columns = columns
        self._rows = [[safe_cell(cell) for cell in row] for row in rows]
        self._framed = framed

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draws it as a table, or row by row where that is narrower."""
        widths = self._widths(options.max_width - self._overhead)
        if widths is None:
            yield from self._stacked()
        else:
            yield from self._table(widths, console)

    @property
    def _overhead(self) -> int:
        """What stands between and around the columns."""
        count = len(self._columns)
        return 3 * count + 1 if self._framed else 2 * (count - 1)

    def _widths(self, room: int) -> list[int] | None:
        """How wide each column is, the widest made narrower first; None if it would be a sliver."""
        cells = list(zip(self._columns, *self._rows, strict=True))
        found = [max(map(cell_len, column)) for column in cells]
        words = [
            max(cell_len(word) for cell in column for word in cell.split(" ")) for column in cells
        ]
        least = [min(word, LONGEST_WORD) for word in words]
        while sum(found) > room:
            wide = [(width, i) for i, width in enumerate(found) if width > max(least[i], READABLE)]
            if not wide:
                return None
            found[max(wide)[1]] -= 1
        return found

    def _table(self, widths: Sequence[int], console: Console) -> Iterator[Text]:
        """Yields a line for the title, the head, the rule below it and one or more per row."""
        if self._title:
            yield Text(safe(self._title), style="bold")
        edge = f"+{'-' * (sum(widths) + self._overhead - 2)}+"
        if self._framed:
            yield Text(edge)
        yield Text("\n".join(self._lines(self._columns, widths, console)), style="bold")
        yield Text(self._rule(widths))
        for row in self._rows:
            yield Text("\n".join(self._lines(row, widths, console)))
        if self._framed:
            yield Text(edge)

    def _rule(self, widths: Sequence[int]) -> str:
        if self._framed:
            return f"|{'+'.join('-' * (width + 2) for width in widths)}|"
        return "─" * (sum(widths) + self._overhead)

    def _lines(self, row: Sequence[str], widths: Sequence[int], console: Console) -> Iterator[str]:
        """Yields the lines of one row; a cell that is too long goes on below itself."""
        folded = [_folded(cell, width, console) for cell, width in zip(row, widths, strict=True)]
        for cells in zip_longest(*folded, fillvalue=""):
            padded = [set_cell_size(cell, width) for cell, width in zip(cells, widths, strict=True)]
            framed = f"| {' | '.join(padded)} |"
            yield framed if self._framed else "  ".join(padded).rstrip()

    def _stacked(self) -> Iterator[RenderableType]:
        if self._title:
            yield Text(safe(self._title), style="bold")
        for head, *rest in self._rows:
            yield Text(head, style="bold")
            named = zip(self._columns[1:], rest, strict=True)
            yield named_values(
                [(f"  {name.lower()}", cell.strip()) for name, cell in named if cell]
            )


def named_values(rows: Sequence[tuple[str, str]]) -> Table:
    """Names and values, folded within the column of the values."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(escape(name), escape(safe_cell(value)))
    return grid


class NamedValues:
    """A panel of names and values; a list where a panel would leave too little room."""

    def __init__(self, title: str, rows: Sequence[tuple[str, str]], *, framed: bool) -> None:
        self._title = title
        self._rows = rows
        self._framed = framed

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draws it."""
        names = max((cell_len(name) for name, _ in self._rows), default=0)
        if options.max_width - names - 6 >= NAMED:
            yield Panel(
                Group(named_values(self._rows)),
                title=escape(safe(self._title)),
                title_align="left",
                box=box.ASCII if self._framed else box.ROUNDED,
                expand=False,
            )
            return
        yield Text(safe(self._title), style="bold")
        for name, value in self._rows:
            yield Text(name, style="cyan")
            yield from _hanging("  ", "  ", safe_cell(value), console, options.max_width)


class Branches:
    """Lines of a tree; what does not fit goes on below, right of the branches."""

    def __init__(self, lines: Sequence[tuple[str, str, str]]) -> None:
        self._lines = lines  # what leads to the text, what leads to the rest of it, and the text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draws them."""
        for lead, rest, text in self._lines:
            yield from _hanging(lead, rest + "  ", safe(text), console, options.max_width)


def _hanging(lead: str, rest: str, text: str, console: Console, width: int) -> Iterator[Text]:
    """Yields the lines of a text, the first after a lead, the others after another."""
    room = max(width - max(cell_len(lead), cell_len(rest)), READABLE)
    for index, line in enumerate(_folded(text, room, console)):
        yield Text((rest if index else lead) + line)


def _folded(text: str, width: int, console: Console) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    return [line.plain.rstrip() for line in Text(text).wrap(console, width, overflow="fold")]
