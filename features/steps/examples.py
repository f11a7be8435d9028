"""Steps about the examples."""

import os
import subprocess
import sys
from pathlib import Path

from behave import then, when
from world import Done

EXAMPLES = Path(__file__).parents[2] / "examples"


@when('the example "{name}" is run')
def run_example(context, name):
    """With the command that is under test on the PATH, and temporary folders of the scenario."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [EXAMPLES / name],
        env={**os.environ, **context.world.variables, "PATH": path, "TMPDIR": context.world.home},
        capture_output=True,
        text=True,
        check=False,
    )
    context.world.done = Done(done.returncode, done.stdout, done.stderr)


@then("the last lines of the output are")
def check_last_lines(context):
    expected = context.text.splitlines()
    found = context.world.done.out.splitlines()[-len(expected) :]
    assert found == expected, context.world.done.out


@then('the page of the example "{name}" shows just that output')
def check_page(context, name):
    page = (EXAMPLES / name / "README.md").read_text()
    shown = page.partition("It prints:\n\n```text\n")[2].partition("```")[0]
    assert context.world.done.out == shown, context.world.done.out
