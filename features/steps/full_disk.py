"""Steps about disks that have no room left."""

import re

from behave import given, then, when

from cleveragents.storage.space import free_bytes

ROWS = (
    "SELECT checkpoint_id, seq FROM checkpoints ORDER BY seq",
    "SELECT kind, status FROM operations WHERE closed_at IS NULL",
)
FREE = re.compile(r"([\d.]+) (B|KiB|MiB) free")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


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
