"""Steps about running commands and what they print."""

import shlex

from behave import given, then, when


@given("a git repository")
def make_repository(context):
    (context.world.project / "a.txt").write_text("one\n")
    context.world.make_repository()


@given("a plain folder")
def make_folder(context):
    (context.world.project / "a.txt").write_text("one\n")


@given("the action")
def write_action(context):
    context.action = context.world.write_action(context.text)


@given('the shell has run "{command}" in the project')
@when('the shell runs "{command}" in the project')
def run_shell(context, command):
    context.world.sh(command)


@given('I have run "agents {line}"')
def have_run(context, line):
    done = context.world.agents(*_words(context, line))
    assert done.code == 0, done.err + done.out


@when('I run "agents {line}"')
def run_agents(context, line):
    context.world.agents(*_words(context, line))


@then("the exit code is {code:d}")
def check_code(context, code):
    done = context.world.done
    assert done.code == code, f"{done.code}\n{done.out}\n{done.err}"


@then('the output says "{text}"')
def check_output(context, text):
    assert text in context.world.done.out, context.world.done.out


@then('the error says "{text}"')
def check_error(context, text):
    assert text in context.world.done.err, context.world.done.err


def _words(context, line):
    """Splits a command line; ACTION stands for the action file of the scenario."""
    return [str(context.action) if word == "ACTION" else word for word in shlex.split(line)]
