"""Steps about what modes and owners keep an ordinary user out of."""

import subprocess

from behave import given, then, when
from boxes import agents
from commands import words


@when('the ordinary user runs "agents {line}"')
def run(context, line):
    context.world.done = agents(context, *words(context, line))


@given('the project\'s "{path}" is on a disk that can only be read')
def mount_read_only(context, path):
    place = context.world.project / path
    subprocess.run(["mount", "--bind", place, place], check=True)
    context.world.mounts.append(place)
    subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)


@then("no operation is open or stuck")
def check_closed(context):
    rows = context.world.sql(
        "SELECT kind, status FROM operations WHERE status IN ('open', 'stuck')"
    )
    assert list(rows) == [], rows
