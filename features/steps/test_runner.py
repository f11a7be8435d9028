"""Steps about the runner of our own tests: it is run on suites that are made for the purpose."""

import json
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


# A test that fails as often as it is told to, and then no more.
FAIL = """
from pathlib import Path

def fail_often(name, times):
    failed = Path(f"{name}.failed")
    count = int(failed.read_text()) if failed.exists() else 0
    failed.write_text(f"{count + 1}")
    assert count >= int(times), f"{name} has failed"
"""
FAILING_STEP = """
from behave import step

step('"{name}" fails {times} times')(lambda context, name, times: fail_often(name, times))
"""
FAILING_TESTS = """
*** Settings ***
Library  ${CURDIR}/fail.py

*** Test Cases ***
"""


@given(
    'a suite "{suite}" of tests of which "{one}" fails {first:d} times and "{two}" {second:d} times'
)
def make_failing_suite(context, suite, one, first, two, second):
    make_suite_of(context, suite, {one: first, two: second})


@given('a suite "{suite}" of {count:d} tests that fail once')
def make_many_failing(context, suite, count):
    make_suite_of(context, suite, {str(number): 1 for number in range(count)})


def make_suite_of(context, suite, times):
    context.suite = suite
    project = context.world.project
    shutil.copytree(SCRIPTS, project / "scripts")
    if suite == "unit_tests":
        (project / "features" / "steps").mkdir(parents=True)
        (project / "features" / "steps" / "fail.py").write_text(f"{FAIL}{FAILING_STEP}")
        lines = "".join(
            f'  Scenario: {name}\n    When "{name}" fails {count} times\n'
            for name, count in times.items()
        )
        (project / "features" / "fail.feature").write_text(f"Feature: f\n{lines}")
    else:
        (project / "robot").mkdir()
        (project / "robot" / "fail.py").write_text(FAIL)
        lines = "".join(
            f"{name}\n    Fail Often  {name}  {count}\n" for name, count in times.items()
        )
        (project / "robot" / "fail.robot").write_text(f"{FAILING_TESTS}{lines}")


@when("the results are summed up")
def sum_up(context):
    report = context.world.project / "nox.json"
    result = "failed" if context.run.returncode else "success"
    report.write_text(json.dumps({"sessions": [{"name": context.suite, "result": result}]}))
    context.sum = python(context, "scripts/results.py", str(report))


@then('the sum is "{counts}", told "{told}"')
def check_sum(context, counts, told):
    *lines, last = context.sum.stdout.splitlines()
    assert last == counts, context.sum
    assert (context.sum.returncode == 0) == (" 0 failed" in counts) == (context.run.returncode == 0)
    named = [line for line in lines if line.startswith(f"{context.suite}: ")]
    expected = told.split(", ")
    assert len(named) == len(expected), (named, context.run)
    for line, (status, name) in zip(named, (each.split(" ", 1) for each in expected), strict=True):
        assert line.startswith(f"{context.suite}: {status}: "), line
        assert f"{name!r}: " in line, line
        assert f"{name} has failed" in "\n".join(lines), lines


@when("its tests are run and may stand still for {seconds} seconds")
def run_suite(context, seconds):
    context.run = python(context, "scripts/run_tests.py", context.suite, seconds)


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


@given("a package that is measured, whose modules miss")
def measure_package(context):
    package = context.world.project / "src" / "cleveragents"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    names = [row["module"] for row in context.table]
    (package / "__init__.py").write_text("".join(f"import cleveragents.{name}\n" for name in names))
    for row in context.table:
        missed = "    one = 1\n" * int(row["lines"])
        reached = "one = 1\n" * (1000 if row["module"] == "whole" else 20)
        (package / f"{row['module']}.py").write_text(f"{reached}def never():\n{missed}    ...\n")
    (context.world.project / "pyproject.toml").write_text(MEASURED)
    python(context, "-m", "coverage", "run", "-m", "cleveragents.whole")


MEASURED = """
[tool.coverage.run]
branch = true
parallel = true
source = ["src"]
data_file = "build/data/data"
[tool.coverage.report]
fail_under = 97
exclude_also = ['^\\s*\\.\\.\\.$']
"""


@when("its coverage is checked")
def check_package(context):
    context.run = python(context, SCRIPTS / "check_coverage.py", "build/data")


def python(context, *arguments):
    """Runs Python in the project, without the coverage that measures ourselves."""
    own = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=context.world.project,
        env={**own, "PYTHONPATH": str(context.world.project / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


@then('the check has passed, and tells of "{told}", but not of "{other}"')
def check_passed(context, told, other):
    assert context.run.returncode == 0, context.run
    assert f"{told}: " in context.run.stdout, context.run.stdout
    assert f"{other}: " not in context.run.stdout, context.run.stdout


@then('the check has failed for "{failed}", and not for "{told}"')
def check_failed(context, failed, told):
    assert context.run.returncode == 1, context.run
    (of_failed,) = [line for line in context.run.stdout.splitlines() if f"{failed}: " in line]
    (of_told,) = [line for line in context.run.stdout.splitlines() if f"{told}: " in line]
    assert "not a failure" in of_told, of_told
    assert "not a failure" not in of_failed, of_failed
