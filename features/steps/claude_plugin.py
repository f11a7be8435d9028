"""Steps about the plugin for Claude Code."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import yaml
from behave import given, then, when

from cleveragents.cli.reading import CommandLine
from cleveragents.clients.client import CLIENTS

PLUGIN = Path(__file__).parents[2] / "integrations" / "claude-code"
EVENTS = CLIENTS["claude"].events


def hooks():
    """The hooks of the plugin: each event and its only entry."""
    found = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]
    return {event: hook for event, [group] in found.items() for hook in group["hooks"]}


def command(name):
    """A command of the plugin: what its head says, and its text."""
    _, head, text = (PLUGIN / "commands" / f"{name}.md").read_text().split("---\n", 2)
    return yaml.safe_load(head), text


@given("the data directory is named by {where}")
def named_by(context, where):
    below = {
        "CLEVERAGENTS_DATA_DIR": "",
        "XDG_DATA_HOME": "cleveragents",
        "HOME": ".local/share/cleveragents",
    }
    base = context.world.home / "some where"
    context.environment = {where: str(base)}
    hook = base / below[where] / "hook"
    hook.parent.mkdir(parents=True)
    log = shlex.quote(str(context.world.home / "log"))
    hook.write_text(f'#!/bin/sh\ncat >/dev/null\necho "$1" >> {log}\n')
    hook.chmod(0o700)


@when("each hook of the plugin is called")
def call_hooks(context):
    home = {"HOME": str(context.world.home / "home"), "PATH": os.defpath}
    for event, hook in hooks().items():
        done = subprocess.run(
            ["sh", "-c", hook["command"]],
            input=b"{}",
            env={**home, **getattr(context, "environment", {})},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), (event, done)


@then("each event has come to the hook that lies there")
def all_came(context):
    lines = (context.world.home / "log").read_text().splitlines()
    assert sorted(lines) == sorted(f"claude:{event}" for event in EVENTS), lines


@then("no event has come to any hook")
def none_came(context):
    assert not (context.world.home / "log").exists()


@then("the plugin has a hook for each event of claude, with the time that it is given")
def has_all(context):
    context.world.agents("protect", "claude", "--yes")
    path = context.world.home / "home" / ".claude" / "settings.json"
    written = json.loads(path.read_text())["hooks"]
    times = {event: group["hooks"][0]["timeout"] for event, [group] in written.items()}
    assert {event: hook["timeout"] for event, hook in hooks().items()} == times, times


@then("the command {name} of the plugin is not for the model")
def not_for_model(context, name):
    head, _ = command(name)
    assert head["disable-model-invocation"] is True, head
    assert head["allowed-tools"] == f"Bash(agents {name}:*)", head


@then('what the command {name} runs is "{line}"')
def runs(context, name, line):
    _, text = command(name)
    (found,) = re.findall(r"!`(.*?)`", text)
    typed = found.removesuffix(" 2>&1").replace("$ARGUMENTS", "t3.2" if name == "undo" else "")
    assert typed.strip() == line, typed
    read = CommandLine(shlex.split(typed)[1:])
    read.read()
    assert read.command == name, read.command
