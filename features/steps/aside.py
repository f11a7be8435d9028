"""Steps about the files that restores put aside."""

import contextlib
import signal
import threading

from behave import then, when
from forked import die, forked

from cleveragents.errors import CleverAgentsError
from cleveragents.snapshots.archive import MAIN


@when("a process that restores the tree is killed before it removes what it put aside")
def restore_and_die(context):
    def work():
        context.kept.open()
        put_back(context)
        die()

    assert forked(work) == -signal.SIGKILL


@when("the tree is restored, and what it put aside is still there")
def put_back(context):
    tree = context.kept
    tree.archive.put_back(tree.archive.load(tree.latest), {MAIN: tree.tree}, tree.staging)


@when("the tree is restored while somebody else fills the disk")
def restore_on_full_disk(context):
    context.kept.on_read = lambda _: _fill(context.kept)
    try:
        context.kept.restore()
    finally:
        context.kept.on_read = None


@when("a restore of the tree is tried while somebody else fills the disk")
def try_on_full_disk(context):
    context.error = None
    try:
        restore_on_full_disk(context)
    except (CleverAgentsError, OSError) as error:
        context.error = error


def _fill(tree):
    """Leaves no room, once, when the first file is being built."""
    ballast = tree.home / "ballast"
    if tree.is_placing and not ballast.exists():
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 12))


@when("the tree is restored with no thread to be had")
def restore_without_threads(context):
    """A stack that does not fit in the address space cannot be given to a thread."""

    def work():
        context.kept.open()
        put_back(context)
        threading.stack_size(1 << 46)
        context.kept.archive.purge(context.kept.staging)
        context.kept.archive.wait_for_purging()

    assert forked(work) == 0


@then("{count:d} files lie aside")
def check_aside(context, count):
    context.kept.archive.wait_for_purging()
    found = list(context.kept.staging.glob("aside-*"))
    assert len(found) == count, found


@then("a capture of the tree tells nothing")
def check_capture(context):
    told = context.kept.capture().not_captured
    assert told == (), told
