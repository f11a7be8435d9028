"""Steps about the runner of our own tests: it is run on suites that are made for the purpose."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from behave import given, then, when

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
HANGS = {
    "features/hangs.feature": "Feature: f\n  Scenario: never ends\n    When it hangs\n",
    "features/steps/hang.py": (
        "import signal, subprocess\n"
        "from behave import when\n"
        "@when('it hangs')\n"
        "def hang(context):\n"
        "    subprocess.run(['/bin/sh', 'daemon'], check=True)\n"
        "    signal.pause()\n"
    ),
    "robot/hangs.robot": (
        "*** Settings ***\nLibrary  Process\n"
        "*** Test Cases ***\nnever ends\n"
        "    Run Process  /bin/sh  daemon\n"
        "    Run Process  sleep  infinity\n"
    ),
    # Its parent is gone at once, and it has a session of its own.
    "daemon": (
        "setsid sh -c 'echo $$ > daemon.pid; exec sleep infinity' </dev/null >/dev/null 2>&1 &\n"
        "until [ -s daemon.pid ]; do :; done\n"
    ),
}


@given('a suite "{suite}" whose test "never ends" starts a daemon and hangs')
def make_hanging_suite(context, suite):
    context.suite = suite
    shutil.copytree(SCRIPTS, context.world.project / "scripts")
    for name, text in HANGS.items():
        file = context.world.project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@when("its tests are run and may stand still for {seconds} seconds")
def run_suite(context, seconds):
    command = [sys.executable, "scripts/run_tests.py", context.suite, seconds]
    own = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    context.run = subprocess.run(
        command, cwd=context.world.project, env=own, capture_output=True, text=True, check=False
    )


@then('the run has failed and names "{test}" as where nothing happened')
def check_named(context, test):
    assert context.run.returncode == 1, context.run
    told = [line for line in context.run.stdout.splitlines() if "Nothing happened for" in line]
    assert len(told) == 1, context.run.stdout
    assert test in told[0], told


@then("the daemon that the test started has ended")
def check_ended(context):
    pid = int((context.world.project / "daemon.pid").read_text())
    assert not Path(f"/proc/{pid}").exists(), f"{pid} is still there"
