"""Steps about action files that are mended while a plan follows them."""

import json
import shutil

from behave import given, then, when
from forked import forked, until_transaction


@given("the action file is gone")
def remove_action(context):
    context.action.unlink()


@when('the shell runs "{command}" in the sandbox')
def run_in_sandbox(context, command):
    context.world.sh(command, cwd=context.world.sandbox)


@then('the log tells of a reload of "{name}"')
def check_log(context, name):
    events = context.world.done.data["events"]
    (told,) = [event for event in events if event["kind"] == "reloaded"]
    assert told["file"].endswith(name), told
    assert (told["replaced"], told["definition"]) == (0, 1), told
    assert told["added"] == ["step 3 (good)"], told
    assert told["story"].startswith(f"{name}: step 3 (good) added"), told


@when("a reload is killed at each of its transactions in turn, and the plan resumed")
def kill_everywhere(context):
    """Starts from the same state each time."""
    world = context.world
    kept = world.home / "kept"
    shutil.copytree(world.data_dir, kept, symlinks=True)
    plan_id = world.app().plans.find("@").plan_id
    context.outcomes = []

    def reload():
        world.app().run(plan_id, reload=True)

    while forked(lambda: until_transaction(len(context.outcomes), reload)):
        done = world.agents("plan", "resume", "@", "--format", "json")
        assert world.sql("PRAGMA foreign_key_check") == []
        log = " ".join((world.sandbox / "log").read_text().split())
        steps = [step["step"] for step in json.loads(_status(world))["data"]["progress"]]
        context.outcomes.append((done.code, log, steps[-1]))
        shutil.rmtree(world.data_dir)
        shutil.copytree(kept, world.data_dir, symlinks=True)


@then('each time the plan had failed again with its old steps, or its log was "{words}"')
def check_outcomes(context, words):
    assert set(context.outcomes) == {(1, "1", "bad"), (0, words, "good")}, context.outcomes


def _status(world):
    return world.agents("plan", "status", "@", "--format", "json").out


@given("all that is known of the plan is remembered")
def remember_plan(context):
    context.before = known(context)


@then("nothing has happened to the plan")
def check_plan(context):
    assert known(context) == context.before


def known(context):
    """Every row about plans, and what their files hold."""
    tables = ("plans", "plan_definitions", "journal", "checkpoints", "step_runs", "operations")
    rows = {name: context.world.sql(f"SELECT * FROM {name}") for name in tables}
    kept = context.world.sandbox / "log"
    return rows, kept.read_text() if kept.exists() else None


@then('"agents {one}" makes as many checkpoints as "agents {other}"')
def check_as_many(context, one, other):
    made = {line: _made_by(context.world, line) for line in (other, one)}
    assert made[one] == made[other], made


def _made_by(world, line):
    def count():
        return len(world.app().checkpoints.list_checkpoints(world.plan.plan_id))

    before = count()
    world.agents(*line.split())
    return count() - before
