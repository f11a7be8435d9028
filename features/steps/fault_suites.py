"""Steps about the fault injection suites, which run in a process of their own."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from behave import then, when

ROOT = Path(__file__).resolve().parents[2]


@when('the suite "{suite}" runs with {options}')
def run_suite(context, suite, options):
    """COMMIT stands for a number that changes with every commit."""
    typed = [] if options == "no options" else shlex.split(options.replace("COMMIT", _rotation()))
    # Not under coverage: what is killed leaves no record, and it would only cost time.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    context.suite = subprocess.run(
        [sys.executable, "-m", "faults", suite, *typed],
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
    return str(int(found.stdout.strip() or "0", 16) % 997)


@then("each of the mutants can be made")
def make_mutants(context):
    sys.path.append(str(ROOT))
    context.add_cleanup(sys.path.remove, str(ROOT))
    from faults import mutants  # noqa: PLC0415 - found through the line above

    for mutant in mutants.MUTANTS:
        assert mutants.changed(mutant), mutant.name
