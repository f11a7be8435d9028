"""Steps about finding plans, files and their versions."""

import io
import os
import re
import shlex
import signal
import stat
import subprocess

import pexpect
from behave import given, then, when
from crashes import Turn
from forked import die, forked
from world import Done, wait_until

from cleveragents.errors import Refused


@then("the list of plans is")
def list_is(context):
    for row in context.table:
        options = shlex.split(row["options"])
        names = row["names"].split(", ") if row["names"] else []
        listed = context.world.agents("plan", "list", *options, "--format", "json").data["plans"]
        assert [plan["name"] for plan in listed] == names, (row["options"], listed)
        shown = context.world.agents("plan", "list", *options, "--format", "plain").out
        rows = shown.splitlines()[1:]
        assert len(rows) == len(names), shown
        assert all(map(str.endswith, rows, names)), shown


@then("these are found")
def found(context):
    for row in context.table:
        context.world.agents("find", row["path"], "--format", "json")
        listed = "; ".join(map(_told, context.world.done.data["changes"]))
        assert listed == row["found"], (row["path"], listed)


def _told(change):
    sizes = ["-" if change[key] is None else str(change[key]) for key in ("size_before", "size")]
    words = [change["plan"], change["checkpoint"], change["status"], change["path"], *sizes]
    return " ".join([*words, *(["left"] if change["left_behind"] else [])])


@given("the row of checkpoint {number:d} names a snapshot that is nowhere")
def name_nowhere(context, number):
    context.world.sql("UPDATE checkpoints SET sandbox_ref = ? WHERE seq = ?", "0" * 64, number)


def _printed(context, line):
    """What a command writes to a file: bytes, not text."""
    raw = io.BytesIO()
    words = shlex.split(line) if isinstance(line, str) else line
    arguments = ["--data-dir", context.world.data_dir, *words]
    with io.TextIOWrapper(raw, encoding="utf-8") as out:
        code = context.world.run_into(out, io.StringIO(), arguments)
        out.flush()
        return code, raw.getvalue()


@then('"agents {line}" prints exactly what the project has at')
def prints_what_is_there(context, line):
    for row in context.table:
        name = row["path"].encode().decode("unicode_escape").encode("latin-1")
        code, data = _printed(context, [*shlex.split(line), os.fsdecode(name)])
        assert code == 0
        with open(os.path.join(os.fsencode(context.world.project), name), "rb") as file:
            assert data == file.read(), name


@then('"agents {line}" exits with {code:d} and prints nothing')
def prints_nothing(context, line, code):
    assert _printed(context, line) == (code, b"")


@then('"agents {line}" exits with {code:d} and prints "{text}"')
def prints(context, line, code, text):
    assert _printed(context, line) == (code, f"{text}\n".encode())


@then('"agents {line}" makes the file "{name}" like "{other}" with the mode {mode}')
def makes_file(context, line, name, other, mode):
    context.world.agents(*shlex.split(line))
    made, wanted = (context.world.project / one for one in (name, other))
    assert made.read_bytes() == wanted.read_bytes()
    assert f"{stat.S_IMODE(made.stat().st_mode):o}" == mode


@then('the project\'s link "{name}" leads to "{target}"')
def leads_to(context, name, target):
    assert os.readlink(context.world.project / name) == target


@then("the output is drawn as")
def drawn_as(context):
    shown = context.world.done.out.rstrip("\n")
    assert shown.replace("\x1b", "") == context.text, shown


def _watch(context):
    """Starts to watch the latest plan, and waits until what was has been told."""
    told = context.world.home / "watched"
    watching = subprocess.Popen(
        context.world.command(["plan", "watch"]),
        cwd=context.world.project,
        env={**os.environ, **context.world.environment},
        stderr=told.open("w"),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: "cp1" in told.read_text(), "what is watched")
    return watching, told


def _watched(context, watching, told):
    out, _ = watching.communicate(timeout=60)
    context.world.done = Done(watching.returncode, out, told.read_text())


@when("somebody watches it, and the run is killed")
def watch_killed(context):
    watching, told = _watch(context)
    context.world.child.kill()
    context.world.end_of_child()
    _watched(context, watching, told)


@when("somebody watches it, and presses Ctrl-C")
def watch_interrupted(context):
    watching, told = _watch(context)
    watching.send_signal(signal.SIGINT)
    _watched(context, watching, told)


@when('somebody on a terminal watches it until it says "{text}", and the gate opens')
def watch_on_terminal(context, text):
    screen = context.world.agents_on_terminal("plan", "watch")
    screen.expect_exact(text)
    seen = screen.before
    context.world.gate.touch()
    screen.expect(pexpect.EOF)
    context.terminal_said = f"{seen}{text}{screen.before}"
    screen.close()
    context.world.end_of_child()
    context.world.done = Done(screen.exitstatus, context.terminal_said, "")


@then("the terminal has said, in this order")
def said_in_order(context):
    said, at = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", context.terminal_said), 0
    for row in context.table:
        at = said.find(row["text"], at)
        assert at >= 0, (row["text"], said)


@when('for the plan "{name}" I run "agents {line}"')
def run_for(context, line, name):
    """The word in capitals stands for it."""
    (found,) = context.world.sql("SELECT max(plan_id) FROM plans WHERE name = ?", name)
    context.world.agents(*(found[0] if word.isupper() else word for word in line.split()))


@then('no row, sandbox or output is left but those of "{names}"')
@then('no row, sandbox or output is left but those of ""')
def only_those(context, names=""):
    world = context.world
    plans = dict(world.sql("SELECT plan_id, name FROM plans"))
    assert sorted(plans.values()) == sorted(filter(None, names.split(", "))), plans
    for (table,) in world.sql("SELECT name FROM sqlite_master WHERE type = 'table'"):
        columns = [row[1] for row in world.sql(f"PRAGMA table_info({table})")]
        if "plan_id" in columns:
            found = {row[0] for row in world.sql(f"SELECT DISTINCT plan_id FROM {table}")}
            assert found <= plans.keys(), (table, found)
    homes = {path.split("/")[-2] for (path,) in world.sql("SELECT path FROM sandboxes")}
    assert {path.name for path in world.data_dir.glob("sandboxes/*")} <= homes
    assert {path.name for path in world.data_dir.glob("output/*")} <= plans.keys()


@then("the store holds what nobody needs no more")
def store_is_swept(context):
    """What was random and large is gone: nothing else in there is."""
    packs = context.world.data_dir.glob("projects/*/store/packs/*")
    kept = [row[0] for row in context.world.sql("SELECT sum(size_bytes) FROM checkpoints")]
    assert sum(path.stat().st_size for path in packs) < kept[0] + 1_000_000, kept


@then("a deletion that was shown before a checkpoint was made is refused")
def refused_deletion(context):
    app, plan_id = context.world.app(), context.world.plan.plan_id
    act = app.undertakings.delete_plan(plan_id, discard=True)
    shown = act.foresee().digest
    context.world.agents("plan", "checkpoint", "create", "@")
    try:
        act.carry_out(shown)
    except Refused as error:
        assert "has changed since you were shown this" in error.message
    else:
        raise AssertionError("it was deleted")


@given("deleting the plan has crashed just {moment} its rows go")
def crash_deletion(context, moment):
    turn = Turn("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM plans)")
    at = {"before": turn.beginning, "after": turn.begun}[moment]

    def until_then():
        with at(die):
            context.world.agents("plan", "delete", "@", "--discard", "--yes")

    assert forked(until_then) == -signal.SIGKILL
