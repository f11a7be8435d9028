"""Steps about long acts that a signal comes into: what is left of them, and who finishes them."""

import os
import signal
import sys
from pathlib import Path

from behave import given, then, when
from commands import words
from forked import unwatch, watch
from oracle import assert_same, picture
from signalled import signal_at

from cleveragents.snapshots.write import exchange

DRIVER = Path(__file__).parent.parent / "support" / "signalled.py"
COUNT = 30
MANY = "for n in $(seq 30); do echo {} $n >> f$n; done"


@given("a plan has changed many files of a folder")
def run_plan(context):
    world = context.world
    world.sh(MANY.format("ours"))
    context.action = world.write_action(
        "name: many\n"
        "steps:\n"
        f"  - {{name: first, tool: shell, with: {{command: '{MANY.format('first')}'}}}}\n"
        f"  - {{name: second, tool: shell, with: {{command: '{MANY.format('second')}'}}}}\n"
    )
    done = world.agents("run", context.action)
    assert done.code == 0, done.err


@given("somebody has written to them since")
def write_in_sandbox(context):
    context.world.sh(MANY.format("mine"), cwd=context.world.sandbox)


@when('{name} comes at file {number:d} of {doing} in "agents {line}"')
def run_signalled(context, name, number, doing, line):
    context.was = state(context)
    with signal_at(name, number, doing):
        context.world.agents(*words(context, line))


@when('{name} comes at file {number:d} of {doing} in a process that runs "agents {line}"')
def run_signalled_beside(context, name, number, doing, line):
    context.was = state(context)
    prefix = [sys.executable, "-P", str(DRIVER), name, str(number), doing]
    context.world.agents_beside(*words(context, line), prefix=prefix)
    context.world.end_of_child()


@when('SIGINT comes as the first file of the project changes by "agents {line}"')
def run_signalled_at_rename(context, line):
    sent = []

    def send(name):
        if name in ("swap", "place_new") and not sent:
            sent.append(name)
            os.kill(os.getpid(), signal.SIGINT)

    watch(exchange, send)
    try:
        context.world.agents(*words(context, line))
    finally:
        unwatch(exchange)
    assert sent


@then("nothing has changed by it")
def check_nothing(context):
    *were, stood = context.was
    *are, stands = state(context)
    for was, now in zip(were, are, strict=True):
        assert_same(was, now)
    assert stands == stood, (stood, stands)


@then("nothing unfinished lies in the store")
def check_store(context):
    found = list(context.world.data_dir.glob("projects/*/store/packs/writing-*"))
    assert not found, found


@then('the files of the plan end with "{line}"')
def check_files(context, line):
    found = {path.read_text().split()[-2] for path in context.world.sandbox.glob("f*")}
    assert found == {line}, found


@then('the files of the project end with "{line}"')
def check_project(context, line):
    found = {path.read_text().split()[-2] for path in context.world.project.glob("f*")}
    assert found == {line}, found
    assert len(list(context.world.project.iterdir())) == COUNT


@then("the files of its sandbox are {where}")
def check_sandbox(context, where):
    assert os.path.exists(context.world.sandbox) is (where == "there")


def state(context):
    """The files of the project and of the plan, and where it stands."""
    world = context.world
    rows = world.app().kept.list_checkpoints(world.plan.plan_id)
    stands = {"stage": world.plan.stage, "checkpoints": [row.name for row in rows]}
    sandbox = picture(world.sandbox) if os.path.exists(world.sandbox) else {}
    return picture(world.project), sandbox, stands
