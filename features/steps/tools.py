"""Steps about tools: what a step printed, and what it saw."""

from pathlib import Path

from behave import given, then
from plans import runs

from cleveragents.sandbox.process import CUT, OUTPUT_CAP
from cleveragents.tools.builtin import BUILT_IN
from cleveragents.tools.own import OWN


@given('the project\'s file "{name}" holds "{text}"')
def write_project_file(context, name, text):
    path = context.world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.encode().decode("unicode_escape"))


@given('the project\'s file "{name}" holds')
def write_project_text(context, name):
    (context.world.project / name).write_text(context.text + "\n")


@then("the step has printed {what}")
def check_printed(context, what):
    """Words in quotes are what it printed, whatever the ends of the last line."""
    found = output(context)
    if what.startswith('"'):
        expected = what[1:-1].encode().decode("unicode_escape")
        assert found.decode().rstrip("\n") == expected, repr(found)
        return
    expected = {
        "nothing": b"",
        "the path of its sandbox": f"{context.world.sandbox}\n".encode(),
        "more than is kept of it": b"x" * OUTPUT_CAP + f"\n{CUT}\n".encode(),
    }[what]
    assert found == expected, repr(found[-200:])


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
    assert variables(context).keys() - ours == set(names.split(", ")), variables(context)


def variables(context):
    lines = output(context).decode().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def output(context):
    return Path(runs(context)[-1].output_path).read_bytes()


@then("the own tools are those of the table, without effects outside and without an undo")
def check_own(_):
    assert BUILT_IN.keys() == OWN, BUILT_IN.keys() ^ OWN
    declared = [tool.declaration for tool in BUILT_IN.values()]
    assert not [one.name for one in declared if one.side_effects or one.undo is not None]
