"""Steps about somebody else who is at work on something of ours."""

import os
import signal
import sqlite3

from behave import given, when
from forked import start

from cleveragents.storage.lock import FileLock, Locks


@given("somebody else is at work on {what}")
def begin(context, what):
    context.ends = BEGUN[what](context)


@when("nobody else is at work on it any more")
def end(context):
    context.ends()


def _apply(context):
    """In another process: a lock is shared by all that this one does."""
    world = context.world
    project_id = world.plan.project_id
    reading, writing = os.pipe()

    def hold():
        with Locks(world.data_dir / "locks", "project").own(project_id, "applying"):
            os.write(writing, b"x")
            signal.pause()

    pid = start(hold)
    os.read(reading, 1)
    context.add_cleanup(os.waitpid, pid, 0)
    context.add_cleanup(os.kill, pid, signal.SIGKILL)


def _write_to_store(context):
    """Its lock may be taken before there is one."""
    ((project_id,),) = context.world.sql("SELECT project_id FROM projects")
    path = context.world.data_dir / "projects" / project_id / "store" / "store.lock"
    lock = FileLock(path, doing="writing", shared=True)
    assert lock.try_acquire()
    return lock.release


def _write_to_database(context):
    writer = sqlite3.connect(context.world.data_dir / "cleveragents.db", isolation_level=None)
    context.add_cleanup(writer.close)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE plans SET name = 'never committed'")
    return writer.close


BEGUN = {"the project": _apply, "the store": _write_to_store, "the database": _write_to_database}
