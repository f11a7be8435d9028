"""Steps about who owns a plan, and how it is taken from an owner that does not move."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

from behave import given, then, when
from world import Done, wait_until

from cleveragents.errors import Busy, Refused
from cleveragents.storage import lock
from cleveragents.storage.lock import FileLock, Locks
from cleveragents.storage.owner import Owner, process_fields, start_time

WAITS = (
    'test -e "$GATE" || { sleep 600 & echo $! > "$GATE.pid"; touch started; wait; }; rm -f started'
)


@given("a run has been killed in its step")
def kill_run(context):
    """Its step makes `started` and then waits."""
    start_run(context)
    context.world.child.kill()
    context.world.end_of_child()


@given("a run is stopped in its step")
def stop_run(context):
    step = f"{{name: only, tool: shell, with: {{command: '{WAITS}'}}, pass_env: [GATE]}}"
    context.action = context.world.write_action(f"name: plan\nsteps:\n  - {step}\n")
    start_run(context)
    context.stopped = context.world.child
    context.stopped.send_signal(signal.SIGSTOP)
    wait_until(lambda: process_fields(context.stopped.pid)[0] == "T", "the stop")


def start_run(context, **options):
    done = context.world.agents("plan", "use", context.action)
    assert done.code == 0, done.err
    context.world.agents_beside("plan", "execute", "@", **options)
    found = context.world.data_dir.glob
    wait_until(lambda: list(found("sandboxes/*/tree/started")), "the step")
    wait_until(lambda: list(found("output/*/leader")), "its process to be noted")


@when('another process runs "agents {line}"')
def run_another(context, line):
    """While the process beside us still is there."""
    command = context.world.command(line.split())
    environment = {**os.environ, **context.world.variables}
    done = subprocess.run(
        command,
        cwd=context.world.project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    context.world.done = Done(done.returncode, done.stdout, done.stderr)


@then("the stopped process was killed")
def check_killed(context):
    assert context.stopped.wait(10) == -signal.SIGKILL, context.stopped.returncode


@then("the busy process is the one that was stopped")
def check_pid(context):
    message = context.world.done.error["message"]
    assert f"process {context.stopped.pid} " in message, message


@then("the outside has been reached {count:d} times")
def check_calls(context, count):
    calls = Path(f"{context.world.gate}.calls").read_text().splitlines()
    assert len(calls) == count, calls


# --- Threads --------------------------------------------------------------------------------------


def plan_locks(context):
    return Locks(context.world.home / "locks", "plan")


def in_thread(function):
    """Runs it in a thread of its own; returns what it returned or raised."""
    found = []

    def work():
        try:
            found.append(function())
        except Busy as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0]


@then("a thread that owns a plan may take it again")
def check_reentrant(context):
    locks = plan_locks(context)
    with locks.own("one", "outer") as first, locks.own("one", "inner") as second:
        assert (first, second) == (True, False)
    assert not locks.is_owned("one")


@then("another thread of the process is told who owns it")
def check_other_thread(context):
    locks = plan_locks(context)

    def take():
        with locks.own("one", "stealing"):
            return "it was free"

    with locks.own("one", "owning it"):
        found = in_thread(take)
        assert isinstance(found, Busy), found
        assert f"process {os.getpid()} is owning it since" in found.message, found.message
        assert in_thread(lambda: locks.is_owned("one"))
    assert in_thread(take) == "it was free"


@then("threads may own different plans at the same time")
def check_children(context):
    locks = plan_locks(context)

    def take():
        with locks.own("child", "running it") as taken, locks.own("child", "saving") as again:
            return taken, again

    with locks.own("parent", "waiting"):
        assert in_thread(take) == (True, False)


@then("a sandbox waits for the owner of the project")
def check_reading(context):
    locks = Locks(context.world.home / "locks", "project")
    read = threading.Event()

    def reader():
        with locks.reading("p", "making a sandbox"), locks.reading("p", "making another"):
            read.set()

    with locks.own("p", "applying"):
        thread = threading.Thread(target=reader)
        thread.start()
        time.sleep(0.1)
        assert not read.is_set()
    thread.join()
    assert read.is_set()


# --- Taking over ----------------------------------------------------------------------------------


@then("the owner of a lock is ended only if it is the very process that signed")
def check_identity(context):
    with subprocess.Popen(["sleep", "600"]) as other:
        owner = Owner(other.pid, start_time(other.pid), "now", "sleeping")
        replace(owner, started="1").end()
        assert other.poll() is None
        owner.end()
        assert other.wait() == -signal.SIGKILL
    owner.end()  # it is gone: nothing to do


@then("a lock whose owner cannot be told is not taken over")
def check_unsigned(context):
    locks = plan_locks(context)
    with locks.own("one", "owning it"):
        (context.world.home / "locks" / "plan-one.lock").write_text("not JSON")
        refused(lambda: Locks(context.world.home / "locks", "plan").end_owner("one"))


@then("a process does not end itself to take over")
def check_itself(context):
    with FileLock(context.world.home / "locks" / "plan-one.lock", doing="owning it"):
        refused(lambda: plan_locks(context).end_owner("one"))


@then("an owner that cannot be ended is named")
def check_endless(context):
    """It is not the process that the file names: that one is gone."""
    path = context.world.home / "locks" / "plan-one.lock"
    before, lock.END_SECONDS = lock.END_SECONDS, 0.1
    with subprocess.Popen(["true"]) as gone, FileLock(path, doing="owning it"):
        gone.wait()
        path.write_text(json.dumps(vars(Owner(gone.pid, "1", "yesterday", "gone by now"))))
        try:
            plan_locks(context).end_owner("one")
        except Busy as error:
            assert "is gone by now since yesterday" in error.message, error.message
        else:
            raise AssertionError
        finally:
            lock.END_SECONDS = before


def refused(function):
    with contextlib.suppress(Refused):
        function()
        raise AssertionError("it was taken over")


# --- looking while a run begins or ends ---------------------------------------------------------

UNTIL_GATE = 'touch started; until test -e "$GATE"; do sleep 0.02; done'


@given("a plan that runs until the gate opens")
def use_gated(context):
    step = f"{{name: only, tool: shell, with: {{command: '{UNTIL_GATE}'}}, pass_env: [GATE]}}"
    context.action = context.world.write_action(f"name: plan\nsteps:\n  - {step}\n")
    done = context.world.agents("plan", "use", context.action)
    assert done.code == 0, done.err


@when('I run "agents {line}" and the run {does} meanwhile')
def run_meanwhile(context, line, does):
    """The run begins just after, or ends just before, the first look at who owns its plan."""
    look, looks = Locks.is_owned, []

    def begin():
        context.world.agents_beside("plan", "execute", "@")
        found = context.world.data_dir.glob
        wait_until(lambda: list(found("sandboxes/*/tree/started")), "the step")

    def end():
        context.world.gate.touch()
        assert context.world.child.wait(60) == 0

    def looked(self, name):
        looks.append(name)
        if does == "ends" and len(looks) == 1:
            end()
        found = look(self, name)
        if does == "begins" and len(looks) == 1:
            begin()
        return found

    if does == "ends":
        begin()
    Locks.is_owned = looked
    try:
        context.world.agents(*line.split())
    finally:
        Locks.is_owned = look
    assert looks, "nobody looked who owns the plan"


@then("no run is told as interrupted")
def check_not_interrupted(context):
    assert 'interrupted": true' not in context.world.done.out, context.world.done.out
    assert "run was interrupted" not in context.world.done.out, context.world.done.out
    for plan in context.world.done.data.get("plans", ()):
        assert plan["unfinished"] == [], plan


@then("the run comes to its end")
def end_run(context):
    context.world.gate.touch()
    assert context.world.child.wait(60) == 0
    assert "/".join(context.world.plan.stage) == "execute/complete"
