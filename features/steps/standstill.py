"""Steps about processes that were stopped in the middle of a change of the database."""

import os
import signal
import subprocess
import sys

from behave import given, then, when
from world import wait_until

from cleveragents.storage import database, standstill
from cleveragents.storage.owner import process_fields
from cleveragents.storage.standstill import Holder

CHANGING = """
import os, signal, sqlite3, sys
path, begin, state = sys.argv[1:]
driver = sqlite3.connect(path, isolation_level=None)
driver.execute(begin)
driver.execute("UPDATE plans SET name = 'torn'")
print("held", flush=True)
if state == "stopped":
    os.kill(os.getpid(), signal.SIGSTOP)
else:
    sys.stdin.read()
driver.execute("ROLLBACK")
"""
LEAVING = """
import fcntl, os, signal, sys
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
print("held", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
"""
BEGIN = {"changes": "BEGIN IMMEDIATE", "read for": "BEGIN EXCLUSIVE"}


@given("nobody waits longer than {count:d} ms for the database")
def set_patience(context, count):
    context.add_cleanup(setattr, database, "PATIENCE", database.PATIENCE)
    database.PATIENCE = count / 1000


@given("nobody waits for a lock whose owner was ended")
def set_no_patience(context):
    context.add_cleanup(setattr, standstill, "END_SECONDS", standstill.END_SECONDS)
    standstill.END_SECONDS = 0


@given('a process of "{program}" is {state} while it {held} the database')
def hold_database(context, program, state, held):
    _hold(context, program, CHANGING, BEGIN[held], state)
    if state == "stopped":
        wait_until(lambda: process_fields(context.stopped.pid)[0] == "T", "the stop")


@given("a stopped process has locked the database, and a child of it holds on to the lock")
def hold_by_child(context):
    _hold(context, "agents", LEAVING)
    wait_until(lambda: process_fields(context.stopped.pid)[0] == "T", "the stop")


def _hold(context, program, text, *arguments):
    script = context.world.home / program
    script.write_text(text)
    path = context.world.data_dir / "cleveragents.db"
    context.stopped = subprocess.Popen(
        [sys.executable, script, path, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    context.add_cleanup(context.stopped.communicate)
    context.add_cleanup(context.stopped.kill)
    assert context.stopped.stdout.readline() == b"held\n"


@then("the error names the stopped process and its command")
def check_named(context):
    message = context.world.done.error["message"]
    assert message.startswith(f"busy: process {context.stopped.pid} is "), message
    assert str(context.world.home) in message, message


@when("the stopped process goes on")
def go_on(context):
    context.stopped.send_signal(signal.SIGCONT)
    assert context.stopped.wait(60) == 0


@then("the stopped process is still there")
def check_there(context):
    assert context.stopped.poll() is None


@then("a process that is gone is neither stopped nor of this program")
def check_gone(context):
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    holder = Holder.of(gone.pid)
    assert not holder.is_stopped
    assert not holder.is_agents
    assert str(holder) == f"process {gone.pid} is in the middle of a change of the database"
    assert not Holder.of(os.getppid()).is_stopped
    assert not Holder(gone.pid, "", True, ("agents",)).is_agents, "it ended since it was seen"
