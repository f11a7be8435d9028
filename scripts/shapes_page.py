"""Writes docs/reference/cli/data.schema.json from the shapes of what programs read.

python scripts/shapes_page.py            # writes it
python scripts/shapes_page.py --check    # fails if it is out of date
"""

import collections.abc
import inspect
import json
import re
import types
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import (
    Any,
    Literal,
    NewType,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from page import settle

from cleveragents.cli.table.entries import leaves
from cleveragents.cli.table.root import ROOT
from cleveragents.shapes.commands import SHAPES

PAGE = Path("docs/reference/cli/data.schema.json")
HEAD = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "The data of each command with --format json and --format yaml",
    "description": (
        "Holds for whole envelopes, beside envelope.schema.json: what a command answers with is "
        "chosen by its name. Made by scripts/shapes_page.py, never edited."
    ),
}
PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
LISTS = (collections.abc.Sequence, list, tuple)
TOLD = re.compile(r"^    (\w+): .*?  # (.*)$", re.MULTILINE)  # what is said beside a field
BASES = re.compile(r"(\w+)(?=[,)])")
WIDTH = 100
Schema = dict[str, Any]


def main() -> None:
    """Writes or checks the schema."""
    unknown = {" ".join(path) for path, _ in leaves(ROOT)} ^ set(SHAPES)
    if unknown:
        raise SystemExit(f"commands without a shape, or shapes without a command: {unknown}")
    found: dict[str, Schema] = {}
    branches = [branch(command, schema_of(shape, found)) for command, shape in SHAPES.items()]
    named = {"if": {"required": ["data"]}, "then": {"properties": {"command": {"enum": [*SHAPES]}}}}
    page = {**HEAD, "definitions": dict(sorted(found.items())), "allOf": [named, *branches]}
    settle("scripts/shapes_page.py", {PAGE: laid_out(page) + "\n"})


def laid_out(value: Any, indent: str = "", before: int = 0) -> str:  # noqa: ANN401 - any JSON
    """JSON in as few lines as can be read: what fits into one has one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + before + len(line) < WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        parts, ends = [laid_out(one, inner) for one in value], "[]"
    else:
        names = {json.dumps(key): one for key, one in value.items()}
        parts = [f"{key}: {laid_out(one, inner, len(key) + 2)}" for key, one in names.items()]
        ends = "{}"
    return f"{ends[0]}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{ends[1]}"


def branch(command: str, data: Schema) -> Schema:
    return {
        "if": {"properties": {"command": {"const": command}}},
        "then": {"properties": {"data": data}},
    }


def schema_of(kind: Any, found: dict[str, Schema]) -> Schema:  # noqa: ANN401 - any type there is
    """The schema of a type; shapes it is made of are added to what was found."""
    if is_typeddict(kind):
        if kind.__name__ not in found:
            found[kind.__name__] = {}  # one that holds itself is being described already
            found[kind.__name__] = described(kind, found)
        return {"$ref": f"#/definitions/{kind.__name__}"}
    if isinstance(kind, NewType):
        return schema_of(kind.__supertype__, found)
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if inspect.isclass(kind) and issubclass(kind, Enum):
        return {"enum": [one.value for one in kind]}
    return generic(kind, found)


def generic(kind: Any, found: dict[str, Schema]) -> Schema:  # noqa: ANN401 - as above
    """The schema of a type that is made of others."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is NotRequired:
        return schema_of(parts[0], found)
    if origin is Literal:
        return {"enum": [one.value if isinstance(one, Enum) else one for one in parts]}
    if origin in (Union, types.UnionType):
        return either([schema_of(part, found) for part in parts])
    if origin in LISTS:
        return {"type": "array", "items": schema_of(parts[0], found)}
    if origin is collections.abc.Mapping:
        values = {} if parts[1] is object else schema_of(parts[1], found)
        return {"type": "object", "additionalProperties": values}
    raise SystemExit(f"no schema for {kind}")


def either(schemas: list[Schema]) -> Schema:
    """One of several; of plain types their names are enough."""
    if all(set(one) == {"type"} for one in schemas):
        return {"type": [one["type"] for one in schemas]}
    return {"anyOf": schemas}


def described(kind: Any, found: dict[str, Schema]) -> Schema:  # noqa: ANN401 - as above
    """A shape: exactly its keys, each with what is said of it."""
    told = said_of(kind)
    hints = get_type_hints(kind, include_extras=True)
    return {
        "description": inspect.getdoc(kind),
        "type": "object",
        "required": [key for key in hints if key in kind.__required_keys__],
        "additionalProperties": False,
        "properties": {
            key: {**({"description": told[key]} if key in told else {}), **schema_of(hint, found)}
            for key, hint in hints.items()
        },
    }


def said_of(kind: Any) -> dict[str, str]:  # noqa: ANN401 - as above
    """What stands beside the fields of a shape and of those it continues."""
    known = vars(import_module(kind.__module__))
    try:
        source = inspect.getsource(kind)
    except OSError:  # one that was made by a call has nothing beside its fields
        return {}
    told: dict[str, str] = {}
    for base in BASES.findall(source.partition("\n")[0]):  # at run time a shape knows none
        told |= said_of(known[base]) if is_typeddict(known[base]) else {}
    return told | dict(TOLD.findall(source))


if __name__ == "__main__":
    main()
