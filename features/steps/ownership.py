"""Steps about who owns a plan, and how it is taken from an owner that does not move."""

import os
import signal
import subprocess
from pathlib import Path

from behave import given, then, when
from envelopes import check_envelope
from world import Done, wait_until

from cleveragents.storage.lock import Locks
from cleveragents.storage.owner import process_fields

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
    environment = {**os.environ, **context.world.environment}
    done = subprocess.run(
        command,
        cwd=context.world.project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    context.world.done = Done(done.returncode, done.stdout, done.stderr)
    check_envelope(line.split(), context.world.done)


@then("the outside has been reached {count:d} times")
def check_calls(context, count):
    calls = Path(f"{context.world.gate}.calls").read_text().splitlines()
    assert len(calls) == count, calls


# --- looking while a run begins or ends ---------------------------------------------------------


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
