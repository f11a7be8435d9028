"""Steps in which an ordinary user runs commands, on a world that is theirs."""

import os
import stat

from behave import given, then, when
from commands import words
from forked import forked
from ordinary import become_ordinary, hand_over
from world import Done


@given("all of it is an ordinary user's")
def give_away(context):
    hand_over(context.world.home)


@given('an ordinary user has run "agents {line}"')
def has_run(context, line):
    run(context, line)
    assert context.world.done.code == 0, context.world.done


@when('an ordinary user runs "agents {line}"')
def run(context, line, cwd=None):
    """In a process of its own, which gives root's rights up for good: so do the steps it runs."""
    world, arguments = context.world, words(context, line)
    told = [world.home / name for name in ("told", "told of errors")]

    def act():
        become_ordinary()
        done = world.agents(*arguments, cwd=cwd)
        for path, text in zip(told, (done.out, done.err), strict=True):
            path.write_text(text, errors="surrogateescape")
        os._exit(done.code)

    code = forked(act)
    world.done = Done(code, *(path.read_text(errors="surrogateescape") for path in told))


@when('in another project an ordinary user runs "agents {line}"')
def run_elsewhere(context, line):
    other = context.world.home / "other project"
    other.mkdir(exist_ok=True)
    hand_over(other)
    run(context, line, cwd=other)


@given('the step that closes is "{command}"')
def choose_step(context, command):
    context.action.write_text(context.action.read_text().replace("COMMAND", command))


@then("the sandbox's top directory has the mode {mode}")
def mode_is(context, mode):
    (top,) = context.world.data_dir.glob("sandboxes/*/tree")
    assert stat.S_IMODE(top.stat().st_mode) == int(mode, 8), oct(top.stat().st_mode)


@given('the action\'s checkpoints are "{enabled}"')
def choose_checkpoints(context, enabled):
    text = context.action.read_text()
    context.action.write_text(f"rollback: {{enabled: {enabled}}}\n{text}")


@given("root has closed a directory in the sandbox")
def close_as_root(context):
    (top,) = context.world.data_dir.glob("sandboxes/*/tree")
    closed = top / "closed"
    closed.mkdir()
    (closed / "f").touch()
    closed.chmod(0o700)
