"""Steps about processes that were stopped in the middle of a change of the database."""

import os
import signal
import subprocess
import sys

from behave import given, then, when
from world import wait_until

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
HOLDING = {
    "changes": (CHANGING, "BEGIN IMMEDIATE"),
    "read for": (CHANGING, "BEGIN EXCLUSIVE"),
    "and a child of it lock": (LEAVING,),
}


@given('a process of "{program}" is {state} while it {held} the database')
def hold_database(context, program, state, held):
    _hold(context, program, *HOLDING[held], state)
    if state == "stopped":
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


@then("the error names the stopped process")
def check_named(context):
    message = context.world.done.error["message"]
    assert message.startswith(f"busy: process {context.stopped.pid} is "), message


@then("the error names its command")
def check_command_named(context):
    message = context.world.done.error["message"]
    assert str(context.world.home) in message, message


@when("the stopped process goes on")
def go_on(context):
    context.stopped.send_signal(signal.SIGCONT)
    assert context.stopped.wait(60) == 0


@then("the stopped process {fate}")
def check_fate(context, fate):
    if fate == "was killed":
        assert context.stopped.wait(10) == -signal.SIGKILL, context.stopped.returncode
    else:
        assert fate == "is still there", fate
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
