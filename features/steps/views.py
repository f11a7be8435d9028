"""Steps about views of much, on terminals of every kind."""

import json
import os
import re
import time
from datetime import datetime, timedelta

from behave import given, then
from rich.cells import cell_len

from cleveragents.cli.views import ago, elapsed, moment

NUMBERED = {
    "plan": {"plan_id": "PL", "number": 0},
    "checkpoint": {"checkpoint_id": "CP", "seq": 0},
}


@given("the latest {thing} is there {count:d} times")
def repeat_latest(context, thing, count):
    repeat(context, f"{thing}s", count - 1, **NUMBERED[thing])


def repeat(context, table, count, **new):
    """Copies the latest row of a table; the named columns are numbered on."""
    columns = [row[1] for row in context.world.sql(f"PRAGMA table_info({table})")]
    own = {name: _numbered(name, kind) for name, kind in new.items()}
    context.world.sql(
        f"INSERT INTO {table} ({', '.join(columns)}) "
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
        f"SELECT {', '.join(own.get(name, f'{table}.{name}') for name in columns)} "
        f"FROM n, (SELECT * FROM {table} ORDER BY rowid DESC LIMIT 1) AS {table}",
        count,
    )


def _numbered(name, kind):
    return f"{name} + i" if kind == 0 else f"printf('01{kind}%022d', i)"


@given('the terminal is "{kind}"')
def set_terminal(context, kind):
    context.world.terminal = kind


@then("the number of lines of the {stream} is {count:d}")
def check_number_of_lines(context, stream, count):
    done = context.world.done
    found = {"output": done.out, "error": done.err}[stream].splitlines()
    assert len(found) == count, f"{len(found)} lines: {found[:3]} … {found[-3:]}"


@then('the project\'s file "{name}" holds "{text}" without a line end')
def check_bare_file(context, name, text):
    assert (context.world.project / name).read_text(encoding="utf-8") == text


@then('lines for "{one}" and "{other}" stood on the screen together')
def check_lanes(context, one, other):
    """Between two moves of the cursor upwards stands all that was drawn at once."""
    frames = re.split(r"\x1b\[\d*A", context.world.done.out)
    assert any(f"{one}" in frame and f"{other}" in frame for frame in frames[1:-1]), frames


@then('{seconds:g} seconds are told as "{text}"')
def check_elapsed(context, seconds, text):
    assert elapsed(seconds) == text, elapsed(seconds)


@then("the lines of the panel are equally wide, {most:d} columns at most")
def check_panel(context, most):
    lines = [line for line in context.world.done.out.splitlines() if line[:1] in tuple("╭│╰")]
    widths = {cell_len(line) for line in lines}
    assert len(lines) > 2 and len(widths) == 1 and max(widths) <= most, context.world.done.out


@then('at {now} in the zone {zone}, {value} reads "{clock}" and "{near}"')
def check_time(context, now, zone, value, clock, near):
    before = os.environ.get("TZ")
    context.add_cleanup(set_zone, before)
    set_zone(zone)
    then_, now_ = datetime.fromisoformat(value), datetime.fromisoformat(now)
    found = moment(then_, now_), ago(then_, now_)
    assert found == (clock, near), found


def set_zone(zone):
    """As a process does that is started there."""
    os.environ.pop("TZ", None)
    if zone is not None:
        os.environ["TZ"] = zone
    time.tzset()


@then(
    "the log of the plan tells the time of {hours:d} hours and {minutes:d} minutes east,"
    " and to programs that of the world"
)
def check_zone(context, hours, minutes):
    world = context.world
    world.agents_beside("plan", "log", "@", "--format", "json")
    event = json.loads(world.end_of_child().out)["data"]["events"][0]
    assert event["at"].endswith("+00:00"), event
    local = datetime.fromisoformat(event["at"]) + timedelta(hours=hours, minutes=minutes)
    world.agents_beside("plan", "log", "@", "--format", "plain")
    told = world.end_of_child().out
    assert f"{local:%H:%M:%S}" in told, told
