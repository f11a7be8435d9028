"""Words that could come next on a command line: a shell asks when the user presses Tab.

It must be there at once, so it reads the table of the commands instead of importing them, and only
glances at the database; what it cannot read it does not offer.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cleveragents.cli.reading import options_of
from cleveragents.cli.table.entries import Command, Node
from cleveragents.cli.table.root import ROOT
from cleveragents.cli.table.values import KEYS, TOOLS
from cleveragents.config.environment import caller_environment, default_data_dir
from cleveragents.ids import PlanId

if TYPE_CHECKING:
    from cleveragents.ids import ProjectId
    from cleveragents.storage.glance import Glance

ASSIGNED = re.compile(r"(--[\w-]+=)(.*)", re.DOTALL)

Candidate = tuple[str, str]  # what is typed, and what it is


class TypedWords:
    """The words before the cursor, as far as they matter."""

    def __init__(self) -> None:
        self.node: Node = ROOT
        self.positionals: list[str] = []
        self.options: dict[str, str] = {}
        self.waiting = ""  # an option that still needs its value

    def shown(self, name: str) -> str:
        """The placeholder for the value of an option; empty if there is none."""
        option = options_of(self.node).get(name)
        return option.shown if option and option.alone is None else ""


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
    typed = TypedWords()
    for word in words:
        if typed.waiting:
            typed.options[typed.waiting], typed.waiting = word, ""
        elif assigned := ASSIGNED.match(word):
            typed.options[assigned[1][:-1]] = assigned[2]
        elif word.startswith("-"):
            typed.waiting = word if typed.shown(word) else ""
        elif isinstance(typed.node, Command):
            typed.positionals.append(word)
        else:
            typed.node = typed.node.find(word) or typed.node
    return typed


def _possible(typed: TypedWords, last: str) -> Iterator[Candidate]:
    if typed.waiting:
        yield from _values(typed.shown(typed.waiting), typed, last)
    elif last.startswith("-"):
        for name, option in options_of(typed.node).items():
            yield name, option.help
    elif not isinstance(typed.node, Command):
        for command in typed.node.commands:
            yield command.name, command.help
    else:
        for argument in typed.node.arguments[len(typed.positionals) :][:1]:
            yield from _values(argument.shown, typed, last)


def _values(shown: str, typed: TypedWords, last: str) -> Iterator[Candidate]:
    """The candidates for a placeholder such as PLAN; for a file none, the shell knows best."""
    match shown:
        case "KEY":
            yield from KEYS.items()
        case "KEY=VALUE":
            yield from ((f"{key}=", text) for key, text in KEYS.items())
        case "TOOL":
            yield from TOOLS.items()
        case "PLAN" | "OTHER" | "CHECKPOINT" | "DECISION" | "CHAT" | "TURN":
            yield from _stored(shown, typed, last)
        case _:
            yield from ((choice, "") for choice in shown.split("|") if choice.islower())


def _stored(kind: str, typed: TypedWords, last: str) -> Iterator[Candidate]:
    import sqlite3  # commands and options are offered without it

    from cleveragents.storage.glance import Glance

    given = typed.options.get("--data-dir")
    place = Path(given) if given else default_data_dir(caller_environment())
    try:
        with Glance(place) as glance:
            yield from _rows(glance, kind, typed, last)
    except sqlite3.Error:
        return  # no database yet, or one that is being repaired: there is nothing to offer


def _rows(glance: "Glance", kind: str, typed: TypedWords, last: str) -> Iterator[Candidate]:
    project = glance.project(_places(typed))
    if kind == "DECISION":
        yield from glance.decisions(project)
    elif kind == "CHAT":
        yield "@chat", "the newest chat"
        yield from glance.chats(project)
    elif kind == "TURN":
        yield from glance.turns(_plan(glance, project, typed.options.get("--chat", "@chat")))
    elif kind == "CHECKPOINT":
        yield "@", "the latest checkpoint"
        plan = _plan(glance, project, _named(typed))
        for seq, identity, label in glance.checkpoints(plan):
            # An id is long and its number is not; it is offered to those who began to type it.
            yield (identity, label) if last[:1] == "0" else (str(seq), label)
    else:
        yield "@", "the latest plan"
        yield "@-", "the plan before it"
        yield from glance.plans(project)


def _named(typed: TypedWords) -> str:
    """The name of the plan whose checkpoints are wanted."""
    first = typed.node.arguments[:1] if isinstance(typed.node, Command) else ()
    if typed.positionals and first and first[0].shown == "PLAN":
        return typed.positionals[0]
    return typed.options.get("--plan", "@")


def _plan(glance: "Glance", project: "ProjectId | None", text: str) -> PlanId | None:
    from cleveragents.plans.naming import LATEST_CHAT, back_from_latest

    if text == LATEST_CHAT:
        return next((PlanId(one) for one, _ in glance.chats(project)), None)
    back = back_from_latest(text)
    return glance.plan(project, text) if back is None else glance.latest(project, back)


def _places(typed: TypedWords) -> list[Path]:
    """Exactly the project that is named, or whatever may hold this directory."""
    given = typed.options.get("--project")
    here = Path(given or ".").resolve()
    return [here] if given else [here, *here.parents]
