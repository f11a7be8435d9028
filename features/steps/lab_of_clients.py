"""Steps about the lab of real clients: its model, its judge, and how it ends what it started."""

import json
import os
import secrets
import sys
from pathlib import Path

from behave import given, then, when
from model_clients import SPEAKERS, post

sys.path.append(str(Path(__file__).resolve().parents[2]))
from clients_lab import processes, room, scripts
from clients_lab.looks import differing, git_identity, look
from clients_lab.model import Model, serving
from clients_lab.script import prompt

ROOT = "/somewhere/it's ä"


def lab(context):
    """Serves the model of the lab for one scenario."""
    acted = context.acted = []
    server = serving(Model(scripts.SCRIPTS, acted.append))
    port = server.__enter__()
    context.add_cleanup(server.__exit__, None, None, None)
    return port


@when('a client of "{protocol}" plays the script "{script}"')
@when('a client of "{protocol}" plays the scripts "{script}"')
def plays(context, protocol, script):
    context.speaker = SPEAKERS[protocol](lab(context))
    for name in script.split(", "):
        context.speaker.play(prompt(name, ROOT))


@then('it was told in order to call "{tools}"')
def told(context, tools):
    names = [name for name, _ in context.speaker.calls]
    assert names == tools.split(", "), names


@then('the arguments of the last call name "{first}" and "{second}"')
def name_both(context, first, second):
    given_ = str(context.speaker.calls[-1][1])
    assert first in given_ and second in given_, given_


@then('the arguments of the last call name "{text}"')
def name_one(context, text):
    given_ = str(context.speaker.calls[-1][1])
    assert text in given_, given_


@then("all of it was one turn of the model")
def one_turn(context):
    assert context.speaker.turns == 1, context.speaker.turns


@then("in every protocol a request without tools is answered with words")
def without_tools(context):
    port = lab(context)
    for speaker in (kind(port) for kind in SPEAKERS.values()):
        speaker.said_by_user(prompt("write", ROOT))
        assert speaker.ask(tools=()) == []
        assert speaker.words == ["done as scripted"], speaker.words


@then("in every protocol a prompt without a script is answered with words")
def without_script(context):
    port = lab(context)
    for speaker in (kind(port) for kind in SPEAKERS.values()):
        speaker.said_by_user("what is this project about?")
        assert speaker.ask() == []
        assert speaker.words == ["done as scripted"], speaker.words


@when("Gemini asks by a schema which model to take")
def by_schema(context):
    wanted = {
        "type": "OBJECT",
        "properties": {
            "complexity_reasoning": {"type": "STRING"},
            "complexity_score": {"type": "INTEGER"},
        },
        "required": ["complexity_reasoning", "complexity_score"],
    }
    body = {
        "contents": [{"role": "user", "parts": [{"text": prompt("write", ROOT)}]}],
        "generationConfig": {"responseJsonSchema": wanted},
    }
    text = post(lab(context), "/v1beta/models/m:generateContent", body)
    part = json.loads(text)["candidates"][0]["content"]["parts"][0]
    context.answer = json.loads(part["text"])


@then('the answer is an object with "{first}" and "{second}"')
def has_shape(context, first, second):
    assert set(context.answer) == {first, second}, context.answer
    assert isinstance(context.answer[second], int), context.answer


@when('a client of "{protocol}" asks twice for the same round of "{script}"')
def asks_twice(context, protocol, script):
    speaker = context.speaker = SPEAKERS[protocol](lab(context))
    speaker.said_by_user(prompt(script, ROOT))
    for call in speaker.ask():
        speaker.result(call)
    before = list(speaker.talk)
    speaker.ask()
    speaker.talk = before
    speaker.ask()


@then("the user acted once")
def acted_once(context):
    assert context.acted == ["between"], context.acted


@given("the project of the lab")
def project_of_lab(context):
    made = room.room()
    context.room = made.__enter__()
    context.add_cleanup(made.__exit__, None, None, None)
    context.before = look(context.room.project)


@when("the agent's file and mode are left there")
def left_there(context):
    (context.room.project / "made.txt").write_text("one\n")
    (context.room.project / "mode.txt").chmod(0o600)


@then('the judge tells "{first}" and "{second}"')
def judge_tells(context, first, second):
    found = differing(context.before, look(context.room.project))
    assert found == [first, second], found


@then("a file in .git that is written anew with the same bytes is noticed")
def git_noticed(context):
    project = context.room.project
    before = git_identity(project)
    assert git_identity(project) == before
    head = project / ".git" / "HEAD"
    new = head.with_name("HEAD.new")
    new.write_bytes(head.read_bytes())
    os.utime(new, ns=(head.stat().st_atime_ns, head.stat().st_mtime_ns))
    new.replace(head)
    assert git_identity(project) != before


@when("a marked program leaves a child in a session of its own")
def leaves_child(context):
    context.mark = secrets.token_hex(8)
    environment = {**os.environ, processes.MARK: context.mark}
    command = ["sh", "-c", "setsid sleep 300 </dev/null >/dev/null 2>&1 & echo started"]
    ended = processes.run(command, Path.cwd(), environment)
    assert (ended.code, ended.output) == (0, "started\n"), ended


@then("the child is found by its mark, and ended")
def ended_by_mark(context):
    assert len(processes.marked(context.mark)) == 1
    assert processes.end_marked(context.mark) == 1
    assert not processes.marked(context.mark)
