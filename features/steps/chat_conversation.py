"""Steps about conversations that are taken back in their clients."""

import json
import os
import shlex

from behave import given, then, when
from chat_undo import chats, play
from stand_in_clients import CLAUDE, CODEX

GONE = "4194305:1"  # beyond every number that a process can have


def put(context, name, kinds, does):
    """Lets a client be called that does one thing; nobody else's is found."""
    world = context.world
    folder, home = world.home / "programs", world.home / "of-claude"
    folder.mkdir()
    world.variables |= {"PATH": f"{folder}:/usr/bin:/bin", "CLAUDE_CONFIG_DIR": str(home)}
    if does in kinds:
        (folder / name).write_text(kinds[does])
        (folder / name).chmod(0o755)


def transcript(context, session):
    """Where Claude Code keeps a conversation."""
    return context.world.home / "of-claude" / "projects" / "one" / f"{session}.jsonl"


def lines(context, session):
    return list(map(json.loads, transcript(context, session).read_text().splitlines()))


def log(context, name):
    """What a client was started with, or asked for."""
    path = context.world.home / "programs" / f"{name}.log"
    return list(map(json.loads, path.read_text().splitlines())) if path.exists() else []


def told(context):
    return context.world.done.data["conversation"]


@given("a Claude Code that keeps this conversation of {name}")
def put_claude(context, name):
    put_claude_that(context, "is fine", name)


@given("a Claude Code that {does} and keeps this conversation of {name}")
def put_claude_that(context, does, name):
    put(context, "claude", CLAUDE, does)
    path = transcript(context, f"session-{name}")
    path.parent.mkdir(parents=True)
    rows = [{key: row[key] or None for key in row.headings} for row in context.table]
    where = {"cwd": str(context.world.project)}
    whole = [json.dumps({**row, **where}) for row in rows]
    path.write_text("\n".join([json.dumps({"type": "mode"}), *whole, "[]", '{"type": "us']))
    (path.parents[1] / "other").mkdir()


@given("a Codex that {does}")
def put_codex(context, does):
    put(context, "codex", CODEX, does)


@given("this chat of {client}")
def play_client(context, client):
    chats(context).client = client
    play(context)


@when("the client of this chat has ended")
def end_client(context):
    context.world.sql("UPDATE chats SET pid = ?", GONE)


@when('I type what the conversation needs, with "{more}"')
def type_needed(context, more):
    program, *words = shlex.split(told(context)["command"])
    assert program == "agents", program
    context.world.agents(*words, *shlex.split(more))


@then('the conversation is told with "{text}"')
def check_told(context, text):
    assert text in told(context)["how"], told(context)


@then("no client was started")
def check_none(context):
    assert not log(context, "claude"), log(context, "claude")
    assert not log(context, "codex"), log(context, "codex")


@then('its command goes on with a conversation of "{names}"')
def check_fork(context, names):
    cd, folder, also, *words, session = shlex.split(told(context)["command"])
    assert [cd, also, *words] == ["cd", "&&", "claude", "--resume"], told(context)
    assert folder == str(context.world.project), folder
    found = [line["uuid"] for line in lines(context, session) if "uuid" in line]
    assert found == names.split(", "), found


@then("the conversation of A still has {count:d} lines")
def check_kept(context, count):
    text = transcript(context, "session-A").read_text()
    assert text.count('"uuid"') == count, text


@then("Claude Code was handed no settings but its own, and no model")
def check_alone(context):
    (started,) = log(context, "claude")
    given = dict(zip(started["words"], started["words"][1:], strict=False))
    assert given["--setting-sources"] == "", given
    (hook,) = json.loads(given["--settings"])["hooks"]["UserPromptSubmit"][0]["hooks"]
    said = json.loads(os.popen(hook["command"]).read())
    assert said["decision"] == "block", said
    assert started["model"] == "http://127.0.0.1:9", started


@then("its command is to go on with A")
def check_by_hand(context):
    words = shlex.split(told(context)["command"])
    assert words[:3] == ["cd", str(context.world.project), "&&"], words
    assert words[3] == context.world.done.data["client"], words
    assert words[-1].endswith("session-A"), words


@then('Codex was asked for "{methods}" before "{turn}"')
def check_asked(context, methods, turn):
    asked = log(context, "codex")
    assert [one["method"] for one in asked] == methods.split(", "), asked
    assert asked[-2]["params"] == {"threadId": "session-A"}, asked
    assert asked[-1]["params"] == {"threadId": "session-A", "beforeTurnId": turn}, asked
