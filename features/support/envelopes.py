"""Holds every envelope that a scenario sees against the published schema."""

import json
from itertools import pairwise
from pathlib import Path

import fastjsonschema
import yaml

from cleveragents.cli.main import COMPLETE

SCHEMA = Path(__file__).parents[2] / "docs/reference/cli/envelope.schema.json"
_check = fastjsonschema.compile(json.loads(SCHEMA.read_text()))


def check_envelope(arguments, done):
    """Checks what a command wrote, if its arguments ask for an envelope."""
    is_help = done.out.lstrip().startswith("Usage:")
    if is_for_programs(list(map(str, arguments))) and not is_help:
        found = yaml.safe_load(done.out)
        _check(found)
        assert found["exit_code"] == done.code, (found["exit_code"], done.code)


def is_for_programs(arguments):
    """Whether the last format that is named is one for programs."""
    named = [
        following if word == "--format" else word.removeprefix("--format=")
        for word, following in pairwise([*arguments, ""])
        if word.startswith("--format")
    ]
    return named[-1:] in (["json"], ["yaml"]) and {"--version", COMPLETE}.isdisjoint(arguments)
