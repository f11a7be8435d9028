"""Steps about taking back what was done last, and doing it again."""

import pexpect
from behave import given, then, when
from commands import words
from crashes import crash
from oracle import differences, picture
from world import Done

from cleveragents.plans.lifecycle import APPLIED


@given('all is remembered as "{name}"')
@when('all is remembered as "{name}"')
def remember(context, name):
    context.remembered = {**getattr(context, "remembered", {}), name: _everything(context.world)}


@then('all is as "{name}"')
def check_as(context, name):
    found, wanted = _everything(context.world), context.remembered[name]
    told = [
        difference
        for part in ("sandbox", "project")
        for difference in differences(wanted[part], found[part])
    ]
    facts = [{**each, "sandbox": None, "project": None} for each in (wanted, found)]
    assert not told, told
    assert facts[0] == facts[1], facts


@given('"agents {line}" has crashed, as a {kind}, {moment}')
def crash_command(context, line, kind, moment):
    act = words(context, line)
    crash(moment, kind, lambda: context.world.agents(*act))


@then("the acts are")
def check_acts(context):
    done = context.world.agents("op", "log", "--format", "json")
    found = [(act["type"], act["text"], act["state"]) for act in done.data["acts"]]
    assert found == [(row["type"], row["text"], row["now"]) for row in context.table], found


@when('somebody runs "agents {other}" while the question of "agents {line}" stands')
def act_meanwhile(context, other, line):
    terminal = context.world.agents_on_terminal(*words(context, line))
    terminal.expect_exact("[y/N]")
    shown = terminal.before
    assert context.world.agents(*words(context, other)).code == 0, context.world.done
    terminal.sendline("y")
    terminal.expect(pexpect.EOF)
    terminal.close()
    context.world.done = Done(terminal.exitstatus, shown + terminal.before, "")


@when('I answer "{answer}" to "agents {line}"')
def answer(context, answer, line):
    terminal = context.world.agents_on_terminal(*words(context, line))
    terminal.expect_exact("[y/N]")
    shown = terminal.before
    terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    terminal.close()
    context.world.done = Done(terminal.exitstatus, shown + terminal.before, "")


@given("the intent of the latest operation cannot be read")
def break_intent(context):
    latest = "SELECT max(operation_id) FROM operations"
    context.world.sql(f"UPDATE operations SET intent_json = '?' WHERE operation_id = ({latest})")


def _everything(world):
    """Files, exactly, and where the plan stands; the times that an apply gives are new ones."""
    plan = world.plan
    sandbox = {} if plan.stage == APPLIED else picture(world.sandbox, without=[b".git"])
    project = {
        path: entry.__class__(**{**vars(entry), "mtime": None})
        for path, entry in picture(world.project, without=[b".git"]).items()
    }
    counting = world.sql("SELECT step_run_id FROM step_runs WHERE superseded_by IS NULL")
    decided = world.sql("SELECT decision_id FROM decisions WHERE superseded_by IS NULL")
    is_git = (world.project / ".git").exists()
    branches = world.sh("git branch --list 'cleveragents/*'") if is_git else ""
    return {
        "sandbox": sandbox,
        "project": project,
        "stage": plan.stage,
        "error": plan.error,
        "cursor": plan.cursor,
        "definition": plan.definition,
        "rows": sorted([*counting, *decided]),
        "conflicts": world.sql("SELECT path FROM conflicts WHERE closed_by IS NULL"),
        "branches": branches,
    }


@given('the storage is decided again as "{option}"')
def decide_again(context, option):
    asked = "SELECT decision_id FROM decisions WHERE question = 'Which storage'"
    ((decision,),) = context.world.sql(asked)
    line = ("plan", "correct", decision, "--guidance", "no", "--choose", option, "--yes")
    assert context.world.agents(*line).code == 0, context.world.done
