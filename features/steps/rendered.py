"""Steps about how commands look, in each format and at each width."""

import difflib
import os
import re
from pathlib import Path

from behave import given, then
from commands import words
from rich.cells import cell_len
from world import Screen

KEPT = Path(__file__).parents[1] / "rendered"
FORMATS = ("rich", "color", "table", "plain")
NARROW, WIDE = 80, 160
WRITE = "WRITE_RENDERED"  # set in the environment: what is kept is written anew
ULID = re.compile(r"\b0[0-9A-HJKMNP-TV-Z]{9,25}\b")  # its moment, and more where others share that


@given("the home directory is that of the scenario")
def set_home(context):
    context.world.variables["HOME"] = str(context.world.home)


@given("all of it happened in 2020")
def make_old(context):
    """What is not of today has its day, and so is as long whenever the tests run."""
    for table, column in (
        ("plans", "created_at"),
        ("checkpoints", "created_at"),
        ("journal", "at"),
        ("moments", "happened_at"),
        ("chats", "last_event_at"),
    ):
        context.world.sql(f"UPDATE {table} SET {column} = '2020' || substr({column}, 5)")


@then("each of these views is as it is kept")
def check_views(context):
    context.plan_id = first_plan(context)
    wrong = []
    for row in context.table:
        found = "\n".join(looks(context, row["line"]))
        path = KEPT / f"{row['view']}.txt"
        if WRITE in os.environ:
            path.write_text(found)
        wrong += difference(path, found)
    assert not wrong, "\n".join(wrong)


def first_plan(context):
    listed = context.world.agents("plan", "list", "--format", "json").data["plans"]
    tops = [row["plan_id"] for row in listed if row["parent_plan_id"] is None]
    return tops[-1] if tops else None


def difference(path, found):
    kept = path.read_text() if path.exists() else ""
    lines = difflib.unified_diff(kept.splitlines(), found.splitlines(), path.name, "now", n=1)
    return [line.rstrip() for line in lines]


def looks(context, line):
    """Yields every look of a command, each below a line that says which it is."""
    for form in FORMATS:
        for width in (NARROW, WIDE):
            done = drawn(context, line, form, width)
            yield f"==== {form}, {width} columns"
            yield normal(done.out).rstrip("\n")
            yield "---- standard error"
            yield normal(done.err)


def drawn(context, line, form, width):
    """Runs a command for a width; where there is colour, for a screen."""
    world = context.world
    world.variables |= {"COLUMNS": str(width), "TERM": "xterm", "PAGER": ""}
    before, world.screen = world.screen, Screen if form == "color" else world.screen
    try:
        return world.agents(*words(context, line), "--format", form)
    finally:
        world.screen = before
        del world.variables["COLUMNS"]


def _numbered(found, known):
    """An id that is the same in every run: one of a path is whole, others as short as most are."""
    size = 24 if found.string[found.start() - 1] in "/-" else 8
    return f"ID{known.setdefault(found[0], len(known) + 1):0{size}}"


def _zeros(found):
    return re.sub(r"\d", "0", found[0])


def normal(text):
    """Replaces what differs from run to run."""
    known = {}
    text = ULID.sub(lambda found: _numbered(found, known), text)
    text = re.sub(r"\b2020-\d\d-\d\d \d\d:\d\d(:\d\d)?", _zeros, text)
    # A duration; a narrow cell breaks it before its unit.
    text = re.sub(r"\b\d\.\d( s\b|(?=\s*[│|]$))", r"0.0\1", text, flags=re.MULTILINE)
    text = text.replace("\x1b", "␛")
    return "\n".join(line.rstrip() for line in text.split("\n"))


@then("none of these is wider than 40, 80 or 160 columns, and each shows its ids whole")
def check_widths(context):
    for row in context.table:
        # Those in a path are folded with it.
        told = drawn(context, row["line"], "plain", WIDE).out
        wanted = {found[0] for found in ULID.finditer(told) if told[found.start() - 1] not in "/-"}
        for form, width in ((form, width) for form in ("rich", "table") for width in (40, 80, 160)):
            found = drawn(context, row["line"], form, width).out
            wide = [line for line in found.splitlines() if cell_len(line.rstrip()) > width]
            assert not wide, f"{row['line']} as {form} at {width}: {wide}"
            lost = wanted - set(ULID.findall(found))
            assert not lost, f"{row['line']} as {form} at {width} lacks {lost}:\n{found}"
