"""Steps that run whole features again, as an ordinary user."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from behave import then, when

FEATURES = Path(__file__).parents[1]


@when('the feature "{name}" is run by an ordinary user')
def run_feature(context, name):
    """In a process of its own: what a scenario leaves behind must not meet this one's."""
    told = context.world.home / "told.json"
    command = [sys.executable, "-m", "behave", f"features/{name}.feature", "-D", "user=ordinary"]
    command += ["--tags", "not @needs_root and not @same_for_every_user", "--no-skipped"]
    done = subprocess.run(
        [*command, "-f", "json", "-o", told],
        cwd=FEATURES.parent,
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    context.output = done.stdout + done.stderr
    (feature,) = json.loads(told.read_text())
    scenarios = [one for one in feature["elements"] if one["type"] == "scenario"]
    context.outcomes = Counter(one["status"] for one in scenarios)


@then("no scenario of it failed, and at least {count:d} passed")
def check_outcomes(context, count):
    assert set(context.outcomes) <= {"passed", "skipped"}, context.output
    assert context.outcomes["passed"] >= count, context.outcomes
