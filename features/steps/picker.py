"""Steps about picking from a list: what keys do, and what stands on the screen of a terminal."""

import time

import pexpect
import pyte
from behave import given, then, when
from commands import words
from envelopes import check_envelope
from world import Done

from cleveragents.cli.cells import cell_len
from cleveragents.cli.picking import Choice, Picking, Reading, screen

SENT = {
    "up": "\x1bOA",
    "down": "\x1bOB",
    "home": "\x1bOH",
    "end": "\x1bOF",
    "page down": "\x1b[6~",
    "enter": "\r",
    "escape": "\x1b",
    "Ctrl-C": "\x03",
}
PREVIEW = ["Would change 2 files", "restored  a.txt", "removed   b.txt"]


@given("choices")
def make_choices(context):
    rows = [Choice(row["name"], row["text"].replace(r"\x1b", "\x1b")) for row in context.table]
    context.picking = Picking(rows, len(rows) - 1)


@then('the keys "{keys}" lead to "{name}"')
def keys_lead(context, keys, name):
    picking = context.picking
    for key in keys.split(", "):
        picking = picking.after({"space": " ", "a tab": "\t"}.get(key, key))
    current = picking.current
    assert (current.name if current else "nothing") == name, (picking.typed, current)


@then('the keys "" lead to "{name}"')
def no_keys_lead(context, name):
    assert context.picking.current.name == name


@then('at {width:d} by {height:d} the screen fits, and shows "{text}"')
def screen_fits(context, width, height, text):
    for shown in (
        screen(context.picking, "Roll back to:", PREVIEW, width, height),
        screen(context.picking.after("y"), "Roll back to:", [], width, height),
        Reading(PREVIEW * 9).after("down").screen(width, height),
    ):
        lines = ["".join(piece for piece, _ in line) for line in shown]
        assert len(lines) <= max(height, 3), lines
        wide = [line for line in lines if cell_len(line) > width]
        assert not wide, wide
        assert not any("\x1b" in line for line in lines), lines
    first = screen(context.picking, "Roll back to:", PREVIEW, width, height)
    assert any(text in "".join(piece for piece, _ in line) for line in first), first


@when('I press on a terminal of {columns:d} by {lines:d} "agents {line}"')
def press(context, columns, lines, line):
    _press(context, context.world.agents_on_terminal(*words(context, line)), columns, lines)


@when('I press on a terminal of {columns:d} by {lines:d}, output to a file, "agents {line}"')
def press_into_file(context, columns, lines, line):
    context.file = context.world.home / "output"
    terminal = context.world.agents_on_terminal(*words(context, line), into=context.file)
    _press(context, terminal, columns, lines)


@when('"agents {other}" is run while "{text}" stands on the terminal of "agents {line}"')
def press_and_act(context, other, text, line):
    def act():
        assert context.world.agents(*words(context, other)).code == 0, context.world.done

    _press(context, context.world.agents_on_terminal(*words(context, line)), 110, 30, (text, act))


@then("the file holds what programs are told")
def read_file(context):
    done = context.world.done
    context.world.done = Done(done.code, context.file.read_text(), done.err)
    check_envelope(["--format", "json"], context.world.done)


def _press(context, terminal, columns, lines, meanwhile=None):
    """Sends keys once the screen shows what stands beside them, as a person would."""
    terminal.setwinsize(lines, columns)
    seen = pyte.Screen(columns, lines)
    stream = pyte.Stream(seen)
    for row in context.table:
        _wait_for(terminal, stream, seen, row["when it shows"])
        for key in row["keys"].split(", "):
            terminal.send(SENT.get(key, key))
    if meanwhile is not None:
        text, act = meanwhile
        _wait_for(terminal, stream, seen, text)
        act()
        terminal.send("y\r")
    terminal.expect(pexpect.EOF)
    stream.feed(terminal.before)
    terminal.close()
    context.world.done = Done(terminal.exitstatus, "\n".join(seen.display), "")


def _wait_for(terminal, stream, seen, text):
    end = time.monotonic() + 30
    while not any(text in line for line in seen.display):
        assert time.monotonic() < end, "\n".join(seen.display)
        try:
            stream.feed(terminal.read_nonblocking(4096, timeout=1))
        except pexpect.TIMEOUT:
            continue
