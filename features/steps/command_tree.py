"""Steps about all commands there are, found by walking the tree of them."""

import json
import shlex
from importlib import import_module

from behave import then
from envelopes import SCHEMA
from typer.main import get_command

from cleveragents import errors
from cleveragents.cli.boundary import command_tree
from cleveragents.cli.main import GROUPS


@then("the help of every command shows its examples before its options")
def check_examples_first(context):
    for path, command in leaves():
        done = context.world.agents(*path, "--help")
        text = " ".join(done.out.split())
        assert done.code == 0, done.err
        assert f"Usage: agents {' '.join(path)}" in text, done.out
        first = examples(command)[:1]
        assert first, f"agents {' '.join(path)} has no examples"
        place = text.find(f"Examples: {first[0]}")
        assert 0 < place < text.index("Options ─"), done.out


@then("every example is a command line that can be read")
def check_examples_parse(context):
    for path, command in leaves():
        for line in examples(command):
            given = shlex.split(line)
            assert given[: len(path) + 1] == ["agents", *path], line
            command.make_context("agents", given[len(path) + 1 :])  # raises what is wrong with it


@then("the list of commands says of each what its own help says")
def check_listed(context):
    tree = get_command(command_tree(GROUPS, import_module))
    for name, (_, text) in GROUPS.items():
        own = (tree.commands[name].help or "").split("\n\n")[0]
        assert own == text, f"{name}: {own!r} in its help, {text!r} in the list"


@then("the schema of the envelope names exactly the codes of the error tree")
def check_codes(context):
    named = json.loads(SCHEMA.read_text())["properties"]["error"]["properties"]["code"]["enum"]
    kinds = {kind.code for kind in below(errors.CleverAgentsError)}
    assert set(named) == kinds, (named, kinds)


def below(kind):
    for one in kind.__subclasses__():
        yield one
        yield from below(one)


def leaves():
    """Every command with the words that lead to it."""
    return list(_leaves((), get_command(command_tree(GROUPS, import_module))))


def _leaves(path, command):
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from _leaves((*path, name), inner)


def examples(command):
    """The lines below `Examples:` in the help of a command."""
    lines = (command.help or "").partition("Examples:\n")[2].splitlines()
    return [line.strip() for line in lines]
