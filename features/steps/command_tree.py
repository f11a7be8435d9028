"""Steps about all commands there are, found by walking the table of them."""

import inspect
import json
import shlex
from importlib import import_module

from behave import then
from envelopes import SCHEMA

from cleveragents import errors
from cleveragents.cli.reading import CommandLine
from cleveragents.cli.table.entries import leaves
from cleveragents.cli.table.root import ROOT


@then("the help of every command shows its examples before its options")
def check_examples_first(context):
    for path, command in leaves(ROOT):
        done = context.world.agents(*path, "--help")
        assert done.code == 0, done.err
        lines = done.out.splitlines()
        assert lines[0].startswith(f"Usage: agents {' '.join(path)}"), done.out
        assert lines[2].startswith(command.help[:40]), done.out
        assert command.examples, f"agents {' '.join(path)} has no examples"
        place = lines.index("Examples:")
        assert lines[place + 1 :][: len(command.examples)] == [
            f"  {example}" for example in command.examples
        ], done.out
        assert place < lines.index("Options of every command:"), done.out


@then("the help of every command names all of its arguments and options")
def check_help_complete(context):
    for path, command in leaves(ROOT):
        told = context.world.agents(*path, "--help").out
        for option in command.options:
            assert all(f"{name}" in told for name in option.names), (path, option.names, told)
        for argument in command.arguments:
            assert f"  {argument.usage}" in told, (path, argument.shown, told)


@then("every example is a command line that can be read")
def check_examples_parse(context):
    for path, command in leaves(ROOT):
        for line in command.examples:
            given = shlex.split(line)
            assert given[: len(path) + 1] == ["agents", *path], line
            read = CommandLine(given[1:])
            read.read()  # raises what is wrong with it
            assert read.node is command, line


@then("what carries out a command takes exactly what the table says of it")
def check_functions(context):
    for path, command in leaves(ROOT):
        module, _, name = command.function.partition(":")
        function = getattr(import_module(f"cleveragents.cli.{module}"), name)
        _, *taken = inspect.signature(function).parameters.values()
        needed = {one.name for one in taken if one.default is inspect.Parameter.empty}
        entries = [(one.to, one.needed) for one in command.arguments]
        entries += [(one.parameter, one.needed) for one in command.options]
        assert {name for name, _ in entries} == {one.name for one in taken}, path
        asked_for = {name for name, is_needed in entries if is_needed}
        assert needed <= asked_for, path  # two commands may share one, and one of them ask for more


@then("the schema of the envelope names exactly the codes of the error tree")
def check_codes(context):
    named = json.loads(SCHEMA.read_text())["properties"]["error"]["properties"]["code"]["enum"]
    kinds = {kind.code for kind in below(errors.CleverAgentsError)}
    assert set(named) == kinds, (named, kinds)


def below(kind):
    for one in kind.__subclasses__():
        yield one
        yield from below(one)
