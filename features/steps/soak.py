"""Steps about the soak, which runs in processes of its own."""

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
    # Not under coverage: what is killed leaves no record, and it would only cost time.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    context.soaked = subprocess.run(
        [sys.executable, "benchmarks/soak.py", *options.split()],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@then("nothing has grown, and every checkpoint reads back")
def check_soaked(context):
    done = context.soaked
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "1 programs were killed; 0 checkpoints do not read back" in done.stdout, done.stdout
