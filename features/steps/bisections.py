"""Steps about trying states in a throw-away directory."""

from pathlib import Path

from behave import given, then
from world import wait_until


@given("its command has started")
def wait_for_command(context):
    wait_until(Path(f"{context.world.gate}.pid").exists, "the command")


@then("no throw-away directory is left")
def check_gone(context):
    left = list(context.world.data_dir.glob("sandboxes/*.trying"))
    assert not left, left
