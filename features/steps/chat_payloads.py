"""Steps about what coding agents hand to their hooks."""

import json
from pathlib import Path

from behave import then, when

from cleveragents.chats.event import HookEvent
from cleveragents.hooks.payloads import event_of

CAPTURED = Path(__file__).parents[1] / "fixtures" / "clients"
LONG = "x" * 10_000_000


def captured(client):
    """Every payload that was captured of a client: the name of the event, and what came with it."""
    files = sorted(CAPTURED.glob(f"{client}-*.json"))
    assert files, client
    return [(one["event"], one["stdin"]) for file in files for one in json.loads(file.read_text())]


def call(client, tool, given):
    """A payload of a client that is about to call a tool."""
    if client == "copilot":
        return "preToolUse", {"sessionId": "s", "cwd": "/p", "toolName": tool, "toolArgs": given}
    if client == "opencode":
        told = {"sessionID": "s", "callID": "c", "tool": tool}
        return "tool.execute.before", {"cwd": "/p", "input": told, "output": {"args": given}}
    return "PreToolUse", {"session_id": "s", "cwd": "/p", "tool_name": tool, "tool_input": given}


def deep(levels):
    """A list in a list in a list."""
    made = []
    for _ in range(levels):
        made = [made]
    return made


WRONG = (
    "",
    "\ud800\udfff",
    "\ud800",
    "a\0b",
    -1,
    1.5,
    None,
    True,
    [],
    [[]],
    {},
    {"x": {}},
    "y" * 10_000,
)
FIELDS = (
    *("session_id", "sessionId", "cwd", "prompt", "prompt_id", "turn_id", "tool_use_id"),
    *("agent_id", "tool_name", "toolName", "tool_input", "toolArgs", "tool_response", "toolResult"),
    *("input", "output", "error", "timestamp"),
)


def everything_wrong():
    """Payloads that no client should write."""
    yield from WRONG
    yield {"session_id": "s", "sessionId": "s", "tool_input": deep(100_000)}
    whole = {
        "session_id": "s",
        "sessionId": "s",
        "cwd": "/p",
        "prompt": "p",
        "tool_name": "Write",
        "toolName": "create",
        "tool_input": {"file_path": "f"},
        "toolArgs": {"path": "f"},
        "input": {"sessionID": "s", "tool": "write", "args": {"filePath": "f"}},
        "output": {"parts": [{"type": "text", "text": "p"}]},
    }
    for field in FIELDS:
        yield {name: value for name, value in whole.items() if name != field}
        for wrong in WRONG:
            yield {**whole, field: wrong}
            if isinstance(whole.get(field), dict):
                yield {**whole, field: dict.fromkeys(whole[field], wrong)}
    for wrong in WRONG:
        yield {**whole, "output": {"parts": [wrong, {"text": wrong}]}}
        yield {**whole, "tool_name": "apply_patch", "tool_input": {"command": wrong}}


@when("I read the captured payloads of {client}")
def read_captured(context, client):
    context.events = [event_of(client, *one) for one in captured(client)]


@when("I read the captured payload {nth:d} of {name} of {client}")
def read_one_captured(context, nth, name, client):
    named = [one for one in captured(client) if one[0].removeprefix("event:") == name]
    context.event = HookEvent.from_record(event_of(client, *named[nth - 1]))


@when("the client {client} calls {name} with")
def read_given(context, client, name):
    context.record = event_of(client, name, json.loads(context.text))
    context.event = context.record and HookEvent.from_record(context.record)


@when("the client {client} is about to call {tool} with")
def read_call(context, client, tool):
    context.event = HookEvent.from_record(
        event_of(client, *call(client, tool, json.loads(context.text)))
    )


@when("a patch names {count:d} files")
def many_files(context, count):
    text = "\n".join(f"*** Delete File: f{number}" for number in range(count))
    context.event = HookEvent.from_record(
        event_of("codex", *call("codex", "apply_patch", {"command": text}))
    )


@when("the client {client} calls {name} with everything that is wrong")
def read_wrong(context, client, name):
    context.events = [event_of(client, name, payload) for payload in everything_wrong()]


@when("the client claude calls UserPromptSubmit with 10 MB of text")
def long_prompt(context):
    payload = {"session_id": "s", "cwd": "/p", "prompt": LONG}
    context.event = HookEvent.from_record(event_of("claude", "UserPromptSubmit", payload))


@when("the client claude is about to run 10 MB of commands")
def long_command(context):
    context.event = HookEvent.from_record(
        event_of("claude", *call("claude", "Bash", {"command": LONG}))
    )


@then("these events come out")
def events_come_out(context):
    kinds = ", ".join(event["kind"] if event else "nothing" for event in context.events)
    assert kinds == context.table[0]["events"], kinds


@then('the event is of kind {kind} with tool "{tool}" and text "{text}"')
@then('the event is of kind {kind} with tool "{tool}" and text ""')
@then('the event is of kind {kind} with tool "" and text "{text}"')
@then('the event is of kind {kind} with tool "" and text ""')
def event_is(context, kind, tool="", text=""):
    event = context.event
    assert (event.kind, event.tool, event.text) == (kind, tool, text), event


@then('it names the paths "{paths}"')
@then('it names the paths ""')
def names_paths(context, paths=""):
    assert " ".join(context.event.paths) == paths, context.event.paths


@then("it names {count:d} paths")
def names_many(context, count):
    assert len(context.event.paths) == count, len(context.event.paths)


@then("it may write")
def it_may_write(context):
    assert context.event.may_write, context.event


@then("it writes nothing")
def it_writes_nothing(context):
    assert not context.event.may_write, context.event
    assert not context.event.paths, context.event


@then("the event has a session and {has}")
def has_ids(context, has):
    assert context.event.session, context.event
    wanted = [] if has == "nothing else" else has.split(" and ")
    found = [name for name in ("turn", "call", "agent") if getattr(context.event, name)]
    assert found == wanted, found


@then('it is of the session "{session}" and the agent "{agent}"')
def is_of(context, session, agent):
    assert (context.event.session, context.event.agent) == (session, agent), context.event


@then('it came from the directory "{cwd}"')
@then('it came from the directory ""')
def came_from(context, cwd=""):
    assert context.event.cwd == cwd, context.event.cwd


@then("each after has the input of exactly one before")
def pairs(context):
    told = [event for event in context.events if event]
    before = [event["input"] for event in told if event["kind"] == "before"]
    after = [event["input"] for event in told if event["kind"] == "after"]
    assert after, told
    assert [before.count(one) for one in after] == [1] * len(after), (before, after)


@then("no two events have one digest")
def digests(context):
    found = [event["digest"] for event in context.events if event]
    assert len(set(found)) == len(found), found


@then("{count:d} events have failed")
@then("{count:d} event has failed")
def have_failed(context, count):
    failed = [event for event in context.events if event and event["failed"]]
    assert len(failed) == count, failed


@then("the event has failed")
def has_failed(context):
    assert context.event.failed, context.event


@then("there is nothing to record")
def nothing_to_record(context):
    assert context.record is None, context.record


@then("each is an event that can be sent, or nothing to record")
def all_can_be_sent(context):
    events = [event for event in context.events if event is not None]
    assert events, "not one of them was read"
    for event in events:
        sent = json.dumps(event, ensure_ascii=False).encode()
        read = HookEvent.from_record(json.loads(sent))
        assert read.to_record() == event, event
        assert len(read.text) <= 8192, len(read.text)
        assert "\0" not in read.cwd + read.text + read.session + "".join(read.paths), read


@then("the text has {count:d} characters")
def text_length(context, count):
    assert len(context.event.text) == count, len(context.event.text)


@then("each event is the same after it was written and read")
def same_again(context):
    for record in filter(None, context.events):
        event = HookEvent.from_record(record)
        assert event.to_record() == record, record
        assert HookEvent.from_record(json.loads(json.dumps(event.to_record()))) == event, event


@then("the record {record} is refused because {why}")
def record_refused(context, record, why):
    try:
        event = HookEvent.from_record(json.loads(record))
    except ValueError as error:
        assert str(error) == why, error
    else:
        raise AssertionError(event)


@then("the record {record} is an event")
def record_is_event(context, record):
    assert HookEvent.from_record(json.loads(record)).paths == ("a",), record
