"""Steps about looking at what may not be changed."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from behave import given, then, when
from commands import run_agents, words
from oracle import differences, picture
from ordinary import NOBODY, hand_over, ordinary_user

from cleveragents.confinement.proof import UNTRIED

CLOSED = "from directories that are closed"
DYING = """
import os, sqlite3, sys
driver = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in ("PRAGMA cache_size=1", "BEGIN IMMEDIATE", "CREATE TABLE torn (x)"):
    driver.execute(line)
for _ in range(50):
    driver.execute("INSERT INTO torn VALUES (randomblob(4000))")
os.kill(os.getpid(), 9)
"""


@given("what is kept is read {how}")
def prepare_reader(context, how):
    data = context.world.data_dir
    context.reader = contextlib.nullcontext
    if how == "from a disk that cannot be written":
        subprocess.run(["mount", "--bind", data, data], check=True)
        context.world.mounts.append(data)
        subprocess.run(["mount", "-o", "remount,ro,bind", data], check=True)
    elif how == "as somebody else":
        open_for_others(context.world.home)
        context.reader = ordinary_user
    elif how == "by root, whose it is not":
        hand_over(data)
    else:
        assert how == CLOSED, how
        hand_over(context.world.home)
        close(data)
        context.reader = ordinary_user


def open_for_others(top):
    """Lets a group read everything; files of locks, as they come later, stay closed."""
    top.chmod(0o755)
    subprocess.run(["chgrp", "-R", str(NOBODY), top], check=True)
    subprocess.run(["chmod", "-R", "g+rX", top], check=True)
    for path in top.glob("data/locks/*"):
        path.chmod(0o600)


def close(top):
    for folder, _, files in os.walk(top):
        for name in files:
            path = Path(folder, name)
            path.chmod(path.stat().st_mode & ~0o222)
        Path(folder).chmod(Path(folder).stat().st_mode & ~0o222)


@when('the reader runs "agents {line}"')
def run_as_reader(context, line):
    with context.reader():
        run_agents(context, line)


@when('I run "agents {line}" once it is open again')
def run_open(context, line):
    subprocess.run(["chmod", "-R", "u+w", context.world.data_dir], check=True)
    with context.reader():
        run_agents(context, line)


@then("these say what they say to its owner, and leave everything as it is")
def check_read(context):
    decision = context.world.sql("SELECT decision_id FROM decisions")[0][0]
    before = picture(context.world.data_dir)
    for row in context.table:
        line = row["command"].replace("DECISION", decision)
        done = read(context, *words(context, line), "--format", "json")
        foreign = line == "doctor" and "belongs to" in done.out  # a problem, and told as one
        assert done.code == (1 if foreign else 0), (line, done.out, done.err)
        assert done.data, (line, done.out)
        found = differences(before, picture(context.world.data_dir))
        assert not found, (line, found)


@then("the doctor does not say how steps would be confined there, where none can run")
def check_untried(context):
    told = read(context, "doctor", "--format", "json").data
    assert {one["problem"] for one in told["confinement"]["ways"]} == {UNTRIED}, told
    assert not [one for one in told["findings"] if one["check"] == "confinement"], told
    assert UNTRIED in read(context, "doctor", "--format", "plain").out


def read(context, *arguments):
    with context.reader():
        return context.world.agents(*arguments)


@then("files can be taken out of checkpoint {number:d}")
def check_taken_out(context, number):
    place = context.world.home / "out"
    place.mkdir()
    place.chmod(0o777)
    done = read(context, "plan", "rollback", "@", number, "--to", place / "files")
    assert done.code == 0, done.err
    assert (place / "files" / "b.txt").read_text() == "one"


@then("these are refused, naming the data directory")
def check_acts(context):
    before = picture(context.world.data_dir)
    for row in context.table:
        done = read(context, *words(context, row["command"]), "--format", "json")
        assert done.code == 4, (row["command"], done.out)
        assert "the data directory " in done.error["message"], done.error
        assert str(context.world.data_dir) in done.error["message"], done.error
    found = differences(before, picture(context.world.data_dir))
    assert not found, found


@given("the database was left {how}")
def leave_database(context, how):
    path = context.world.data_dir / "cleveragents.db"
    if how == "in the middle of a change":
        done = subprocess.run([sys.executable, "-c", DYING, path], check=False)
        assert done.returncode == -signal.SIGKILL, done.returncode
    elif how == "in an older version":
        context.world.sql("UPDATE alembic_version SET version_num = '0001'")
    else:
        assert how == "with another journal", how
        assert context.world.sql("PRAGMA journal_mode=WAL") == [("wal",)]
