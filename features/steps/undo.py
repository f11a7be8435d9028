"""Steps about undo calls: what they did outside the sandbox, and what they were told."""

import json
import os
import signal

from behave import given, then, when
from world import wait_until


@then("outside there is")
def check_outside(context):
    """Exactly these lines, in this order; calls and their undo write them to the gate."""
    found = context.world.gate.read_text().splitlines()
    assert found == context.text.splitlines(), found


@then("the undo was told")
def check_told(context):
    found = json.loads((context.world.home / "gate.told").read_text())
    assert found == json.loads(context.text), found


@when("a process of its own that rolls back to checkpoint {number:d} is killed inside an undo")
def kill_inside_undo(context, number):
    """The undo writes its own process id outside and waits."""
    waiting = context.world.home / "gate.pid"
    waiting.unlink(missing_ok=True)
    context.world.agents_beside("plan", "rollback", "@", number, "--yes")
    wait_until(lambda: waiting.exists() and waiting.read_text().endswith("\n"), "the undo")
    os.kill(context.world.child.pid, signal.SIGKILL)
    context.world.end_of_child()


@given('the tool "{name}" is gone from the plan\'s action')
def remove_tool(context, name):
    ((plan_id, text),) = context.world.sql("SELECT plan_id, definition_json FROM plans")
    definition = json.loads(text)
    definition["tools"] = [tool for tool in definition["tools"] if tool["name"] != name]
    statement = "UPDATE plans SET definition_json = ? WHERE plan_id = ?"
    context.world.sql(statement, json.dumps(definition), plan_id)


@then("the undo runs are")
def check_undo_runs(context):
    """Every undo that was ever started, with how it ended."""
    found = context.world.sql(
        "SELECT name, undo_runs.status FROM undo_runs JOIN step_runs USING (step_run_id) "
        "ORDER BY undo_run_id"
    )
    assert found == [(row["step"], row["status"]) for row in context.table], found


@given("an action whose undo of the second of three steps waits, and which {what} idempotent")
def write_waiting(context, what):
    """It waits the first time only; it is in a session of its own, to outlive who started it."""
    waits = 'test "$N" != two -o -e "$GATE.pid" || { echo $$ > "$GATE.pid"; sleep 600; }'
    tool = {
        "name": "deploy",
        "command": "true",
        "side_effects": ["network"],
        "idempotent": what == "is",
        "undo": f'echo "undo $N" >> "$GATE"; {waits}',
        "pass_env": ["GATE"],
    }
    steps = [{"name": n, "tool": "deploy", "env": {"N": n}} for n in ("one", "two", "three")]
    action = {"name": "waiting", "tools": [tool], "steps": steps}
    context.action = context.world.write_action(json.dumps(action))


@then('outside there is a line "{line}"')
def check_line(context, line):
    assert line in context.world.gate.read_text().splitlines(), context.world.gate.read_text()


@then('outside there is no line "{line}"')
def check_no_line(context, line):
    assert line not in context.world.gate.read_text().splitlines()


@given("an action whose undo is longer than the system takes")
def write_long(context):
    tool = {"name": "deploy", "command": "true", "undo": f"true {'x' * 200_000}"}
    action = {"name": "long", "tools": [tool], "steps": [{"tool": "deploy"}]}
    context.action = context.world.write_action(json.dumps(action))
