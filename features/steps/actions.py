"""Steps about action files and what is read from them."""

import json

from behave import given, then


@given("the action")
def write_action(context):
    context.action = context.world.write_action(context.text)


@given("the steps")
def write_steps(context):
    """An action of nothing but these steps."""
    lines = "".join(f"  {line}\n" for line in context.text.splitlines())
    context.action = context.world.write_action(f"name: plan\nsteps:\n{lines}")


@given('an action file of the bytes "{written}"')
def write_bytes(context, written):
    context.action = context.world.home / "action.yaml"
    context.action.write_bytes(written.encode("latin-1").decode("unicode_escape").encode("latin-1"))


@given("an action file with {count:d} {things}")
def write_much(context, count, things):
    context.action = context.world.write_action(MUCH[things](count))


MUCH = {
    "digits in a number": lambda count: (
        f"name: long\nsteps:\n  - {{tool: shell, with: {{command: a}}, retries: {'1' * count}}}\n"
    ),
    "lists within each other": lambda count: f"name: deep\nsteps: {'[' * count}{']' * count}\n",
    "letters in a comment": lambda count: "#" * count,
}


@given('the action file is "{name}"')
def name_action(context, name):
    context.action = context.world.home / name


@then("the problems are")
def check_problems(context):
    """Every problem, none left out and none made up."""
    expected = context.text.splitlines()
    found = context.world.done.error["detail"]
    assert found == expected, "\n".join(found)


@then('a problem is "{text}"')
def check_problem(context, text):
    assert text in context.world.done.error["detail"], context.world.done.error


@then('step {index:d} of the plan calls "{tool}" with')
def check_call(context, index, tool):
    step = context.world.plan.action.steps[index]
    assert step.tool == tool, step.tool
    assert step.with_ == json.loads(context.text), step.with_


@then("the plan's action has the values")
def check_values(context):
    for row in context.table:
        value = context.world.plan.action
        for name in row["field"].split("."):
            value = value[int(name)] if name.isdigit() else getattr(value, name)
        assert repr(value) == row["value"], f"{row['field']}: {value!r}"
