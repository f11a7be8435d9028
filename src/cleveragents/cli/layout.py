"""How blocks fit the width there is: columns are folded between words, never cut.

Where even that would leave slivers, a table becomes one short list per row, and a panel a list.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from cleveragents.cli.cells import cell_len, folded, padded
from cleveragents.cli.console import Line
from cleveragents.escaping import safe, safe_cell

LONGEST_WORD = 30  # of a column; what is longer, as a path may be, is folded within
READABLE = 18  # columns that prose needs
NAMED = 28  # columns that the value beside a name needs: an id fits
GAP = "  "  # between a name and its value
# Corners and edges of a panel: top left, top right, bottom left, bottom right, across, down.
ROUNDED, ASCII = "╭╮╰╯─│", "++++-|"


class Columns:
    """A table, drawn for the width it is given."""

    def __init__(
        self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, framed: bool
    ) -> None:
        self._title = title
        self._columns = columns
        self._rows = [[safe_cell(cell) for cell in row] for row in rows]
        self._framed = framed

    def drawn(self, width: int) -> Iterator[Line]:
        """Yields its lines, as a table, or row by row where that is narrower."""
        yield from titled(self._title, width)
        widths = self._widths(width - self._overhead)
        yield from self._stacked(width) if widths is None else self._table(widths)

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

    def _table(self, widths: Sequence[int]) -> Iterator[Line]:
        """Yields the head, the rule below it and one or more lines per row."""
        edge = [((f"+{'-' * (sum(widths) + self._overhead - 2)}+", ""),)] if self._framed else []
        yield from edge
        for line in self._lines(self._columns, widths):
            yield ((line, "bold"),)
        yield ((self._rule(widths), ""),)
        for row in self._rows:
            for line in self._lines(row, widths):
                yield ((line, ""),)
        yield from edge

    def _rule(self, widths: Sequence[int]) -> str:
        if self._framed:
            return f"|{'+'.join('-' * (width + 2) for width in widths)}|"
        return "─" * (sum(widths) + self._overhead)

    def _lines(self, row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
        """Yields the lines of one row; a cell that is too long goes on below itself."""
        cells = [_fitted(cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            whole = [padded(part, width) for part, width in zip(parts, widths, strict=True)]
            yield f"| {' | '.join(whole)} |" if self._framed else GAP.join(whole).rstrip()

    def _stacked(self, width: int) -> Iterator[Line]:
        for head, *rest in self._rows:
            yield from _bold(head, width)
            named = zip(self._columns[1:], rest, strict=True)
            cells = [(f"  {name.lower()}", cell.strip()) for name, cell in named if cell]
            yield from _named(cells, width)


class NamedValues:
    """Names and values: a panel, or a list where that has no title or would be too narrow."""

    def __init__(self, title: str, rows: Sequence[tuple[str, str]], edges: str) -> None:
        self._title = safe(title)
        self._rows = [(safe_cell(name), safe_cell(value)) for name, value in rows]
        self._edges = edges

    def drawn(self, width: int) -> Iterator[Line]:
        """Yields its lines."""
        names = max((cell_len(name) for name, _ in self._rows), default=0)
        if not self._title and width - names >= NAMED:
            yield from (_ended(line) for line in _named(self._rows, width))
            return
        if width - names - 6 >= NAMED:
            yield from self._panel(width)
            return
        yield from titled(self._title, width)
        for name, value in self._rows:
            yield ((name, "cyan"),)
            yield from hanging("  ", "  ", value, width)

    def _panel(self, width: int) -> Iterator[Line]:
        top_left, top_right, bottom_left, bottom_right, across, down = self._edges
        rows = list(_named(self._rows, width - 4))
        title = f" {self._title.expandtabs()} " if self._title else ""
        room = max((_length(row) for row in rows), default=0) + 2
        room = min(width - 2, max(room, cell_len(title) + 2))
        head = padded(title, min(cell_len(title), room - 2))
        rule = across * (room - 1 - cell_len(head))
        yield ((f"{top_left}{across}{head}{rule}{top_right}", ""),)
        for row in rows:
            filled = " " * (room - 1 - _length(row))
            yield ((f"{down} ", ""), *row, (f"{filled}{down}", ""))
        yield ((f"{bottom_left}{across * room}{bottom_right}", ""),)


def outlined(lines: Sequence[tuple[str, str, str]], width: int) -> Iterator[Line]:
    """Yields lines of a tree; what does not fit goes on below, right of the branches."""
    for lead, rest, text in lines:
        yield from hanging(lead, rest + "  ", safe(text), width)


def hanging(lead: str, rest: str, text: str, width: int) -> Iterator[Line]:
    """Yields the lines of a text, the first after a lead, the others after another."""
    room = max(width - max(cell_len(lead), cell_len(rest)), READABLE)
    for index, line in enumerate(_fitted(text, room)):
        yield (((rest if index else lead) + line, ""),)


def titled(title: str, width: int) -> Iterator[Line]:
    """Yields the lines of a title; none if there is none."""
    if title:
        yield from _bold(safe(title), width)


def _bold(text: str, width: int) -> Iterator[Line]:
    for line in folded(text, width):
        yield ((line, "bold"),)


def _named(rows: Sequence[tuple[str, str]], width: int) -> Iterator[Line]:
    """Yields names and values, folded within the column of the values."""
    names = max((cell_len(name) for name, _ in rows), default=0)
    room = max((cell_len(value) for _, value in rows), default=0)
    room = min(room, max(width - names - len(GAP), 1))
    for name, value in rows:
        for index, line in enumerate(_fitted(value, room)):
            shown = padded("" if index else name, names)
            yield ((shown + GAP, "cyan"), (padded(line, room), ""))


def _ended(line: Line) -> Line:
    """A line without the room that its last part is filled with."""
    *before, (text, style) = line
    return (*before, (text.rstrip(), style))


def _fitted(text: str, width: int) -> list[str]:
    return [text] if cell_len(text) <= width else folded(text, width)


def _length(line: Line) -> int:
    return sum(cell_len(text) for text, _ in line)
