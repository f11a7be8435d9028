"""Steps about the fault injection suites, which run in a process of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

from behave import then, when

ROOT = Path(__file__).resolve().parents[2]


@when('the suite "{suite}" tries {some:d} operations with --points {points:d}')
def try_points(context, suite, some, points):
    # One worker: with few points, most of the time goes into preparing each worker's room.
    extent = f"--some {some} --points {points} --offset {_rotation()} --workers 1"
    run_suite(context, suite, *extent.split())


@when('the suite "{suite}" tries "{operation}" at "{calls}" with --points {points:d}')
def try_calls(context, suite, operation, calls, points):
    extent = f"--operation {operation} --at {calls} --points {points} --workers 1"
    run_suite(context, suite, *extent.split())


@when('the suite "{suite}" looks at whole commands')
def try_commands(context, suite):
    run_suite(context, suite)


def run_suite(context, suite, *options):
    # Not under coverage: what is killed leaves no record, and it would only cost time.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    context.suite = subprocess.run(
        [sys.executable, "-m", "faults", suite, *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if skipped := re.search(r"^skipped: (.*)", context.suite.stdout):
        context.scenario.skip(skipped[1])


@then("at least {count:d} faults have happened")
def count_faults(context, count):
    rows = re.findall(r"^\| (?!naive)[a-z ]+\| (\d+) ", context.suite.stdout, re.MULTILINE)
    assert sum(map(int, rows)) >= count, context.suite.stdout + context.suite.stderr


@then("the suite found nothing wrong")
def expect_nothing_wrong(context):
    assert context.suite.returncode == 0, context.suite.stdout + context.suite.stderr


def _rotation():
    """A number that changes with every commit, so that in time every point has its turn."""
    found = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return int(found.stdout.strip() or "0", 16) % 997


@then("each of the mutants can be made")
def make_mutants(context):
    sys.path.append(str(ROOT))
    context.add_cleanup(sys.path.remove, str(ROOT))
    from faults import mutants  # noqa: PLC0415 - found through the line above

    for mutant in mutants.MUTANTS:
        assert mutants.changed(mutant), mutant.name
