"""The picker on the terminal: draws what `picking` says and reads keys, by curses."""

import curses
import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from cleveragents.cli.console import WITHOUT_ESCAPES, Line
from cleveragents.cli.picking import SELECTED, Choice, Picking, Reading, screen
from cleveragents.config.environment import caller_environment
from cleveragents.errors import Interrupted

Texts = Callable[[Choice], Sequence[str]]
ATTRIBUTES = {"bold": curses.A_BOLD, "dim": curses.A_DIM, SELECTED: curses.A_REVERSE}
NAMED_KEYS: dict[str | int, str] = {
    curses.KEY_UP: "up",
    curses.KEY_DOWN: "down",
    curses.KEY_PPAGE: "page up",
    curses.KEY_NPAGE: "page down",
    curses.KEY_HOME: "home",
    curses.KEY_END: "end",
    curses.KEY_BACKSPACE: "backspace",
    "\x7f": "backspace",
    "\b": "backspace",
    curses.KEY_ENTER: "enter",
    "\n": "enter",
    "\r": "enter",
    "\x1b": "escape",
}
ESCAPE_DELAY = 25  # ms after which Esc is a key of its own and not the beginning of another


def can_pick() -> bool:
    """Whether somebody sits at a terminal on which lines can be chosen."""
    is_seen = sys.stdout.isatty() or sys.stderr.isatty()
    is_able = caller_environment().get("TERM", "").lower() not in ("", *WITHOUT_ESCAPES)
    return sys.stdin.isatty() and is_seen and is_able


def pick(question: str, picking: Picking, preview: Texts, diff: Texts) -> Choice | None:
    """Lets somebody choose; None if they leave."""
    with _window() as window:
        try:
            return _picked(window, question, picking, preview, diff)
        except KeyboardInterrupt as error:
            raise Interrupted("interrupted; nothing was changed") from error


def _picked(
    window: "curses.window", question: str, picking: Picking, preview: Texts, diff: Texts
) -> Choice | None:
    seen: dict[Choice | None, Sequence[str]] = {None: []}
    while True:
        current = picking.current
        if current not in seen and current is not None:
            seen[current] = preview(current)
        height, width = window.getmaxyx()
        _draw(window, screen(picking, question, seen[current], width, height))
        key = _key(window)
        if key == "enter" and current is not None:
            return current
        if key == "escape" and picking.typed:
            picking = picking.cleared()
        elif key == "escape" or (key == "q" and not picking.typed):
            return None
        elif key == "d" and current is not None and not picking.typed:
            _read(window, diff(current))
        else:
            picking = picking.after(key)


def _read(window: "curses.window", lines: Sequence[str]) -> None:
    """Shows a text until it was read."""
    reading, key = Reading(lines), ""
    while key not in ("q", "d", "enter", "escape"):
        height, width = window.getmaxyx()
        _draw(window, reading.screen(width, height))
        key = _key(window)
        reading = reading.after(key)


def _key(window: "curses.window") -> str:
    """The next key by its name; the end of the input leaves, as Esc does."""
    try:
        key = window.get_wch()
    except curses.error:
        return "escape"
    return NAMED_KEYS.get(key, key if isinstance(key, str) else "")


def _draw(window: "curses.window", lines: Sequence[Line]) -> None:
    window.erase()
    for row, line in enumerate(lines):
        window.move(row, 0)
        for text, style in line:
            _write(window, text, ATTRIBUTES.get(style, curses.A_NORMAL))
    window.refresh()


def _write(window: "curses.window", text: str, attribute: int) -> None:
    try:
        window.addstr(text, attribute)
    except curses.error:
        return  # the last cell of a screen is filled, and there is none to move the cursor to


@contextmanager
def _window() -> Generator["curses.window"]:
    """The whole screen, for as long as it is needed; what is piped away is drawn on the other."""
    with _on_the_terminal():
        window = curses.initscr()
        try:
            curses.noecho()
            curses.cbreak()
            window.keypad(True)
            curses.set_escdelay(ESCAPE_DELAY)
            yield window
        finally:
            window.erase()  # a terminal without a second screen would keep what was drawn
            window.refresh()
            curses.endwin()


@contextmanager
def _on_the_terminal() -> Generator[None]:
    """Lets curses, which knows standard output alone, write where a person reads."""
    if sys.stdout.isatty():
        yield
        return
    out, err = sys.stdout.fileno(), sys.stderr.fileno()
    kept = os.dup(out)
    os.dup2(err, out)
    try:
        yield
    finally:
        os.dup2(kept, out)
        os.close(kept)
