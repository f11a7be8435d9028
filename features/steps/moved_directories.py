"""Steps about protected directories that are moved while agents work in them."""

import contextlib
import json
import os
import re
import time

from behave import given, then, when
from hooked import told_to
from keepers import make_protected, start_keeper

from cleveragents.app import App
from cleveragents.hooks import roots, spool
from cleveragents.hooks.recorder import ChatRecorder

TURN = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
FIRST = "nobody was here\n"


class Failing(ChatRecorder):
    """One that remembers what a keeper tells it of failures."""

    def __init__(self, data):
        super().__init__(lambda root: App(root, data_dir=data, cwd=root), data)
        self.failures = []


@given("a protected project with a keeper that records")
def make_recording(context):
    make_protected(context, 20.0)
    (context.world.project / "file").write_text(FIRST)
    context.recorder = Failing(context.world.data_dir)
    context.add_cleanup(context.recorder.close)
    start_keeper(context)


@when("an agent works here")
def work(context):
    work_in(context, context.world.project, context.world.project)


@when('an agent works in "{name}" and tells the path that it {tells}')
def work_there(context, name, tells):
    world = context.world
    told = {"had": world.project, "has": world.home / name, "is not in": ""}[tells]
    work_in(context, world.home / name, told)


def work_in(context, directory, told):
    """Tells of one turn with one call, from the directory that the agent is in."""
    hooks = context.hooks
    payload = hooks.payload("change it", told)
    with contextlib.chdir(directory):
        for event in TURN:
            if event == "PostToolUse":
                (directory / "file").write_text(f"{hooks.calls}\n")
            payload["cwd"] = str(told)
            context.printed += hooks.hear(f"claude:{event}", payload)
    assert context.printed == "", context.printed
    assert context.recorder.failures == [], context.recorder.failures


@when("I run the fork that the error names")
def run_fork(context):
    named = re.search(r"agents (plan fork \S+ cp[0-9]+)", context.world.done.err)
    context.world.done = context.world.agents(*named[1].split())


@when("there is another directory in its old place")
def another(context):
    context.world.project.mkdir()


@when("the chats of the project are those of another directory")
def others(context):
    """As if they had been recorded of one that is still there."""
    context.world.sql("UPDATE chats SET root_inode = '1'")


@when("an event of this directory lies in the spool")
def put(context):
    told = told_to(context.world.project)
    line = {"root": told.root, "identity": roots.identity(told.root), "event": dict(told.event)}
    spool.put(str(context.world.data_dir), time.time_ns(), json.dumps(line).encode())


@given('the settings of the project are "{text}"')
@given('the settings of the project are ""')
def settings(context, text=""):
    path = context.world.project / ".cleveragents" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


@then("{count:d} moments of {chats:d} chat are recorded, none of them late")
def recorded(context, count, chats):
    rows = context.world.sql("SELECT plan_id, is_late FROM moments")
    assert len(rows) == count, rows
    assert len({plan for plan, _ in rows}) == chats, rows
    assert not any(late for _, late in rows), rows


@then('"{name}" holds what was there before any agent came')
def as_before(context, name):
    assert (context.world.home / name / "file").read_text() == FIRST


@then('the error names the path it had and "{hint}"')
def names_path(context, hint):
    told = json.dumps(json.loads(context.world.done.out), ensure_ascii=False)
    assert os.fspath(context.world.project) in told, told
    assert hint in told, told


@then("the last moment is a prompt that came late")
def late_prompt(context):
    rows = context.world.sql("SELECT kind, is_late FROM moments ORDER BY number")
    assert rows[-1] == ("prompt", 1), rows


@when("an agent tells of a directory that is gone, and is in it")
def tell_of_gone(context):
    gone = context.world.home / "gone"
    gone.mkdir()
    with contextlib.chdir(gone):
        gone.rmdir()
        payload = context.hooks.payload("change it", gone)
        assert context.hooks.hear("claude:UserPromptSubmit", payload) == ""


@then("no moment is recorded")
def none_recorded(context):
    there = (context.world.data_dir / "cleveragents.db").exists()
    assert not there or context.world.sql("SELECT * FROM moments") == []
    assert context.recorder.failures == [], context.recorder.failures
