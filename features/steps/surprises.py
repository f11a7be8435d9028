"""Steps about errors that nobody foresaw, and what is kept of them."""

import contextlib
import io
import os
import re
import shlex
import signal
from pathlib import Path

from behave import given, then, when
from commands import have_run, run_agents
from ordinary import hand_over, ordinary_user
from storage import temporary_place

from cleveragents.cli import surprise
from cleveragents.cli.boundary import guarded
from cleveragents.ids import is_id

STEP = "{name: first, tool: write_file, with: {path: b.txt, content: b}}"
LOG = re.compile(r"what is known of it: (.*\.log)")


@given("the name of its store is {damaged}")
def damage_name(context, damaged):
    (path,) = context.world.data_dir.glob("projects/*/store/id")
    name = path.read_bytes()
    path.unlink()
    if damaged == "a directory":
        path.mkdir()
    elif damaged != "gone":
        path.write_bytes({"no text": b"\xff\xfe", "half a name": name[:13]}[damaged])


@then("its store has {name} that is private, and nothing unfinished beside it")
def check_name(context, name):
    (store,) = context.world.data_dir.glob("projects/*/store")
    path = store / "id"
    if name == "a name":
        assert is_id(path.read_text()), path.read_text()
        assert path.stat().st_mode & 0o077 == 0, oct(path.stat().st_mode)
    assert sorted(os.listdir(store)) == ["id", "packs", "store.lock"], os.listdir(store)


@given("a plain folder whose plan nobody can read")
def make_unreadable(context):
    (context.world.project / "a.txt").write_text("one\n")
    context.action = context.world.write_action(f"name: plan\nsteps:\n  - {STEP}\n")
    have_run(context, "plan use ACTION")
    context.world.sql("UPDATE plans SET created_at = 'yesterday'")


@then("the log that is named is private and tells")
def check_log(context):
    path = named_log(context)
    assert path.parent == context.world.data_dir / "log", path
    assert path.stat().st_mode & 0o777 == 0o600, oct(path.stat().st_mode)
    assert path.parent.stat().st_mode & 0o777 == 0o700, oct(path.parent.stat().st_mode)
    text = path.read_text()
    missing = [row["line"] for row in context.table if row["line"] not in text]
    assert not missing, (missing, text)


def named_log(context):
    done = context.world.done
    said = done.error["detail"][0] if done.out.startswith("{") else done.err
    return Path(LOG.search(said)[1])


def log_of(context, problem, arguments):
    told = surprise.told(problem, arguments, context.world.home)
    return Path(LOG.search(told.detail[0])[1]).read_text()


@when('I run "agents {line}" {count:d} times')
def run_often(context, line, count):
    context.logs = []
    for _ in range(count):
        run_agents(context, line)
        context.logs.append(named_log(context))


@then("the newest {count:d} logs are there")
def check_kept(context, count):
    assert sorted((context.world.data_dir / "log").iterdir()) == context.logs[-count:]


@then('of "{line}" a log tells "{told}"')
def check_line(context, line, told):
    text = log_of(context, ValueError("x"), shlex.split(line))
    assert f"command: agents {told}\n" in text, text


@then("where a value stands in the message, it is left out there as well")
def check_message(context):
    error = surprise.told(ValueError("no s3cret here"), ["--arg", "t=s3cret"], context.world.home)
    assert error.message.endswith("ValueError: no *** here"), error.message
    assert "s3cret" not in Path(LOG.search(error.detail[0])[1]).read_text()


@then("the log is {where}")
def check_where(context, where):
    {"in a temporary place": check_temporary, "on standard error": check_on_stderr}[where](context)


def check_temporary(context):
    assert named_log(context).is_relative_to(context.world.home / "temporary"), named_log(context)


def check_on_stderr(context):
    assert "ValueError: Invalid isoformat string" in context.world.done.err, context.world.done.err
    assert context.world.done.error["detail"] == ["what is known of it stands above"]
    assert os.listdir(context.world.project) == ["a.txt"]


@then("an ordinary user's surprise in a directory of root's is kept in a temporary place")
def check_foreign(context):
    place = temporary_place(context)
    context.world.home.chmod(0o755)
    hand_over(place)
    theirs = Path("/")  # all that an ordinary user has of root's; root makes one that is open
    if os.geteuid() == 0:
        theirs = context.world.home / "theirs"
        theirs.mkdir()
        theirs.chmod(0o777)
    with ordinary_user():
        error = surprise.told(ValueError("x"), [], theirs)
        path = Path(LOG.search(error.detail[0])[1])
        assert path.parent == place / f"cleveragents-{os.geteuid()}", path
        assert "ValueError: x" in path.read_text()


@given("a git that says what is no text")
def make_odd_git(context):
    program = context.world.home / "git"
    program.write_text("#!/bin/sh\nprintf '\\377'\n")
    program.chmod(0o755)
    context.add_cleanup(os.environ.__setitem__, "PATH", os.environ["PATH"])
    os.environ["PATH"] = f"{context.world.home}:{os.environ['PATH']}"


@then('of a surprise the version of git is told as "{told}"')
def check_git(context, told):
    text = log_of(context, ValueError("x"), [])
    assert f"git: {told}" in text, text
    assert "ValueError: x" in text


@then("an interrupt while the command line is read ends with exit code 130 and no traceback")
def check_early_interrupt(context):
    def load(_):
        os.kill(os.getpid(), signal.SIGINT)

    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        code = guarded(["plan", "list"], load)
    assert code == 130, code
    assert told.getvalue() == "error: interrupted; nothing was changed\n", told.getvalue()
