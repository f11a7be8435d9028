"""Steps about a checkout that one user has set up and another one uses."""

import os
import shutil
import subprocess
from pathlib import Path

from behave import given, then, when
from ordinary import NOBODY
from world import Done

CHECKOUT = Path(__file__).parents[2]
# What the set-up goes by: it is done again when one of these changes.
SUMMED = (
    "pyproject.toml",
    "constraints.txt",
    "scripts/setup",
    "hatch_build.py",
    "src/cleveragents/snapshots/tree/look.c",
    "src/cleveragents/confinement/confine.c",
)
FILES = ("agents", "dev", *SUMMED)


@given("a checkout that {how} set up, and that others may only read")
def make_checkout(context, how):
    """What is installed does nothing but to say that it ran."""
    context.world.home.chmod(0o755)
    context.checkout = top = context.world.home / "check out"
    for name in FILES:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, top / name)
    if how == "is":
        binaries = top / ".venv" / "bin"
        binaries.mkdir(parents=True)
        (binaries / "agents").write_text('#!/bin/sh\necho ran "$@"\n')
        (binaries / "agents").chmod(0o755)
        _set_python(context, Path("/bin/sh"))
    _close(top)


@given("its Python is one that nobody else may run")
def close_python(context):
    context.checkout.chmod(0o755)
    (context.checkout / ".venv" / "bin").chmod(0o755)
    (context.checkout / ".venv").chmod(0o755)
    closed = context.world.home / "mine"  # to others not even the way to it is open
    closed.mkdir(mode=0o700)
    shutil.copy("/bin/sh", closed / "python")
    _set_python(context, closed / "python")
    (context.checkout / ".venv" / "pyvenv.cfg").write_text(f"home = {closed}\n")
    _close(context.checkout)


def _set_python(context, python):
    """Says that the set-up is done, as the script does."""
    top = context.checkout
    link = top / ".venv" / "bin" / "python"
    link.unlink(missing_ok=True)
    link.symlink_to(python)
    sums = subprocess.run(
        ["cksum", *SUMMED],
        cwd=top,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    ready = top / ".venv" / "ready-run"
    ready.unlink(missing_ok=True)
    ready.write_text(f"{sums}{link.resolve()}\n{top.resolve()}\n")


def _close(top):
    subprocess.run(["chmod", "-R", "a-w", top], check=True)


@when('somebody else runs "{line}" there')
def run_there(context, line):
    """Who is not root may not write there either."""
    user = NOBODY if os.geteuid() == 0 else None
    done = subprocess.run(
        line.split(), cwd=context.checkout, user=user, capture_output=True, text=True, check=False
    )
    context.world.done = Done(done.returncode, done.stdout, done.stderr)


@then('the error is one line that says "{text}"')
def check_line(context, text):
    (line,) = context.world.done.err.splitlines()
    assert text in line, line
