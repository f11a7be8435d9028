"""Holds every envelope that a scenario sees against the published schemas."""

import json
from itertools import pairwise
from pathlib import Path

import fastjsonschema
import yaml

from cleveragents.cli.main import COMPLETE
from cleveragents.shapes.commands import SHAPES

PAGES = Path(__file__).parents[2] / "docs/reference/cli"
SCHEMA, DATA_SCHEMA = PAGES / "envelope.schema.json", PAGES / "data.schema.json"
_check, _check_data = (
    fastjsonschema.compile(json.loads(page.read_text())) for page in (SCHEMA, DATA_SCHEMA)
)


def check_envelope(arguments, done):
    """Checks what a command wrote, if its arguments ask for an envelope."""
    is_help = done.out.lstrip().startswith("Usage:")
    if is_for_programs(list(map(str, arguments))) and not is_help:
        found = yaml.safe_load(done.out)
        _check(found)
        check_data(found)
        assert found["exit_code"] == done.code, (found["exit_code"], done.code)


def check_data(envelope):
    """Checks that the data of an envelope has a shape of its command: all of its keys, no other."""
    assert "data" not in envelope or envelope["command"] in SHAPES, envelope["command"]
    try:
        _check_data(envelope)
    except fastjsonschema.JsonSchemaValueException as error:
        data = json.dumps(envelope["data"], indent=1)
        raise AssertionError(f"{envelope['command']}: {error.message}: {data}") from error


def is_for_programs(arguments):
    """Whether the last format that is named is one for programs; what follows -- names none."""
    arguments = arguments[: arguments.index("--")] if "--" in arguments else arguments
    named = [
        following if word == "--format" else word.removeprefix("--format=")
        for word, following in pairwise([*arguments, ""])
        if word.startswith("--format")
    ]
    return named[-1:] in (["json"], ["yaml"]) and {"--version", COMPLETE}.isdisjoint(arguments)
