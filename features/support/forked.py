"""Runs a part of a test in a process of its own, to be killed, limited or left waiting."""

import os
import signal
import traceback
from pathlib import Path

from coverage import Coverage

from cleveragents.snapshots.write import renaming
from cleveragents.storage.unit_of_work import UnitOfWork

RENAMES = ("rename", "place_new", "swap")
POINTS = ("open", *RENAMES, "unlink", "mkdir", "rmdir", "symlink", "fchmod", "utime")


class Watched:
    """The module `os`, or another one, with a hand on every call that changes files."""

    def __init__(self, on_point, names=POINTS, module=os):
        self._on_point = on_point
        self._names = names
        self._module = module

    def __getattr__(self, name):
        found = getattr(self._module, name)
        if name not in self._names:
            return found

        def called(*args, **options):
            self._on_point(name)
            return found(*args, **options)

        return called


def watch(module, on_point, names=POINTS):
    """Lays a hand on the calls by which a module that places files changes them."""
    module.os = Watched(on_point, names)
    module.renaming = Watched(on_point, names, renaming)


def unwatch(module):
    """Takes the hand off again."""
    module.os, module.renaming = os, renaming


def forked(function):
    """Runs the function in a child; returns its exit code, negative for a signal."""
    return ended(start(function))


def start(function):
    """Starts the function in a child; returns its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        function()
        code = 0
    except BaseException:  # noqa: BLE001 - this process ends here, whatever it was
        traceback.print_exc()
    finally:
        os._exit(code)


def save_coverage():
    """Keeps what was covered in this process, if it may: Python is told of no end of it."""
    coverage = Coverage.current()
    if coverage is not None and os.access(Path(coverage.config.data_file).parent, os.W_OK):
        coverage.stop()
        coverage.save()


def ended(pid):
    """Waits for a child; returns its exit code, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def die():
    """Ends this process as a power cut would: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


def until_transaction(number, act):
    """Acts in this process and dies as the transaction of that number is about to end."""
    ended = iter(range(number + 1))
    leave = UnitOfWork.__exit__

    def leave_or_die(self, *error):
        if next(ended) == number:
            die()
        return leave(self, *error)

    UnitOfWork.__exit__ = leave_or_die
    act()


def beside(context, begin):
    """Starts a process that begins something and holds on to it until the scenario ends."""
    ready, say_ready = os.pipe()
    wait, let_go = os.pipe()

    def work():
        os.close(let_go)
        held = begin()
        os.write(say_ready, b"x")
        os.read(wait, 1)
        del held

    pid = start(work)
    os.close(say_ready)
    os.close(wait)
    assert os.read(ready, 1) == b"x"
    os.close(ready)
    context.add_cleanup(ended, pid)
    context.add_cleanup(os.close, let_go)  # cleanups run in reverse order
