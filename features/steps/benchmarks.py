"""Steps about benchmarks, which run in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

from behave import then, when

ROOT = Path(__file__).resolve().parents[2]


@when("the soak makes {checkpoints:d} checkpoints over {plans:d} plans, {kills:d} program killed")
def soak(context, checkpoints, plans, kills):
    each = checkpoints // plans
    options = f"--plans {plans} --checkpoints {each} --files 20 --kills {kills} --counts --check"
    context.soaked = run("benchmarks/soak.py", *options.split())


@then("nothing has grown, and every checkpoint reads back")
def check_soaked(context):
    done = context.soaked
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "1 programs were killed; 0 checkpoints do not read back" in done.stdout, done.stdout


@when("checkpoints of {files:d} files are compared with other tools, each once")
def compare(context, files):
    context.compared = run("-m", "benchmarks.peers", "--files", str(files), "--repetitions", "1")
    assert context.compared.returncode == 0, context.compared.stderr


@then("a row of the table tells of each")
def check_rows(context):
    lines = context.compared.stdout.splitlines()
    found = [line.split("|")[2].strip() for line in lines if line.startswith("|")]
    for (what,) in context.table:
        assert what in found, f"{what} not in {found}"


@then("each of these has a column, or is said not to be installed")
def check_columns(context):
    lines = context.compared.stdout.splitlines()
    columns = next(line for line in lines if line.startswith("|")).split()
    for (tool,) in context.table:
        assert (tool in columns) != (f"{tool}: not installed" in lines), context.compared.stdout


def run(*words):
    """Not under coverage: what is killed leaves no record, and it would only cost time."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
