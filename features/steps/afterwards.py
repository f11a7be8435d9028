"""Steps about what meets a command once its act has ended."""

import errno
import os
import signal
from contextlib import contextmanager
from pathlib import Path

from behave import given, then, when
from commands import words

from cleveragents.cli import boundary
from cleveragents.engine.back.pruning import Prunes
from cleveragents.snapshots.archive import Archive

MOMENTS = {
    "before the store is taken": (Archive, "sweep"),
    "while the store is taken": (Prunes, "live"),
}


def _interrupt(*_, **__):
    signal.raise_signal(signal.SIGINT)


def _fail(*_, **__):
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@contextmanager
def _first(owner, name, act):
    """Lets something happen just before a function is called, this once."""
    original = getattr(owner, name)

    def called(*args, **options):
        act()
        return original(*args, **options)

    setattr(owner, name, called)
    try:
        yield
    finally:
        setattr(owner, name, original)


@when('{trouble} while space is freed after "agents {line}"')
def trouble_freeing(context, trouble, line):
    with _first(Prunes, "free", TROUBLES[trouble]):
        context.world.agents(*words(context, line))


TROUBLES = {"Ctrl-C comes": _interrupt, "the disk fails": _fail}


@when(
    'a second process runs "agents {second}" while space is freed after "agents {line}", {moment}'
)
def run_beside_freeing(context, second, line, moment):
    """What the second one ends with is looked at next; the first one has to end well."""
    ended = []

    def run_beside():
        if not ended:  # the second process frees space as well
            context.world.agents_beside(*words(context, second))
            ended.append(context.world.end_of_child())

    with _first(*MOMENTS[moment], run_beside):
        first = context.world.agents(*words(context, line))
    assert first.code == 0, first
    (context.world.done,) = ended


@when('Ctrl-C comes while the result of "agents {line}" is shown')
def interrupt_showing(context, line):
    with _first(boundary, "show", _interrupt):
        context.world.agents(*words(context, line))


@when('the shell runs "agents {line}" with {streams}')
def run_with_streams(context, line, streams):
    """In a process of its own, whose streams a shell has closed or sent elsewhere."""
    prefix = ["/bin/sh", "-c", f'exec "$@" {streams}', "sh"]
    context.world.agents_beside(*words(context, line), prefix=prefix)
    done = context.world.end_of_child()
    assert "that should not have" not in done.err, done.err


@given('a refresh has left a conflict in "{path}"')
def refresh_with_conflict(context, path):
    (context.world.project / path).write_text("mine\n")
    done = context.world.agents("plan", "refresh", "@", "--yes")
    assert done.code == 0, done.err


@given("a file stands where its sandbox was")
def file_in_the_way(context):
    _home(context).write_text("in the way\n")


@given("something is in the way of removing its sandbox")
def removing_in_the_way(context):
    """Where a directory is renamed to before it goes, there is a file."""
    home = _home(context)
    home.with_name(f"{home.name}.removing").touch()


@then('a message begins with "{text}"')
def message_begins(context, text):
    found = context.world.done.envelope["messages"]
    assert any(each.startswith(text) for each in found), found


def _home(context):
    ((path,),) = context.world.sql(
        "SELECT path FROM sandboxes WHERE plan_id = ?", context.world.plan.plan_id
    )
    return Path(path).parent
