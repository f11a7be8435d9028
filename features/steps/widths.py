"""Steps about how wide what people read is."""

import re

from behave import then
from commands import words
from rendered import drawn
from rich.cells import cell_len
from world import Screen

STYLES = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = (40, 60, 80, 200)


@then("each of these keeps to 40, 60, 80 and 200 columns, and in a pipe to what it holds")
def check_each(context):
    wrong = []
    for row in context.table:
        for width in WIDTHS:
            wrong += _too_wide(_on_screen(context, row["line"], width), row["line"], width)
        wrong += _filled(context, row["line"])
    assert not wrong, "\n".join(wrong)


def _on_screen(context, line, width):
    """What a terminal of a width shows of a command's result."""
    world = context.world
    before, world.screen = world.screen, Screen
    try:
        return STYLES.sub("", drawn(context, line, "rich", width).out)
    finally:
        world.screen = before


def _too_wide(shown, line, width):
    assert shown, line
    wide = [one for one in shown.splitlines() if cell_len(one) > width]
    return [f"{line} at {width}: {one!r}" for one in wide]


def _filled(context, line):
    """Lines in a pipe that are filled up, and boxes that are wider than what they hold."""
    shown = context.world.agents(*words(context, line)).out
    blank = [one for one in shown.splitlines() if one != one.rstrip()]
    told = [f"{line} in a pipe ends with blanks: {one!r}" for one in blank]
    for box in re.findall(r"^╭.*\n(?:│.*\n)+╰.*$", shown, re.MULTILINE):
        title, *rows, _ = box.splitlines()
        if all(row.endswith("  │") for row in rows) and not title.endswith(" ─╮"):
            told.append(f"{line} in a pipe is wider than what it holds:\n{box}")
    return told
