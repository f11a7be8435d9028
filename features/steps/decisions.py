"""Steps about decisions and their tree."""

import json
import shlex
import sys

from behave import given, step, then, when
from inside import Inside

from cleveragents.plans.affected import affected
from cleveragents.plans.cursor import step_at
from cleveragents.plans.decision import DecisionRepository


@then("the decisions are")
def check_decisions(context):
    """Every decision of the latest plan, in order."""
    found = decisions(context)
    by_id = {row.decision_id: str(row.seq) for row in found}
    app = context.world.app()
    rows = app.checkpoints.list_checkpoints(context.world.plan.plan_id)
    names = {row.checkpoint_id: (row.name, row.decision_id) for row in rows}
    told = []
    for row in found:
        name, owner = names.get(row.checkpoint_id, ("", None))
        assert not name or owner == row.decision_id, f"{name} is that of {owner}"
        told.append(
            [
                str(row.seq),
                row.decision_type,
                row.question,
                row.chosen,
                ", ".join(row.alternatives),
                by_id.get(row.parent_id, ""),
                name,
                row.cursor or "",
            ]
        )
    assert told == [list(row.cells) for row in context.table], told


@then('the decision {seq:d} is influenced by "{others}"')
def check_influences(context, seq, others):
    by_id = {row.decision_id: row.seq for row in decisions(context)}
    pairs = context.world.sql("SELECT decision_id, influenced_by FROM decision_influences")
    found = sorted(by_id[other] for decision, other in pairs if by_id.get(decision) == seq)
    assert ", ".join(map(str, found)) == others, found


def decisions(context):
    return Inside(context.world).of(DecisionRepository)


@given("a chooser that answers")
def write_chooser(context):
    """A command that keeps what it was asked beside itself."""
    path = context.world.home / "chooser"
    answer = context.world.home / "answer"
    answer.write_text(context.text)
    path.write_text(f'#!/bin/sh\ncat > "{path}.asked"\ncat "{answer}"\n')
    path.chmod(0o755)
    context.world.variables["CHOOSER"] = str(path)


@then("the chooser was asked")
def check_asked(context):
    asked = json.loads((context.world.home / "chooser.asked").read_text())
    for key, value in json.loads(context.text).items():
        assert asked[key] == value, f"{key}: {asked[key]}"


@then('the chooser was told of the decisions "{told}"')
def check_told(context, told):
    asked = json.loads((context.world.home / "chooser.asked").read_text())
    found = [f"{row['name']}: {row['chosen']}" for row in asked["decisions"]]
    assert ", ".join(found) == told, found


@then('the decision "{name}" has')
def check_decision(context, name):
    row = decision_called(context, name)
    for field in context.table:
        assert str(getattr(row, field["field"])) == field["value"], row


def decision_called(context, name):
    """The decision that counts at the step of that name."""
    plan = context.world.plan
    for row in decisions(context):
        step = row.cursor and step_at(plan.action.steps, row.cursor)
        called = step.title if step else row.decision_type
        if called == name and row.superseded_by is None:
            return row
    raise AssertionError(f"no decision {name} counts")


# --- Corrections ----------------------------------------------------------------------------------


@given("a chooser that takes the first option, and the last one once it has guidance")
def write_fickle_chooser(context):
    """It notes who was asked, in the order of asking."""
    path = context.world.home / "chooser"
    path.write_text(
        f"""#!{sys.executable}
import json, sys
text = sys.stdin.read()
open("{path}.asked", "w").write(text)
open("{path}.names", "a").write(sys.argv[1] + "\\n")
asked = json.loads(text)
print(json.dumps({{"choose": list(asked["options"])[-1 if asked["guidance"] else 0]}}))
"""
    )
    path.chmod(0o755)
    context.world.variables["CHOOSER"] = str(path)


@then('the choosers were asked "{names}"')
def check_names(context, names):
    found = (context.world.home / "chooser.names").read_text().split()
    assert ", ".join(found) == names, found


@given('the plan\'s log is "{words}"')
@then('the plan\'s log is "{words}"')
def check_log(context, words):
    found = (context.world.sandbox / "log").read_text().split()
    assert " ".join(found) == words, found


@when('I correct "{name}" by saying "{guidance}"')
def correct(context, name, guidance):
    run_correct(context, name, guidance, ["--yes"])


@when('I choose "{option}" for "{name}" by saying "{guidance}"')
def correct_and_choose(context, option, name, guidance):
    run_correct(context, name, guidance, ["--yes", "--choose", option])


@when('with the options {options} I correct "{name}" by saying "{guidance}"')
def correct_with(context, options, name, guidance):
    run_correct(context, name, guidance, shlex.split(options))


@given('I have corrected "{name}" by saying "{guidance}"')
def have_corrected(context, name, guidance):
    run_correct(context, name, guidance, ["--yes"])
    assert context.world.done.code == 0, context.world.done.err


@when("I correct the decision that {is_so}")
def correct_one_that(context, is_so):
    row = next(row for row in decisions(context) if TOLD_BY[is_so](row))
    context.world.agents("plan", "correct", "--yes", "--guidance", "x", row.decision_id)


TOLD_BY = {
    "was replaced": lambda row: row.superseded_by is not None,
    "is an intervention": lambda row: row.decision_type == "user_intervention",
}


@when('with the options {options} I explain "{name}"')
def explain_with(context, options, name):
    run_explain(context, name, shlex.split(options))


def run_explain(context, name, options):
    row = decision_called(context, name)
    context.world.agents("plan", "explain", row.decision_id, *options)


def run_correct(context, name, guidance, options):
    row = decision_called(context, name)
    context.world.agents(
        "plan", "correct", "--mode", "revert", "--guidance", guidance, *options, row.decision_id
    )
    rows = context.world.app().corrections.attempts(row.plan_id)
    context.before = rows[-1].before_id if rows else None
    context.correction = rows[-1].correction_id if rows else None


@then("the corrections are")
def check_corrections(context):
    """Every attempt, with the name of what it corrects and the choices it replaced."""
    plan = context.world.plan
    cursors = {row.decision_id: row.cursor for row in decisions(context)}
    found = []
    for row in context.world.app().corrections.attempts(plan.plan_id):
        step = step_at(plan.action.steps, cursors[row.decision_id]) if row.decision_id else None
        replaced = ", ".join(old["chosen"] for old in row.subtree)
        name = step.title if step else ""
        found.append([name, row.state, row.guidance, row.chosen or "", replaced])
    assert found == [list(row.cells) for row in context.table], found


# --- Strategists ----------------------------------------------------------------------------------


@given("the strategist answers")
def write_strategy(context):
    (context.world.home / "strategy").write_text(context.text)


@then("the strategist was asked")
def check_strategist(context):
    asked = json.loads((context.world.home / "asked").read_text())
    assert asked.pop("project") == str(context.world.project), asked
    assert asked == json.loads(context.text), asked


@when('with the options "{options}" the fix of "{name}" says "{guidance}"')
def append_fix(context, options, name, guidance):
    row = decision_called(context, name)
    context.world.agents(
        "plan", "correct", "--guidance", guidance, *shlex.split(options), row.decision_id
    )
    rows = context.world.app().corrections.attempts(row.plan_id)
    context.before = rows[-1].before_id if rows else None
    context.correction = rows[-1].correction_id if rows else None


# --- Forks ----------------------------------------------------------------------------------------


@step('I fork the checkpoint "{reason}"')
@step('I fork the checkpoint "{reason}" as "{name}"')
def fork(context, reason, name=None):
    rows = context.world.app().checkpoints.list_checkpoints(context.world.plan.plan_id)
    seq = next(row.seq for row in rows if row.reason == reason)
    context.world.agents("plan", "fork", "@", seq, *([] if name is None else ["--name", name]))


@given("decisions that hang together")
def connect_decisions(context):
    rows = [row.as_dict() for row in context.table]
    context.parents = {row["decision"]: row["below"] or None for row in rows}
    context.influences = [
        (row["decision"], row["influenced by"]) for row in rows if row["influenced by"]
    ]


@then('{decision} affects "{others}"')
def check_affected(context, decision, others):
    found = affected(decision, context.parents, context.influences)
    assert ", ".join(sorted(found)) == others, found
