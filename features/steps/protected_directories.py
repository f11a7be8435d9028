"""Steps about protected directories, and about proving that hooks work there."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

from behave import given, then, when
from protect import plain, settings_of, split
from world import wait_until

from cleveragents.chats.event import EventKind, HookEvent
from cleveragents.cli.protect import refuse_elsewhere
from cleveragents.clients.client import CLIENTS
from cleveragents.clients.firing import fire, started
from cleveragents.engine.chat.protection import Protection
from cleveragents.errors import Refused
from cleveragents.sandbox.project import Project
from cleveragents.storage.owner import process_fields
from cleveragents.storage.place import fuse_network_of

# What a hook does in the end: it records the event that it was told.
HOOK = """#!{python}
import json, sys
from cleveragents.app import App
from cleveragents.chats.event import HookEvent
from cleveragents.hooks.payloads import event_of
client, _, name = sys.argv[1].partition(":")
event = HookEvent.from_record(event_of(client, name, json.load(sys.stdin)))
with App(event.cwd, data_dir={data!r}) as app:
    app.chats.record(event)
"""


def roots(context):
    """The lines of the list, read as hooks read them."""
    lines = (context.world.data_dir / "protected").read_text().splitlines()
    return [json.loads(line) for line in lines]


@then("the protected directories are the project alone")
def project_alone(context):
    there = context.world.project.stat()
    (root,) = roots(context)
    expected = {
        "path": str(context.world.project),
        "device": there.st_dev,
        "inode": there.st_ino,
    }
    assert {**root, "path": os.path.realpath(root["path"])} == expected, root


@then("the list of them is for its owner alone")
def list_is_private(context):
    mode = (context.world.data_dir / "protected").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600, oct(mode)


@then('{count:d} directories are protected, the last one is "{name}"')
def many_protected(context, count, name):
    paths = [root["path"] for root in roots(context)]
    assert len(paths) == count, paths
    assert paths[-1] == str(context.world.home / name), paths


@then('programs are told that {files:d} files are covered and {left:d} of "{path}" are not')
def told_covered(context, files, left, path):
    data = context.world.done.data
    assert (data["covered_files"], data["covered_bytes"] > 0) == (files, True), data
    told_left_out(context, left, path)


@then('programs are told that {left:d} of "{path}" are not covered')
def told_left_out(context, left, path):
    found = [(one["path"], one["files"]) for one in context.world.done.data["left_out"]]
    assert found == [(path, left)], found


@then("the keeper is asked to end")
def end_keeper(context):
    done = context.world.agents("keeper", "stop", "--format", "json")
    assert done.code == 0, done


@then("no directory is protected")
def none_protected(context):
    assert roots(context) == []


@given("the list of protected directories has lines that are none")
def wrong_lines(context):
    context.world.data_dir.mkdir(exist_ok=True)
    lines = ["", "{", "[]", '{"path": 3}', '{"path": "/x", "device": "y", "inode": 1}']
    (context.world.data_dir / "protected").write_text("\n".join(lines))


@when("the kernel, which takes every file system for NFS, runs the check of the directory")
def checked_as_network(context):
    """Asks the very functions, in a process whose calls of statfs are answered so."""
    program = (
        "import sys; from pathlib import Path\n"
        "from cleveragents.engine.chat.protection import Protection\n"
        "from cleveragents.sandbox.project import Project\n"
        "path = Path(sys.argv[1]).resolve(); Protection(path).refuse_network(Project(path))\n"
    )
    trace = ["-e", "trace=statfs", "-e", "inject=statfs:poke_exit=@arg2=6969000000000000"]
    log = str(context.world.home / "strace.log")
    done = subprocess.run(
        ["strace", "-f", "-qq", "-o", log, *trace, sys.executable, "-c", program, "."],
        cwd=context.world.project,
        capture_output=True,
        text=True,
        check=False,
    )
    context.told = done.stderr


@when('the table of mounts says "{kind}" of a device of FUSE')
def told_by_mounts(context, kind):
    mounts = (
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        f"61 22 0:55 / /mnt/a\\040b rw,nosuid - {kind} me@host:/home rw,user_id=0\n"
    )
    assert fuse_network_of(mounts, os.makedev(8, 1)) is None
    assert fuse_network_of(mounts, os.makedev(0, 56)) is None
    context.kind = fuse_network_of(mounts, os.makedev(0, 55))


@then("that device is taken for {kind}")
def taken_for(context, kind):
    assert (context.kind or "this machine's") == kind, context.kind


@then('that is refused because it is "{why}"')
def refused_as(context, why):
    assert f"Refused: {context.world.project} is {why}" in context.told, context.told


@then('on a platform called "{other}" it is refused, on "{ours}" it is not')
def refused_on(context, other, ours):
    refuse_elsewhere(ours)
    try:
        refuse_elsewhere(other)
    except Refused as error:
        assert "Linux" in error.message, error
    else:
        raise AssertionError("it was not refused")


@then("the hook in the data directory is a program of its owner alone")
def hook_is_program(context):
    hook = context.world.data_dir / "hook"
    assert stat.S_IMODE(hook.stat().st_mode) == 0o700, oct(hook.stat().st_mode)
    context.hook = getattr(context, "hook", None) or hook.read_bytes()


@given("the hook in the data directory is that of an older version")
def old_hook(context):
    (context.world.data_dir / "hook").write_text("#!/bin/sh\nexec /gone/python\n")
    (context.world.data_dir / "hook").chmod(0o600)


@then("the hook in the data directory is as it was at first")
def hook_as_at_first(context):
    assert (context.world.data_dir / "hook").read_bytes() == context.hook


@then('only "{name}" is still protected, as programs are told')
def still_protected(context, name):
    found = context.world.done.data["still_protected"]
    assert [Path(one).name for one in found] == [name], found


@then('nothing is left of hooks, neither at home nor in "{name}"')
def nothing_left(context, name):
    places = [context.world.home / place for place in ("home", "xdg", name)]
    left = [path for place in places for path in place.rglob("*")]
    assert not left, left


@then('the scenario\'s "{directory}" holds "{name}" alone')
def scenario_holds(context, directory, name):
    assert os.listdir(context.world.home / directory) == [name]


@then("the settings of {client} hold no hook")
def hold_no_hook(context, client):
    path = settings_of(context, client)
    assert not path.exists() or not split(context, plain(path.read_text()))[0], path.read_text()


@given("the program of claude is none")
def failing_program(context):
    program = context.world.home / "bin" / "claude"
    program.write_text("no program at all")
    program.chmod(0o755)


@then("the check of claude says that it has no hooks")
def has_none(context):
    data = context.world.done.data
    (row,) = data["clients"]
    assert (row["name"], row["level"], row["command_ok"]) == ("claude", None, False), row
    assert "it has no hooks" in row["needs"][0], row
    assert data["root"] == str(context.world.project), data
    assert data["data_dir"] == str(context.world.data_dir), data


@then("the check of {client} has found its row, and a keeper")
def found_row(context, client):
    (row,) = context.world.done.data["clients"]
    assert (row["name"], row["command_ok"], row["row_seen"]) == (client, True, True), row
    context.keeper = context.world.done.data["keeper"]
    assert Path(f"/proc/{context.keeper}").exists(), context.world.done.data


@then("that keeper has ended")
def keeper_ended(context):
    # Where tests have run steps before, orphans are theirs: what has ended waits to be told so.
    wait_until(lambda: (process_fields(context.keeper) or "Z")[0] == "Z", "its end")


def check(context, client, hook):
    """Checks the hooks of a client, with another program behind them."""
    world = context.world
    world.variables["CLEVERAGENTS_CHAT_FIRST_LOOK"] = "1"
    app = world.app()
    if hook is None:
        (world.data_dir / "hook").unlink()
    else:
        (world.data_dir / "hook").write_text(hook)
    with world.variables_set():
        context.rows = app.chats.probe.of([CLIENTS[client]])


@when("the hook in the data directory is gone and the hooks of {client} are checked")
def check_without(context, client):
    check(context, client, None)


@when("the hook does nothing and the hooks of {client} are checked")
def check_idle(context, client):
    check(context, client, "#!/bin/sh\n")


@when("the hooks of {client} are checked")
def check_with(context, client):
    data = str(context.world.data_dir)
    check(context, client, HOOK.format(python=sys.executable, data=data))


@then('the check of claude has version "{version}" and level {level}')
def has_version(context, version, level):
    (row,) = context.rows
    assert (row.version, row.level) == (version, level), row


@then("its command is good, its event was recorded and it needs nothing")
def is_good(context):
    (row,) = context.rows
    assert row.command_ok, row
    assert row.row_seen, row
    assert row.works, row
    assert row.needs == (), row


@then("its command is bad and its event was not recorded")
def is_bad(context):
    assert [(row.command_ok, row.row_seen) for row in context.rows] == [(False, False)] * 2


@then("none of it works")
def nothing_works(context):
    assert not any(row.works for row in context.rows), context.rows


@then('it needs "{what}"')
def it_needs(context, what):
    needs = [need for row in context.rows for need in row.needs]
    assert any(what in need for need in needs), needs


@then("it needs nothing, and has had an event")
def needs_nothing(context):
    (row,) = context.rows
    assert row.needs == (), row
    assert row.last_event_at is not None, row


@then("no chat is left of it")
def no_chat_left(context):
    for table in ("chats", "moments", "plans"):
        assert context.world.sql(f"SELECT count(*) FROM {table}") == [(0,)], table


@when("codex has really begun a conversation here")
def real_event(context):
    event = HookEvent("codex", "s1", EventKind.START, str(context.world.project))
    with context.world.app() as app:
        app.chats.record(event)


@then("a hook that speaks is bad, and one that takes too long as well")
def speaking_hook(context):
    data, root = context.world.data_dir, context.world.project
    for client in ("opencode", "copilot"):
        payload = started(CLIENTS[client], "s", root)
        assert fire("cat >/dev/null", data, payload, root, 5), "a silent one is good"
        assert not fire("echo word", data, payload, root, 5)
        assert not fire("echo word >&2", data, payload, root, 5)
        assert not fire("exit 3", data, payload, root, 5)
        assert not fire("exec sleep 60", data, payload, root, 0)
        assert Protection(data).is_protected(Project(root))
