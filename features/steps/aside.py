"""Steps about the files that restores put aside."""

import contextlib
import os
import signal
import threading

from behave import then, when
from forked import Watched, die, forked

from cleveragents.errors import CleverAgentsError
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.write import aside


@when("a process that restores the tree is killed before it removes what it put aside")
def restore_and_die(context):
    def work():
        context.kept.open()
        _leaving_aside(context.kept)
        die()

    assert forked(work) == -signal.SIGKILL


@when("the tree is restored {how}")
def restore(context, how):
    WAYS[how](context.kept)


@when("a restore of the tree is tried {how}")
def try_restore(context, how):
    context.error = None
    try:
        restore(context, how)
    except (CleverAgentsError, OSError) as error:
        context.error = error


def _leaving_aside(kept):
    snapshot, roots = kept.archive.load(kept.latest), {MAIN: kept.tree}
    kept.archive.go(kept.archive.way_to(snapshot, roots), snapshot, roots, kept.staging)


def _on_filling_disk(kept):
    """Leaves no room, once, when the first file is being built."""
    ballast = kept.home / "ballast"

    def fill(_):
        if kept.is_placing and not ballast.exists():
            with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 12))

    kept.on_read = fill
    try:
        kept.restore()
    finally:
        kept.on_read = None


def _while_it_is_emptied(kept):
    """Empties what went, as who had it open might, before anything is taken from it."""
    _doing_to_what_went(kept, lambda path: os.truncate(path, 0))


def _while_a_pipe_is_there(kept):
    """Of a pipe the system copies no part, as of files on some file systems."""

    def pipe(path):
        path.unlink()
        os.mkfifo(path)

    _doing_to_what_went(kept, pipe)


def _doing_to_what_went(kept, act):
    """Does something to all that lies aside when the first file is being built."""

    def once(_):
        if kept.is_placing:
            kept.on_read = None
            for path in kept.staging.glob("aside-*"):
                act(path)

    kept.on_read = once
    kept.restore()
    assert kept.on_read is None, "nothing was built"


def _without_threads(kept):
    """A stack that does not fit in the address space cannot be given to a thread."""

    def work():
        kept.open()
        _leaving_aside(kept)
        threading.stack_size(1 << 46)
        kept.archive.purge(kept.staging)
        kept.archive.wait_for_purging()

    assert forked(work) == 0


def _while_another_goes_aside(kept):
    """Puts a file aside when removing has begun: only the next restore knows what it held."""

    def put_aside(_):
        (kept.staging / "aside-next").touch()

    aside.beneath = Watched(put_aside, ["root_directory"], beneath)
    try:
        kept.restore()
        kept.archive.wait_for_purging()
    finally:
        aside.beneath = beneath


WAYS = {
    "while something else goes aside": _while_another_goes_aside,
    "without removing what it put aside": _leaving_aside,
    "while somebody else fills the disk": _on_filling_disk,
    "while somebody empties what went": _while_it_is_emptied,
    "while a pipe takes the place of what went": _while_a_pipe_is_there,
    "with no thread to be had": _without_threads,
}


@then("{count:d} files lie aside")
def check_aside(context, count):
    context.kept.archive.wait_for_purging()
    found = list(context.kept.staging.glob("aside-*"))
    assert len(found) == count, found


@then("a capture of the tree tells nothing")
def check_capture(context):
    told = context.kept.capture().not_captured
    assert told == (), told
