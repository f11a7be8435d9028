"""What could come next on a command line: what a shell asks for when the user presses Tab.

It must be there at once, so it reads a table of the commands instead of importing them, and only
glances at the database; what it cannot read it does not offer.
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from cleveragents.config.environment import caller_environment, default_data_dir
from cleveragents.storage.glance import Glance

TABLE = Path(__file__).parent / "commands.json"
ASSIGNED = re.compile(r"(--[\w-]+=)(.*)", re.DOTALL)

Candidate = tuple[str, str]  # what is typed, and what it is
Node = Mapping[str, Any]


@dataclass
class TypedWords:
    """What stands before the cursor, as far as it matters."""

    node: Node
    positionals: list[str] = field(default_factory=list[str])
    options: dict[str, str] = field(default_factory=dict[str, str])
    waiting: str = ""  # an option that still needs its value


def lines(words: Sequence[str]) -> Iterator[str]:
    """Yields what may take the place of the last word, each with what it is."""
    for value, text in candidates(words):
        yield f"{value}\t{' '.join(text.split())}\n"


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Returns what may take the place of the last word; none where files are wanted."""
    *before, last = _joined(words)
    typed = _read(before)
    assigned = ASSIGNED.match(last)
    if assigned:
        typed.waiting, start, last = assigned[1][:-1], assigned[1], assigned[2]
    else:
        start = ""
    return [
        (start + value, text)
        for value, text in _possible(typed, last)
        if value.upper().startswith(last.upper())
    ]


def _joined(words: Sequence[str]) -> list[str]:
    """Bash splits --option=value at the sign; here the value counts as the next word."""
    kept = [word for word in words[:-1] if word != "="]
    return [*kept, "" if words[-1] == "=" else words[-1]]


def _read(words: Sequence[str]) -> TypedWords:
    """Follows complete words through the table."""
    typed = TypedWords(_table())
    for word in words:
        if typed.waiting:
            typed.options[typed.waiting], typed.waiting = word, ""
        elif assigned := ASSIGNED.match(word):
            typed.options[assigned[1][:-1]] = assigned[2]
        elif word.startswith("-"):
            typed.waiting = word if _options(typed).get(word, {}).get("value") else ""
        elif word in typed.node.get("commands", {}):
            typed.node = typed.node["commands"][word]
        else:
            typed.positionals.append(word)
    return typed


def _possible(typed: TypedWords, last: str) -> Iterator[Candidate]:
    if typed.waiting:
        yield from _values(_options(typed).get(typed.waiting, {}).get("value") or "", typed, last)
    elif last.startswith("-"):
        for name, option in _options(typed).items():
            yield name, option["help"]
    elif "commands" in typed.node:
        for name, command in typed.node["commands"].items():
            yield name, command["help"]
    else:
        arguments = typed.node["arguments"]
        place = len(typed.positionals)
        if place < len(arguments):
            yield from _values(arguments[place], typed, last)


def _options(typed: TypedWords) -> Mapping[str, Node]:
    return {**typed.node.get("options", {}), **_table()["options"]}


def _values(kind: str, typed: TypedWords, last: str) -> Iterator[Candidate]:
    """What may stand for a placeholder such as PLAN; for a file nothing, the shell knows best."""
    fixed = _table()["values"].get(kind)
    if fixed is not None:
        yield from fixed.items()
    elif kind in ("PLAN", "OTHER", "CHECKPOINT", "DECISION"):
        yield from _stored(kind, typed, last)
    else:
        yield from ((choice, "") for choice in kind.split("|") if choice.islower())


def _stored(kind: str, typed: TypedWords, last: str) -> Iterator[Candidate]:
    given = typed.options.get("--data-dir")
    place = Path(given) if given else default_data_dir(caller_environment())
    try:
        with Glance(place) as glance:
            yield from _rows(glance, kind, typed, last)
    except sqlite3.Error:
        return  # no database yet, or one that is being repaired: there is nothing to offer


def _rows(glance: Glance, kind: str, typed: TypedWords, last: str) -> Iterator[Candidate]:
    project = glance.project(_places(typed))
    if kind == "DECISION":
        yield from glance.decisions(project)
    elif kind == "CHECKPOINT":
        yield "@", "the latest checkpoint"
        plan = glance.plan(project, typed.positionals[0])
        for seq, identity, label in glance.checkpoints(plan):
            # An id is long and its number is not; it is offered to those who began to type it.
            yield (identity, label) if last[:1] == "0" else (str(seq), label)
    else:
        yield "@", "the latest plan"
        yield from glance.plans(project)


def _places(typed: TypedWords) -> list[Path]:
    """Exactly the project that is named, or whatever may hold this directory."""
    given = typed.options.get("--project")
    here = Path(given or ".").resolve()
    return [here] if given else [here, *here.parents]


@cache
def _table() -> Node:
    return json.loads(TABLE.read_text(encoding="utf-8"))
