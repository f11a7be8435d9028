"""Counts what makes time: calls of a few functions of this thread, and what is said to SQLite.

Nothing is put in the place of anything: Python tells each call, and SQLite each statement.
"""

import gc
import os
import sqlite3
import sys
from collections import Counter

from cleveragents.snapshots.store.pack import Pack
from cleveragents.snapshots.tree.manifest import object_id
from cleveragents.snapshots.tree.scan import Scanner
from cleveragents.snapshots.tree.tracker import Tracker
from cleveragents.snapshots.tree.watch import Watcher

CALLS = {
    Tracker.state.__code__: "looks",
    Scanner.everything.__code__: "looks at everything",
    Pack.stored.__code__: "objects read",
    object_id.__code__: "objects hashed",
    Pack.base.__code__: "searches for what an object is a difference to",
    object_id.__code__: "hashes",
    Watcher.add.__code__: "directories watched",
}
OF_THE_SYSTEM = {os.open: "opened", os.stat: "asked for by name", os.fstat: "asked for when open"}


def counted(act):
    """Does it; returns how often each thing happened."""
    found = Counter()

    def called(frame, event, function):
        if event == "call" and frame.f_code in CALLS:
            found[CALLS[frame.f_code]] += 1
        elif event == "c_call" and function in OF_THE_SYSTEM:
            found[OF_THE_SYSTEM[function]] += 1

    def told(statement):
        found["commits" if statement == "COMMIT" else "statements"] += not _is_a_part(statement)

    connections = [one for one in gc.get_objects() if _is_open(one)]
    for connection in connections:
        connection.set_trace_callback(told)
    sys.setprofile(called)
    try:
        act()
    finally:
        sys.setprofile(None)
        for connection in connections:
            connection.set_trace_callback(None)
    return found


def _is_open(one):
    """Whether something is a connection that was not closed."""
    try:
        return isinstance(one, sqlite3.Connection) and one.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False


def _is_a_part(statement):
    """What SQLite does by itself for keys of other tables is told as a comment."""
    return statement.startswith(("--", "BEGIN"))
