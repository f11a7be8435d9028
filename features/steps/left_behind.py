"""Steps about daemons that a killed run leaves, and who else works in a sandbox."""

import contextlib
import math
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path

import pexpect
from behave import given, then, when
from forked import ended, start
from ordinary import NOBODY, become_ordinary, hand_over
from world import Done, wait_until

from cleveragents.errors import Failed
from cleveragents.sandbox import bystanders

DAEMONS = {
    "writes into the sandbox": "while :; do echo x >> ticks; sleep 0.02; done",
    "works elsewhere, with a file open there": "exec 3>> ticks; cd /; while :; do sleep 0.02; done",
}


@given("the daemon {how}")
def choose_daemon(context, how):
    context.action.write_text(context.action.read_text().replace("DAEMON", DAEMONS[how]))


@given("{user} has run the plan until it was killed in its second step")
def run_until_killed(context, user):
    world = context.world
    if user != "root":
        hand_over(world.home)
    pid = start(lambda: _as(user, lambda: world.agents("run", context.action)))
    wait_until(lambda: _found(world, "first"), "the first step")
    tree = _found(world, "first")[0].parent
    # Who is there already, and who has a terminal: neither is the second step's.
    become = None if user == "root" else become_ordinary
    whose = {} if become is None or os.geteuid() else {"user": NOBODY, "group": NOBODY}
    before = subprocess.Popen(["sleep", "1000"], cwd=tree, start_new_session=True, **whose)
    context.add_cleanup(before.wait)
    context.add_cleanup(before.kill)
    world.gate.touch()
    wait_until(lambda: _found(world, "started"), "the second step")
    daemon = tree / "daemon"
    wait_until(lambda: daemon.exists() and daemon.read_text().endswith("\n"), "the daemon")
    shell = pexpect.spawn("/bin/sh", cwd=str(tree), preexec_fn=become)
    context.add_cleanup(shell.close, force=True)
    context.others = [before.pid, shell.pid]
    os.kill(pid, signal.SIGKILL)
    assert ended(pid) == -signal.SIGKILL
    context.daemon_pid = int(daemon.read_text())
    context.add_cleanup(_end, context.daemon_pid)


@when('as {user} "agents {line}" is run afterwards')
def run_as(context, user, line):
    """In a process of its own: this one must not adopt what the step left."""
    world = context.world
    if user == "root":
        world.agents_beside(*shlex.split(line))
        world.end_of_child()
        return
    told = world.home / "told"

    def act():
        done = world.agents(*shlex.split(line))
        told.write_text(done.err)
        os._exit(done.code)

    hand_over(world.home)
    code = ended(start(lambda: _as(user, act)))
    world.done = Done(code, "", told.read_text())


@then("the command has {done} {whom}")
def check_fate(context, done, whom):
    """Ended, or named because it goes on."""
    pids = {"the daemon": [context.daemon_pid], "all others": context.others}[whom]
    assert [_lives(pid) for pid in pids] == [done == "named"] * len(pids), pids
    if done == "named":
        _assert_named(context, pids)


@then("whoever is at work in a directory and does not end in time is told, and then ended")
def told_if_it_stays(context):
    home = context.world.home
    process = subprocess.Popen(["sleep", "1000"], cwd=home, start_new_session=True)
    context.add_cleanup(process.wait)
    context.add_cleanup(process.kill)
    ground = bystanders.Ground(home, home / "data", home / "data" / "sandboxes")
    span = bystanders.Span(0, math.inf)
    context.add_cleanup(setattr, bystanders, "KILL_SECONDS", bystanders.KILL_SECONDS)
    bystanders.KILL_SECONDS = -1
    try:
        bystanders.end_those_of(span, ground)
    except Failed as error:
        assert str(process.pid) in error.message, error.message
    else:
        raise AssertionError("it was not told")
    bystanders.KILL_SECONDS = 60
    assert bystanders.end_those_of(span, ground) == []
    assert not _lives(process.pid)

    class Late(bystanders.Ground):
        def at_work(self):
            yield process.pid  # as it was when it was looked for

    told = bystanders.end_those_of(None, Late(home, home, home))
    assert told == [f"{process.pid} (just gone)"], told


def _assert_named(context, pids):
    told = context.world.done.err
    assert "still at work in the sandbox, and not ended" in told, told
    named = set(map(int, re.findall(r"(\d+) \(", told)))
    assert named >= set(pids), (pids, told)


def _as(user, act):
    """In a process that ends with it: an ordinary user cannot look at one that was root's."""
    if user != "root":
        become_ordinary()
    act()


def _found(world, name):
    return list(world.data_dir.glob(f"sandboxes/*/tree/{name}"))


def _lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _end(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
