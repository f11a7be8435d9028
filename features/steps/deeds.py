"""Steps about bad deeds, which are done in processes of their own."""

import re
import subprocess
import sys
from pathlib import Path

from behave import then, when

ROOT = Path(__file__).resolve().parents[2]
MOST_UNTRIED = 10  # what a machine may lack; if it lacks more, nothing was shown


@when('an ordinary user\'s steps do every deed at level "{level}"')
def do_deeds(context, level):
    context.deeds = subprocess.run(
        [sys.executable, "-m", "deeds", "--users", "user", "--levels", level],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if skipped := re.search(r"^skipped: (.*)", context.deeds.stdout):
        context.scenario.skip(skipped[1])


@then("each was open or blocked as expected")
def check_deeds(context):
    said = context.deeds.stdout + context.deeds.stderr
    assert context.deeds.returncode == 0, said
    assert len(re.findall(r"\| not tried ", said)) <= MOST_UNTRIED, said
