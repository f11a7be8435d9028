"""Steps about what plans are called, by people and to people."""

import json
import re
import shlex

from behave import given, then

from cleveragents.cli.printed import PrintedCommands
from cleveragents.errors import Damaged
from cleveragents.ids import new_id


@given('plans called "{names}" are there')
def use_plans(context, names):
    _make(context, names, ["plan", "use"])


@given('plans called "{names}" have run')
def run_plans(context, names):
    _make(context, names, ["run"])


def _make(context, names, command):
    """Makes plans with the steps of the scenario, under each name in turn."""
    world = context.world
    action = world.home / "action.yaml"
    text = action.read_text()
    for name in names.split(", "):
        action.write_text(text.replace("name: plan", f"name: {json.dumps(name)}", 1))
        done = world.agents(*command, action)
        assert done.code == 0, done.err
    action.write_text(text)


@then("a plan is found by each of these")
def found_by(context):
    for row in context.table:
        done = context.world.agents("plan", "status", row["text"], "--verbose")
        assert f"Plan {row['name']} " in done.out, (row, done)


@then("no plan is found by any of these")
def not_found_by(context):
    for row in context.table:
        done = context.world.agents("plan", "status", *shlex.split(row["text"]))
        assert (done.code, row["told"] in done.err) == (int(row["code"]), True), (row, done)


@then("each plan is shown by a beginning of its id that is its alone")
def shown_short(context):
    ids = [plan.plan_id for plan in context.world.app().plans.list()]
    shown = [line.split()[0] for line in context.world.done.out.splitlines() if line[:1] == "0"]
    assert len(shown) == len(ids)
    for one in shown:
        found = [identity for identity in ids if identity.startswith(one)]
        assert len(found) == 1, (one, ids)
        assert len(one) < len(found[0])


@then("each plan is shown by its whole id")
def shown_whole(context):
    for plan in context.world.app().plans.list():
        assert plan.plan_id in context.world.done.out, context.world.done.out


@then('each command that the error names finds the plan "{name}"')
def each_finds(context, name):
    lines = [line.strip() for line in context.world.done.err.splitlines() if "agents plan" in line]
    assert lines
    for line in lines:
        text = next(word for word in line.split() if word[:1] == "0")
        assert context.world.app().plans.find(text).name == name, line


@given('the whole id of the plan "{name}" is in the file "{file}"')
def keep_id(context, name, file):
    (context.world.project / file).write_text(context.world.app().plans.find(name).plan_id)


@then('the error names the plan "{name}" by its whole id')
def names_whole(context, name):
    done = context.world.done
    said = done.err or done.error["message"]
    assert f"plan {context.world.app().plans.find(name).plan_id}" in said, said


@then('the error names the command "{line}"')
def names_command(context, line):
    whole = line.replace("DATA", shlex.quote(str(context.world.data_dir)))
    assert f"  {whole}\n" in context.world.done.err, context.world.done.err


@then('the error says nothing, and the hint "{hint}"')
def hinted(context, hint):
    hint = hint.replace("DATA", shlex.quote(str(context.world.data_dir)))
    assert context.world.done.err == ""
    assert hint in context.world.done.error["suggestions"], context.world.done.error


@then('what helps against a finding begins with "{line}"')
def helped_by(context, line):
    line = line.replace("DATA", shlex.quote(str(context.world.data_dir)))
    helps = [one["help"] for one in context.world.done.data["findings"]]
    assert any(one.startswith(line) for one in helps), helps


@then("a command with an id is told whole while nothing can be read")
def told_whole(context):
    def unreadable(_ids):
        raise Damaged("the database cannot be read")

    text = f"see: agents plan status {new_id()}"
    assert PrintedCommands({}, unreadable, unreadable).texts([text]) == [text]


@then("what is told holds no whole id")
def told_short(context):
    told = context.world.done.out + context.world.done.err
    assert not re.search(r"(?<![-/\w])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![/\w])", told), told
