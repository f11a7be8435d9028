"""Steps about what commands write for programs and for people."""

import itertools
import json
import shlex

from behave import then
from commands import words

ENVELOPE = ["command", "status", "exit_code", "data", "timing", "messages"]
ERROR_ENVELOPE = ["command", "status", "exit_code", "error", "timing", "messages"]


@then('the envelope is that of a success of "{command}"')
def check_envelope(context, command):
    found = context.world.done.envelope
    assert list(found) == ENVELOPE, list(found)
    assert (found["command"], found["exit_code"]) == (command, 0), found
    assert found["status"] in ("ok", "warn"), found["status"]
    check_frame(found)


@then('the file holds the envelope of a success of "{command}"')
def check_file_envelope(context, command):
    context.world.done.out = context.file.read_text()
    check_envelope(context, command)


@then('the envelope is that of the error "{code}" of "{command}"')
def check_error_envelope(context, code, command):
    found = context.world.done.envelope
    assert list(found) == ERROR_ENVELOPE, list(found)
    assert list(found["error"]) == ["code", "message", "detail", "suggestions"], found["error"]
    assert found["error"]["code"] == code, found["error"]
    assert (found["command"], found["status"]) == (command, "error"), found
    assert found["exit_code"] == context.world.done.code, found["exit_code"]
    check_frame(found)


def check_frame(found):
    assert list(found["timing"]) == ["started", "duration_ms"], found["timing"]
    assert str(found["timing"]["started"]).endswith("+00:00"), found["timing"]
    assert found["timing"]["duration_ms"] >= 0, found["timing"]
    assert all(isinstance(line, str) for line in found["messages"]), found["messages"]


@then("the data holds")
def check_data(context):
    """Compares the named fields with the JSON beside them."""
    data = context.world.done.envelope["data"]
    for row in context.table:
        found = lookup(data, row["field"])
        assert found == json.loads(row["value"]), f"{row['field']}: {found!r}"


@then('the keys of "{field}" are "{keys}"')
def check_keys(context, field, keys):
    found = lookup(context.world.done.envelope, field)
    assert ", ".join(found) == keys, ", ".join(found)


@then('"{field}" counts {count:d}')
def check_count(context, field, count):
    found = lookup(context.world.done.envelope, field)
    assert len(found) == count, found


@then('the status in the envelope is "{status}"')
def check_status(context, status):
    assert context.world.done.envelope["status"] == status, context.world.done.envelope["status"]


@then('a message is "{text}"')
def check_message(context, text):
    assert text in context.world.done.envelope["messages"], context.world.done.envelope["messages"]


@then('a message says "{text}"')
def check_message_part(context, text):
    found = context.world.done.envelope["messages"]
    assert any(text in line for line in found), found


@then('the error message is "{text}"')
def check_error_message(context, text):
    assert context.world.done.error["message"] == text, context.world.done.error


@then('the error message says "{text}"')
def check_error_message_part(context, text):
    assert text in context.world.done.error["message"], context.world.done.error


@then('a suggestion says "{text}"')
def check_suggestion(context, text):
    found = context.world.done.error["suggestions"]
    assert any(text in line for line in found), found


@then('the detail says "{text}"')
def check_detail(context, text):
    """PLAN and OTHER stand for the plans that are remembered."""
    found = context.world.done.error["detail"]
    (text,) = words(context, shlex.quote(text))
    assert any(text in line for line in found), found


@then("the output holds no character that acts on a terminal")
def check_harmless(context):
    assert not acting(context.world.done.out), acting(context.world.done.out)


def acting(text):
    """What a terminal would do rather than show."""
    return {char for char in text if not (char.isprintable() or char == "\n")}


def lookup(data, field):
    """Follows a dotted path through mappings and lists."""
    for name in field.split("."):
        data = data[int(name)] if isinstance(data, list) else data[name]
    return data


@then("each of these answers with its envelope, in JSON and in YAML")
def check_envelopes(context):
    """Of an error, its code and the exit code stand beside the command."""
    for row, form in itertools.product(context.table, ("json", "yaml")):
        error = row.get("code")
        done = context.world.agents(*words(context, row["line"]), "--format", form)
        assert done.code == int(row.get("exit code", 0)), f"{row['line']}: {done.out}"
        assert done.out.startswith("{") == (form == "json"), done.out
        if error is None:
            check_envelope(context, row["command"])
        else:
            assert done.err == "", done.err
            check_error_envelope(context, error, row["command"])


@then("none of these writes a character that acts on a terminal")
def check_all_harmless(context):
    for row in context.table:
        done = context.world.agents(*words(context, row["line"]))
        told = done.out + done.err
        assert row["shown"] in told, told
        assert not acting(told), f"{row['line']}: {acting(told)}"


@then('each of these says "{text}"')
def check_all_say(context, text):
    """On standard error to people, and as a message to programs."""
    for row in context.table:
        done = context.world.agents(*words(context, row["command"]))
        assert (done.code, done.err.count(text)) == (0, 1), (row["command"], done.err)
        done = context.world.agents(*words(context, row["command"]), "--format=json")
        assert done.envelope["messages"].count(text) == 1, (row["command"], done.out)
