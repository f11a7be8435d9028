"""Steps about runs that stop at open conflicts."""

import json
import re
import signal
import subprocess

from behave import given, then, when
from crashes import Turn
from forked import die, forked
from inside import Inside

from cleveragents.errors import Refused

WAITING = """SELECT 1 FROM plans JOIN conflicts ON conflicts.plan_id = plans.plan_id
    WHERE closed_by IS NULL AND phase = 'execute' AND state = 'queued'"""


@given("a run has been killed just before it stopped at its conflicts")
def killed_before_stop(context):
    def run():
        app = context.world.app()
        with Turn(WAITING).beginning(die):
            app.run(app.plans.find("@").plan_id)

    assert forked(run) == -signal.SIGKILL


@given("a run has stopped at its conflicts")
def run_stopped(context):
    done = context.world.agents("plan", "execute", "@")
    assert done.code == Refused.exit_code, done.err + done.out


@given("it has stopped, been rolled back to a spawn, and stopped again")
def stopped_twice(context):
    run_stopped(context)
    _roll_back(context, "spawned a, b")
    run_stopped(context)


@given('the plan has been rolled back to "{reason}"')
def rolled_back(context, reason):
    _roll_back(context, reason)


def _roll_back(context, reason):
    rows = context.world.app().kept.list_checkpoints(context.world.plan.plan_id)
    (found,) = [row.seq for row in rows if row.reason == reason]
    done = context.world.agents("plan", "rollback", "@", str(found), "--yes")
    assert done.code == 0, done.err + done.out


@then('"{count:d}" calls of subplans have ended')
def ended_calls(context, count):
    """None was made twice."""
    with Inside(context.world).database.reading() as connection:
        query = "SELECT count(*) FROM step_runs JOIN plans ON plans.plan_id = step_runs.plan_id"
        found = connection.tuples(f"{query} WHERE parent_plan_id IS NOT NULL")
    assert found == [(count,)], found


@then('a session of the plan refuses its next call with "{text}"')
def session_refuses(context, text):
    app = context.world.app()
    try:
        with app.session(plan="@") as run:
            run.tool("shell", command="echo more > more")
    except Refused as error:
        assert text in error.message, error.message
    else:
        raise AssertionError("the session went on")


@given('git\'s merge tool of the user is "{command}"')
def merge_tool(context, command):
    _set_tool(context, command.replace("\\|", "|"), "false")


@given('git\'s merge tool of the user is "{command}" and git trusts it')
def trusted_merge_tool(context, command):
    _set_tool(context, command, "true")


@given('git\'s setting "{key}" of the user is "{value}"')
def set_for_user(context, key, value):
    file = context.world.home / "gitconfig"
    quoted = re.sub(r"\$(\w+)", r'"$\1"', value)
    subprocess.run(["git", "config", "--file", file, key, quoted], check=True)
    context.world.variables["GIT_CONFIG_GLOBAL"] = str(file)


def _set_tool(context, command, trusted):
    set_for_user(context, "merge.tool", "scripted")
    set_for_user(context, "mergetool.scripted.cmd", command)
    set_for_user(context, "mergetool.scripted.trustExitCode", trusted)


@when("I roll back to the checkpoint that takes it back")
def roll_back_to_safety(context):
    safety = json.loads(context.world.done.out)["data"]["safety"]
    done = context.world.agents("plan", "rollback", "@", safety, "--yes")
    assert done.code == 0, done.err + done.out
