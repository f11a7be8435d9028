"""Steps about disks that have no room left."""

import re

from behave import given, then, when
from boxes import all_differences, pictures, sandbox_of
from commands import words

from cleveragents.storage.space import free_bytes

ROWS = (
    "SELECT checkpoint_id, seq FROM checkpoints ORDER BY seq",
    "SELECT kind, status FROM operations WHERE closed_at IS NULL",
)
FREE = re.compile(r"([\d.]+) (B|KiB|MiB) free")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


@given('a process of its own has run "agents {line}"')
def run_apart(context, line):
    """So that nothing of it is mapped here, which would keep what is deleted on the disk."""
    context.world.agents_beside(*words(context, line))
    assert context.world.end_of_child().code == 0, context.world.done.err


@given('a process of its own has run "agents {line}" in vain')
def run_apart_in_vain(context, line):
    context.world.agents_beside(*words(context, line))
    assert context.world.end_of_child().code == 1, context.world.done


@when("all but {count:d}k of its disk is taken")
@given("all but {count:d}k of its disk is taken")
def take_space(context, count):
    ballast = context.world.data_dir / "ballast"
    with open(ballast, "wb") as file:
        file.write(bytes(free_bytes(context.world.data_dir) - count * 1024))
    assert free_bytes(context.world.data_dir) == count * 1024


@when("what took its disk is gone")
def give_room(context):
    (context.world.data_dir / "ballast").unlink()


@then("at least {count:d}k of its disk are free now")
def check_free(context, count):
    assert free_bytes(context.world.data_dir) >= count * 1024, free_bytes(context.world.data_dir)


@given("the sandbox, its checkpoints and operations are looked at")
def look(context):
    context.looked = pictures(sandbox_of(context)), [context.world.sql(query) for query in ROWS]


@then("the sandbox, its checkpoints and operations are what they were")
def check_same(context):
    before, rows = context.looked
    found = all_differences(before, pictures(sandbox_of(context)))
    assert not found, found
    assert [context.world.sql(query) for query in ROWS] == rows


@then("the error says where, that {count:d}k or less is free, and {more}")
def check_told(context, count, more):
    error = context.world.done.error
    text = " ".join([error["message"], *error["detail"]])
    number, unit = FREE.search(text).groups()
    assert float(number) * UNITS[unit] <= count * 1024, text
    assert str(context.world.data_dir) in text, text
    if more == "how to go on":
        assert error["suggestions"][0].startswith("free some space"), error
    else:
        assert more.removeprefix("that ") in text, text
