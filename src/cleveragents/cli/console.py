"""The paper that people read on: how wide it is, and whether it shows styles."""

import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO

from cleveragents.config.environment import caller_environment

Piece = tuple[str, str]  # a text, and its style
Line = tuple[Piece, ...]

UNBOUNDED = 10_000  # columns
USUAL_SIZE = 80, 25  # of a terminal that does not tell
ATTRIBUTES = {"bold": 1, "dim": 2}
COLORS = {"red": 31, "green": 32, "yellow": 33, "magenta": 35, "cyan": 36}
WORDS = {"red word": "7;31", "green word": "7;32"}  # that differ within a line
WITHOUT_ESCAPES = ("dumb", "unknown")


class Paper:
    """A stream that people read; what is not a terminal gets whole lines and no style."""

    def __init__(self, stream: TextIO, *, colored: bool = True) -> None:
        caller = caller_environment()
        self.stream = stream
        self.width, self.height = _size(stream, caller)
        self._codes = _codes(caller, colored=colored and shows_colors(stream, caller))

    @property
    def has_only_ascii(self) -> bool:
        """Whether lines cannot be drawn on it."""
        return not (getattr(self.stream, "encoding", None) or "utf-8").lower().startswith("utf")

    @property
    def can_be_drawn_on(self) -> bool:
        """Whether what stands on it can be changed again."""
        return self.stream.isatty() and takes_escapes(caller_environment())

    @property
    def has_colors(self) -> bool:
        """Whether colours are seen on it."""
        return "red" in self._codes

    def line(self, *pieces: Piece) -> None:
        """Writes one line as it is, however long."""
        self.write([pieces])

    def write(self, lines: Iterable[Line]) -> None:
        """Writes lines at once, so that what goes elsewhere next cannot come before them."""
        self.stream.write(self.styled(lines))
        self.stream.flush()

    def styled(self, lines: Iterable[Line]) -> str:
        """The text of lines, as it is written here."""
        return "".join(f"{''.join(map(self._styled, _without_tabs(line)))}\n" for line in lines)

    def _styled(self, piece: Piece) -> str:
        text, style = piece
        code = self._codes.get(style)
        return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def _without_tabs(line: Line) -> Iterator[Piece]:
    """Yields the pieces of a line, with spaces where a tab would move the cursor."""
    column = 0
    for text, style in line:
        shown = (" " * column + text).expandtabs()[column:] if "\t" in text else text
        column += len(shown)
        yield shown, style


def shows_colors(stream: TextIO, caller: Mapping[str, str]) -> bool:
    """Whether a stream leads to somebody who sees colours; what the caller says of it counts."""
    if caller.get("TTY_COMPATIBLE") in ("0", "1"):
        return caller["TTY_COMPATIBLE"] == "1"
    if "FORCE_COLOR" in caller:
        return caller["FORCE_COLOR"] != ""
    return stream.isatty()


def takes_escapes(caller: Mapping[str, str]) -> bool:
    """Whether who reads wants more than text: no bold and no moving lines without colours."""
    return not caller.get("NO_COLOR") and caller.get("TERM", "").lower() not in WITHOUT_ESCAPES


def silence(stream: TextIO) -> None:
    """Sends the rest of a stream nowhere, also what is written when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _codes(caller: Mapping[str, str], *, colored: bool) -> Mapping[str, int | str]:
    """The codes of the styles that are shown."""
    return {**ATTRIBUTES, **COLORS, **WORDS} if colored and takes_escapes(caller) else {}


def _size(stream: TextIO, caller: Mapping[str, str]) -> tuple[int, int]:
    """Columns and lines; nothing is folded for a width that nobody looks at."""
    columns, lines = caller.get("COLUMNS", ""), caller.get("LINES", "")
    if not stream.isatty() and not columns:
        return UNBOUNDED, USUAL_SIZE[1]
    width, height = _terminal_size()
    return (
        (int(columns) if columns.isdigit() else width) or USUAL_SIZE[0],
        (int(lines) if lines.isdigit() else height) or USUAL_SIZE[1],
    )


def _terminal_size() -> tuple[int, int]:
    """The size of the terminal that one of the standard streams leads to."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        try:
            return os.get_terminal_size(stream.fileno())
        except (OSError, io.UnsupportedOperation):  # not a terminal
            continue
    return USUAL_SIZE
