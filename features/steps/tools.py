"""Steps about tools: what a step printed, and what it saw."""

from pathlib import Path

from behave import given, then
from plans import runs


@given('the project\'s file "{name}" holds "{text}"')
def write_project_file(context, name, text):
    path = context.world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.encode().decode("unicode_escape"))


@given('the project\'s file "{name}" holds')
def write_project_text(context, name):
    (context.world.project / name).write_text(context.text + "\n")


@then('the step has printed "{text}"')
def check_printed(context, text):
    found = Path(runs(context)[-1].output_path).read_text().rstrip("\n")
    assert found == text.encode().decode("unicode_escape"), repr(found)


@then("the step has printed nothing")
def check_printed_nothing(context):
    assert Path(runs(context)[-1].output_path).read_text() == ""


@then('the step says "{summary}"')
def check_summary(context, summary):
    found = runs(context)[-1].summary
    assert found == summary, found


@then("the step has ended with exit code {code:d}")
def check_step_code(context, code):
    assert runs(context)[-1].exit_code == code, runs(context)[-1]


@then('the step has seen "{name}" as "{value}"')
def check_variable(context, name, value):
    assert variables(context).get(name) == value, variables(context)


@then('the step has not seen "{name}"')
def check_no_variable(context, name):
    assert name not in variables(context), variables(context)


@then("the step has seen nothing but {names}")
def check_variables(context, names):
    ours = {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}  # the shell's own
    found = set(variables(context)) - ours
    assert found <= set(names.split(", ")), found


def variables(context):
    text = Path(runs(context)[-1].output_path).read_text()
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
