"""Reads YAML and remembers the line of every value, so that errors can name it.

Only plain data: no tags, no aliases, no duplicate keys, and none of YAML's surprises (`on` is a
text here, `12:30` is not 750, a date stays what was written).
"""

import re
from pathlib import Path
from typing import cast

import yaml

from cleveragents.counting import size
from cleveragents.errors import InvalidInput
from cleveragents.nearest import hints_for_file
from cleveragents.plans.source import Location, Plain, Source

LARGEST = 1 << 20  # bytes; what is larger takes minutes to read
_TAG = "tag:yaml.org,2002:"
_LOOKS_LIKE = {
    "bool": r"^(?:true|false)$",
    "int": r"^[-+]?[0-9]+$",
    "float": r"^[-+]?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?$",
    "null": r"^(?:null|~|)$",
}


class _NotPlain(Exception):
    """Something in the file is more than plain data."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


class _PlainLoader(yaml.SafeLoader):
    """A safe loader that takes for a number or a truth value only what looks like one."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuses what is not plain data, at the line where it stands."""
        event = cast("yaml.Event", self.peek_event())  # pyright: ignore[reportUnknownMemberType]
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise _NotPlain(line, "aliases are not supported; repeat the value")
        if getattr(event, "tag", None) not in (None, "!"):
            raise _NotPlain(line, "tags are not supported")
        return super().compose_node(parent, index)


# None: tried whatever the first character is.
_PlainLoader.yaml_implicit_resolvers = {
    None: [(_TAG + name, re.compile(pattern)) for name, pattern in _LOOKS_LIKE.items()]
}


def read_source(path: Path) -> Source:
    """Reads a file; a problem names file and line."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise InvalidInput(
                f"{path} is too large: {size(path.stat().st_size)}; {size(LARGEST)} is the limit",
                hints=["keep what is long in files of the project, and let steps read those"],
            )
        text = raw.decode()
        root: yaml.Node | None = _PlainLoader(text).get_single_node()
    except FileNotFoundError as error:
        raise InvalidInput(f"no such file: {path}", hints=_neighbours(path)) from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text") from error
    except _NotPlain as error:
        raise InvalidInput(f"{path.name}:{error.line}: {error}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InvalidInput(f"{path.name}:{line}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise InvalidInput(f"{path.name}: {error}") from error
    except RecursionError as error:
        raise InvalidInput(f"{path.name}: it is nested too deeply") from error
    lines: dict[Location, int] = {(): 1}
    reader = _Reader(path.name, lines)
    try:
        data = None if root is None else reader.value(root, ())
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path.name}: a value in it is too large or too deep") from error
    return Source(path.name, data, lines, reader.texts)


def _neighbours(path: Path) -> list[str]:
    """Asks for the file beside it that has nearly the same name."""
    if not path.parent.is_dir():
        return []
    return hints_for_file(path.name, [beside.name for beside in path.parent.glob("*.y*ml")])


class _Reader:
    """Turns YAML nodes into plain data and notes their lines."""

    def __init__(self, name: str, lines: dict[Location, int]) -> None:
        self._name = name
        self._lines = lines
        self.texts: dict[Location, str] = {}

    def value(self, node: yaml.Node, location: Location) -> Plain:
        self._lines[location] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, location)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*location, i)) for i, item in enumerate(node.value)]
        self.texts[location] = str(node.value)
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[str, Plain]:
        found: dict[str, Plain] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise InvalidInput(f"{self._name}:{line}: a key must be a plain text")
            key = str(key_node.value)
            if key in found:
                raise InvalidInput(f"{self._name}:{line}: the key {key!r} occurs twice")
            found[key] = self.value(value_node, (*location, key))
        return found


def _scalar(node: yaml.Node) -> Plain:
    if node.tag == _TAG + "null":
        return None
    if node.tag == _TAG + "bool":
        return node.value == "true"
    if node.tag == _TAG + "int":
        return int(node.value)
    if node.tag == _TAG + "float":
        return float(node.value)
    return str(node.value)
