"""The state and look of a picker: pure, so that every key and width can be tried by itself."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from cleveragents.cli.cells import cell_len, folded, padded
from cleveragents.cli.console import Line
from cleveragents.escaping import safe_cell

PAGE = 10  # lines that a page key moves
MOVES: Mapping[str, int] = {"up": -1, "down": 1, "page up": -PAGE, "page down": PAGE}
BESIDE = 60  # columns from which on the preview stands beside the list, not below it
KEYS = "↑↓ choose · type to filter · Enter takes · d diff · q leaves"
FILTER_KEYS = "↑↓ choose · Enter takes · Esc shows all again"
READING_KEYS = "↑↓ scroll · q back"
SELECTED = "reverse"


class Choice(NamedTuple):
    """One of the lines to pick from."""

    name: str  # which is typed to find it, as cp3
    text: str

    @property
    def line(self) -> str:
        """How it stands in the list."""
        return f"{self.name}  {safe_cell(self.text)}"


class Picking(NamedTuple):
    """How far somebody has come with picking."""

    choices: Sequence[Choice]
    at: int  # among those that are found
    typed: str = ""

    @property
    def found(self) -> list[Choice]:
        """Those that hold every typed word."""
        words = self.typed.casefold().split()
        return [one for one in self.choices if all(word in one.line.casefold() for word in words)]

    @property
    def current(self) -> Choice | None:
        """The row that Enter would take."""
        found = self.found
        return found[self.at] if found else None

    def after(self, key: str) -> "Picking":
        """The picker after a key; a key that means nothing changes nothing."""
        if key in MOVES:
            return self._moved(self.at + MOVES[key])
        if key in ("home", "end"):
            return self._moved(0 if key == "home" else len(self.choices))
        if key == "backspace":
            return self._filtered(self.typed[:-1])
        return self._filtered(self.typed + key) if len(key) == 1 and key.isprintable() else self

    def cleared(self) -> "Picking":
        """With all choices again."""
        return self._filtered("")

    def _moved(self, to: int) -> "Picking":
        return self._replace(at=max(0, min(to, len(self.found) - 1)))

    def _filtered(self, typed: str) -> "Picking":
        """With another filter: what is called exactly so comes first, else what stood selected."""
        before, now = self.current, self._replace(typed=typed, at=0)
        exact = [one for one in now.found if one.name.lstrip("cpt") == typed or one.name == typed]
        stays = [one for one in now.found if one == before]
        wanted = (exact or stays or now.found)[:1]
        return now._replace(at=now.found.index(wanted[0]) if wanted else 0)


class Reading(NamedTuple):
    """A text that is longer than the screen, and how far it was scrolled."""

    lines: Sequence[str]
    top: int = 0

    def after(self, key: str) -> "Reading":
        """The state after a key."""
        to = {"home": 0, "end": len(self.lines)}.get(key, self.top + MOVES.get(key, 0))
        return self._replace(top=max(0, min(to, len(self.lines) - 1)))

    def screen(self, width: int, height: int) -> list[Line]:
        """The lines of a screen."""
        shown = self.lines[self.top : self.top + height - 1]
        body: list[Line] = [((_fit(line, width), ""),) for line in shown]
        return [*body, *[()] * (height - 1 - len(body)), ((_fit(READING_KEYS, width), "dim"),)]


def screen(
    picking: Picking, question: str, preview: Sequence[str], width: int, height: int
) -> list[Line]:
    """The lines of a screen: the question, the list with its preview, the keys."""
    room = max(height - 2, 1)
    if width >= BESIDE:
        longest = max((cell_len(one.line) for one in picking.choices), default=0)
        left = min(longest + 2, width // 2)
        right = _folded(preview, width - left - 2)
        body = _beside(_listed(picking, left, room), right[:room])
    else:
        texts = _folded(preview, width)
        above = max(room - min(len(texts) + 1, room // 2), 1)
        below: list[Line] = [((text, "dim"),) for text in texts]
        body = [*_listed(picking, width, above), *[(), *below][: room - above]]
    asked = _fit(f"{question} ", width)
    keys = FILTER_KEYS if picking.typed else KEYS
    head = ((asked, "bold"), (_fit(picking.typed, width - cell_len(asked)), ""))
    return [head, *body, *[()] * (room - len(body)), ((_fit(keys, width), "dim"),)]


def _listed(picking: Picking, width: int, room: int) -> list[Line]:
    """The choices around the current one, as many as fit."""
    found = picking.found
    first = max(0, min(picking.at - room // 2, len(found) - room))
    if not found:
        return [((padded("nothing matches", width), "dim"),)]
    return [
        ((padded(_fit(one.line, width), width), SELECTED if index == picking.at else ""),)
        for index, one in enumerate(found[first : first + room], first)
    ]


def _beside(listed: Sequence[Line], preview: Sequence[str]) -> list[Line]:
    """The list, and right of it the preview, which may be longer."""
    left = sum(cell_len(text) for text, _ in listed[0])
    empty: Line = ((" " * left, ""),)
    rows = zip_longest(listed, preview)
    return [(*(row or empty), ("  ", ""), (text or "", "")) for row, text in rows]


def _folded(texts: Sequence[str], width: int) -> list[str]:
    return [line for text in texts for line in folded(safe_cell(text), width)]


def _fit(text: str, width: int) -> str:
    """A text without what acts on a terminal, cut with a sign where it is too long."""
    plain = safe_cell(text)
    if cell_len(plain) <= width:
        return plain
    return padded(plain, width - 1) + "…" if width > 0 else ""
