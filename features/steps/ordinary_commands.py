"""Steps in which an ordinary user runs commands, on a world that is theirs."""

import os
import sys
import tempfile

from behave import given, then, when
from commands import words
from forked import forked
from ordinary import become_ordinary, hand_over
from world import Done

from cleveragents.cli.main import main


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
        tempfile.tempdir = str(world.home)  # that of who runs the tests may be closed
        done = world.agents(*arguments, cwd=cwd)
        for path, text in zip(told, (done.out, done.err), strict=True):
            path.write_text(text, errors="surrogateescape")
        os._exit(done.code)

    code = forked(act)
    world.done = Done(code, *(path.read_text(errors="surrogateescape") for path in told))


@when('with the umask {mask} an ordinary user\'s process runs "agents {line}"')
def run_with_umask(context, mask, line):
    """From the entry point on: who starts it may not be allowed to start this Python."""
    world = context.world
    hand_over(world.home)
    arguments = ["agents", *map(str, words(context, line))]

    def act():
        become_ordinary()
        os.umask(int(mask, 8))
        os.chdir(world.project)
        os.environ.update(world.environment)
        sys.argv = arguments
        try:
            main()
        except SystemExit as end:
            os._exit(end.code)

    world.done = Done(forked(act), "", "")


@when('in another project an ordinary user runs "agents {line}"')
def run_elsewhere(context, line):
    other = context.world.home / "other project"
    other.mkdir(exist_ok=True)
    hand_over(other)
    run(context, line, cwd=other)


@given('the step that closes is "{command}"')
def choose_step(context, command):
    context.action.write_text(context.action.read_text().replace("COMMAND", command))


@given('the action\'s checkpoints are "{enabled}"')
def choose_checkpoints(context, enabled):
    text = context.action.read_text()
    context.action.write_text(f"rollback: {{enabled: {enabled}}}\n{text}")


@given('root has taken the directory "{name}" in the sandbox')
def take_as_root(context, name):
    (top,) = context.world.data_dir.glob("sandboxes/*/tree")
    for path in (top / name, *(top / name).iterdir()):
        os.chown(path, 0, 0)


@then('what the {stream} says after "{text}" works as root')
def follow_hint(context, stream, text):
    done = context.world.done
    said = done.err if stream == "error" else done.out + done.err
    lines = [line.partition(text)[2] for line in said.splitlines() if text in line]
    assert lines, said
    context.world.sh(lines[0])
