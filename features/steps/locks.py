"""Steps about locks: who has one, who wants it, and what they are answered."""

import contextlib
import json
import os
import signal
import subprocess
import threading
from dataclasses import replace

from behave import then
from console_pages import matches
from plans import alive
from world import wait_until

from cleveragents.errors import Busy
from cleveragents.storage import lock
from cleveragents.storage.kernel_locks import LOCKS, holders
from cleveragents.storage.lock import FileLock, Locks
from cleveragents.storage.owner import Owner, start_time

SLEEPS = ("sh", "-c", "echo held; exec sleep 600")
THEIRS = "it is theirs"


class Wanted:
    """A plan with its lock: as this process knows it, and as others do."""

    def __init__(self, home):
        self.path = home / "locks" / "plan-one.lock"
        self.ours = self.others()
        self.afterwards = []  # what is to be seen once it is free again

    def others(self):
        """The locks as another process has them."""
        return Locks(self.path.parent, "plan")

    def check_owned(self, owned):
        """Whoever looks sees whether it is owned: we, another thread, another process."""
        looks = (self.ours.is_owned, self.others().is_owned)
        seen = [look("one") for look in looks] + [in_thread(lambda: looks[0]("one"))]
        assert seen == [owned] * 3, seen


# --- Who has it -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _owner(plan):
    with plan.ours.own("one", "owning it"):
        plan.check_owned(True)
        yield
    plan.check_owned(False)


@contextlib.contextmanager
def _unnamed(plan):
    with _owner(plan):
        plan.path.write_text("not JSON")
        yield


@contextlib.contextmanager
def _sharing(plan):
    with FileLock(plan.path, doing="one", shared=True), FileLock(plan.path, doing="", shared=True):
        yield


@contextlib.contextmanager
def _released(plan):
    with _owner(plan):
        pass
    assert plan.path.exists()
    yield


@contextlib.contextmanager
def _process(plan):
    """A process of another program; it has what locks the plan, and is not named."""
    plan.path.parent.mkdir(exist_ok=True)
    command = ["flock", "--no-fork", "-x", plan.path, *SLEEPS]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        plan.check_owned(True)
        try:
            yield holder
        finally:
            holder.kill()


@contextlib.contextmanager
def _killed(plan):
    with _process(plan) as holder:
        assert not FileLock(plan.path, doing="waiting").try_acquire()
    assert not alive(holder.pid)
    yield


@contextlib.contextmanager
def _awaited(plan):
    with plan.ours.own("one", "owning it"):  # it is the other one's at once afterwards
        waiting = subprocess.Popen(["flock", plan.path, "true"])
        wait_until(lambda: _waits(waiting.pid), "one that waits for the lock")
        yield
    assert waiting.wait(60) == 0


def _waits(pid):
    """Whether a process waits for a lock that somebody else has."""
    lines = map(str.split, LOCKS.read_text().splitlines())
    return any(words[1] == "->" and words[5] == str(pid) for words in lines)


HAVING = {
    "nobody ever": lambda _: contextlib.nullcontext(),
    "nobody any more": _released,
    "this thread": _owner,
    "this thread, another one": lambda plan: plan.ours.own("other", "waiting"),
    "one whom its file does not name": _unnamed,
    "two who share it": _sharing,
    "a process that was killed": _killed,
    "one for whom another one waits": _awaited,
}


# --- Who wants it ---------------------------------------------------------------------------------


def _own(plan, locks):
    with locks.own("one", "wanting it") as taken, locks.own("one", "once more") as again:
        assert not again
        assert not taken or b"wanting it" in plan.path.read_bytes()
        return THEIRS if taken else "it is theirs already"


def _share(plan):
    with FileLock(plan.path, doing="sharing it", shared=True):
        return THEIRS


def _read(plan):
    """Reads in a thread, which may have to wait until the lock is free."""
    read, locks = threading.Event(), plan.others()

    def reader():
        with locks.reading("one", "making a sandbox"), locks.reading("one", "making another"):
            read.set()

    thread = threading.Thread(target=reader)
    thread.start()
    answer = THEIRS if read.wait(0.1) else "it has to wait"
    plan.afterwards += [thread.join, lambda: _assert(read.is_set(), "it waits for ever")]
    return answer


WANTING = {
    "this thread": lambda plan: _own(plan, plan.ours),
    "another thread": lambda plan: in_thread(lambda: _own(plan, plan.ours)),
    "another process": lambda plan: _own(plan, plan.others()),
    "one who would share it": _share,
    "one who reads it": _read,
}


def in_thread(function):
    """Runs it in a thread of its own; returns what it returned, or raises what it raised."""
    found = []

    def work():
        try:
            found.append(function())
        except Busy as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(found[0], Busy):
        raise found[0]
    return found[0]


@then("whoever wants a plan is answered")
def check_wanting(context):
    for row in context.table:
        plan = Wanted(context.world.home)
        with HAVING[row["had by"]](plan):
            found = _answered(lambda row=row, plan=plan: WANTING[row["wanted by"]](plan))
        for look in plan.afterwards:
            look()
        _check(found, row["answer"], row.cells)


@then("of a lock the kernel tells who has it")
def check_holders(context):
    for row in context.table:
        plan = Wanted(context.world.home / row["had by"])
        plan.path.parent.parent.mkdir()
        with HAVING[row["had by"]](plan):
            found = holders(plan.path)
        assert found == ([os.getpid()] if row["told"] == "this process" else []), (row, found)


# --- Who takes it over ----------------------------------------------------------------------------


def _of(process, **changed):
    """The owner that a process is, or one that differs in something."""
    owner = Owner(process.pid, start_time(process.pid), "yesterday", "sleeping")
    return json.dumps(vars(replace(owner, **changed)))


def _gone():
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    return gone


NAMED = {
    "that process": _of,
    "one that had its pid before": lambda process: _of(process, started="1"),
    "one that is gone": lambda _: _of(_gone(), doing="gone by now"),
    "nothing that can be read": lambda _: "not JSON",
}


@then("whoever takes a plan over is answered")
def check_taking_over(context):
    for row in context.table:
        plan = Wanted(context.world.home)
        with _had_by(row["had by"], plan) as process:
            if row["its file names"]:
                plan.path.write_text(NAMED[row["its file names"]](process))
            found = _answered(lambda row=row, plan=plan: _take_over(plan, row["answer"]))
            _check(found, row["answer"], row.cells)
            if found == "it was ended":
                assert process.wait(10) == -signal.SIGKILL, process.returncode
            assert found == "it was ended" or process is None or process.poll() is None, row.cells


@contextlib.contextmanager
def _had_by(who, plan):
    if who == "another process":
        with _process(plan) as process:
            yield process
    else:
        with HAVING[who](plan):
            yield None


def _take_over(plan, expected):
    before = lock.END_SECONDS
    lock.END_SECONDS = 0.1 if expected.startswith("busy") else before
    try:
        return "it was ended" if plan.others().end_owner("one") else "nobody had it"
    finally:
        lock.END_SECONDS = before


# --- What they are answered -----------------------------------------------------------------------


def _answered(act):
    try:
        return act()
    except Busy as error:
        assert (error.code, error.exit_code) == ("busy", 4), error
        return error.message


def _check(found, expected, row):
    """PID stands for this process, … for anything."""
    assert matches([expected.replace("PID", str(os.getpid()))], [found]), (row, found)


def _assert(is_so, otherwise):
    assert is_so, otherwise
