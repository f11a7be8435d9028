"""Steps about groups of the system's that count what a command uses."""

import os
import subprocess
import sys
from unittest.mock import patch

from behave import given, then, when
from grouped import hand_on, top

from cleveragents.confinement import groups
from cleveragents.confinement.mounts import parsed

WAITS = [sys.executable, "-ISc", "import sys; print(); sys.stdout.flush(); sys.stdin.read()"]


@given("that user may make groups")
def may_make_groups(context):
    context.groups = hand_on(context, getattr(context, "whom", "root"))


@given("nobody counts in groups")
def count_nowhere(context):
    _make_in(context, None)


@given("groups are made there")
def make_there(context):
    _make_in(context, context.groups)


def _make_in(context, place):
    patched = patch.object(groups, "home", return_value=place)
    patched.start()
    context.add_cleanup(patched.stop)


@then("no group is left")
def check_none(context):
    assert not list(context.groups.glob("cleveragents-*"))


@given("a group was left by a process that was killed, and one is in use")
def leave_group(context):
    held = groups.group(context.groups)
    context.used = held.__enter__().place
    context.add_cleanup(held.__exit__, None, None, None)
    (context.groups / "cleveragents-left").mkdir()


@then("of the groups only the one in use is left")
def check_one(context):
    assert list(context.groups.glob("cleveragents-*")) == [context.used]


@given("a group that counts nothing")
def make_group(context):
    context.groups = top()
    if context.groups is None:
        context.scenario.skip("no groups of version 2 for us")


@when('it is started in that group with the act "{acts}"')
@when('it is started in that group with the act ""')
def start_in_group(context, acts=""):
    launcher = context.launcher
    with groups.group(context.groups) as made:
        context.name = made.place.name
        launcher.handed = (made.joining,)
        launcher.run(f"{acts} join {made.joining}; run cat /proc/self/cgroup")


@then("its command was in that group")
def check_joined(context):
    launcher = context.launcher
    assert (launcher.code, launcher.answer) == (0, b""), (launcher.answer, launcher.err)
    assert context.name in launcher.out.decode(), launcher.out


@when("it is left while a process is in it")
def leave_while_used(context):
    context.process = subprocess.Popen(WAITS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    context.process.stdout.readline()
    with groups.group(context.groups) as made:
        context.left = made.place
        (made.place / "cgroup.procs").write_text(str(context.process.pid))


@then("that group is there")
def check_there(context):
    assert list(context.groups.glob("cleveragents-*")) == [context.left]


@when("that process has ended, and another group is made and left")
def make_another(context):
    context.process.communicate()
    with groups.group(context.groups):
        pass


@given('the table of mounts says "{mounted}", and this process is in "{own}"')
def say_mounts(context, mounted, own):
    place = context.world.home / "groups"
    before, after = mounted.split(" - ")
    root, _, options = before.split(" ", 2)
    kind, source, more = after.split(" ")
    shown = str(place).replace(" ", "\\040")
    line = f"29 1 0:26 {root} {shown} {options} - {kind} {source} {more}"
    context.table_of_mounts, context.own, context.groups = parsed(os.fsencode(line)), own, place


@given('groups below "{handed}" get memory and processes')
def say_handed(context, handed):
    place = context.groups
    (place / handed / "one").mkdir(parents=True)
    for path in (place, *place.rglob("*/")):
        given_on = "cpu memory pids" if path == place / handed else ""
        (path / "cgroup.subtree_control").write_text(given_on)
        (path / "cgroup.procs").touch()


@then('groups are made in "{where}"')
def check_home(context, where):
    found = groups.home_in(context.table_of_mounts, f"4:pids:/x\n0::{context.own}\n")
    expected = None if where == "nowhere" else context.groups / where
    assert found == expected, found
