"""Steps about what is recorded of chats."""

import json
import os
import subprocess

from behave import given, then, when
from chat_undo import chats

from cleveragents.storage.lock import Locks

CHECKPOINTS = "SELECT checkpoint_type FROM checkpoints ORDER BY seq"
MOMENTS = "SELECT kind FROM moments ORDER BY number"


@then('the checkpoints of the chat are "{kinds}"')
def checkpoint_kinds(context, kinds):
    found = [kind for (kind,) in context.world.sql(CHECKPOINTS)]
    assert found == kinds.split(", "), found


@then('every checkpoint lists "{names}" as not captured')
def not_captured(context, names):
    rows = context.world.sql("SELECT metadata_json FROM checkpoints")
    for (text,) in rows:
        listed = [line.partition(":")[0] for line in json.loads(text)["not_captured"]]
        assert ", ".join(listed) == names, listed


@then('the moments of the chat are "{kinds}"')
def moment_kinds(context, kinds):
    found = [kind for (kind,) in context.world.sql(MOMENTS)]
    assert found == kinds.split(", "), found


@then("there are {count:d} chats here")
def count_chats(context, count):
    assert len(chats(context).app.chats.undos.past().chats) == count


@then('nothing in the data directory holds "{text}"')
def nothing_holds(context, text):
    for path in context.world.data_dir.rglob("*"):
        if path.is_file():
            assert text.encode() not in path.read_bytes(), path


@given('the setting "{key}" is "{value}"')
def set_key(context, key, value):
    context.world.variables[f"CLEVERAGENTS_{key.upper().replace('.', '_').replace('-', '_')}"] = (
        value
    )


@then("no text of the chat is kept")
def no_text(context):
    assert {text for (text,) in context.world.sql("SELECT text FROM moments")} == {""}


@when("somebody else is at work on the directory and this chat goes on")
def beside_another(context):
    """Locks are of files: those of another application are as good as another process's."""
    ((project_id,),) = context.world.sql("SELECT project_id FROM projects")
    others = Locks(context.world.data_dir / "locks", "project")
    with others.own(project_id, "something else"):
        chats(context).play(context.text)


@then("the last event was late")
def was_late(context):
    assert chats(context).answers[-1].is_late
    assert context.world.sql("SELECT is_late, checkpoint_id FROM moments")[-1] == (1, None)


@then('the agent is answered "{answer}"')
@then('the agent is answered ""')
def answered(context, answer=""):
    assert chats(context).answers[-1].answer == answer, chats(context).answers[-1]


@given('the chat is of the client "{name}"')
def of_client(context, name):
    chats(context).client = name


@given("the client's process has ended")
def process_ended(context):
    played = chats(context)
    child = subprocess.Popen(["sleep", "60"])
    played.pid = child.pid
    played.play("prompt begin")
    child.kill()
    child.wait()


@given("a client in a process of its own plays this chat")
def play_of_process(context):
    """The process only lends its name: what it would tell is told here."""
    played = chats(context)
    context.client = subprocess.Popen(["/bin/sh", "-c", "read line; :"], stdin=subprocess.PIPE)
    context.world.child = context.client  # which ends it with the scenario
    played.pid = context.client.pid
    played.play(context.text)


@when("the client is killed, and nobody asks how it ended")
def kill_client(context):
    context.client.kill()
    os.waitid(os.P_PID, context.client.pid, os.WEXITED | os.WNOWAIT)


@when("somebody asks how the client ended")
def ask_client(context):
    context.client.wait()


@given("somebody else does an undo in the chat")
def undo_beside(context):
    """Locks are of files: those of another application are as good as another process's."""
    ((chat,),) = context.world.sql("SELECT plan_id FROM chats")
    others = Locks(context.world.data_dir / "locks", "plan")
    context.enter_context = others.own(chat, "doing an undo")
    context.enter_context.__enter__()
    context.add_cleanup(context.enter_context.__exit__, None, None, None)


@given('a file "{name}" of {size:d} KB that nothing makes smaller')
def random_file(context, name, size):
    (context.world.project / name).write_bytes(os.urandom(size * 1024))


@given("the directory was looked at first, twice")
def looked_first(context):
    app = chats(context).app
    for _ in range(2):
        app.chats.look_first(app.project)


@then("the first checkpoint added less than {size:d} KB")
def little_added(context, size):
    ((added,),) = context.world.sql("SELECT size_bytes FROM checkpoints")
    assert added < size * 1024, added
