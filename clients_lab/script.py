"""What the model does when a prompt names a script: rounds of acts, each round one model turn.

A prompt says `SCRIPT:name ROOT=path`, the path percent-encoded. The newest such prompt and the
number of model turns since then give the next round, so that the model remembers nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

PROMPT = re.compile(r"SCRIPT:([\w-]+) ROOT=([^\s\"'<]+)")


@dataclass(frozen=True)
class Write:
    """Writes a whole file with the client's tool for that."""

    path: str
    content: str


@dataclass(frozen=True)
class Read:
    """Reads a file; some clients edit only what they have read."""

    path: str


@dataclass(frozen=True)
class Edit:
    """Replaces one piece of text in a file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Shell:
    """Runs a command line."""

    command: str


@dataclass(frozen=True)
class Delegate:
    """Gives another script to a subagent."""

    script: str
    is_behind: bool = False  # the client need not wait for it, where it has the choice


@dataclass(frozen=True)
class Wait:
    """Lets subagents that run on come to their end, where the client has a tool for that."""


Act = Write | Read | Edit | Shell | Delegate | Wait


@dataclass(frozen=True)
class Round:
    """The calls of one model turn; side by side if the client runs them so."""

    acts: tuple[Act, ...]
    meanwhile: str = ""  # what the user does before the model answers


@dataclass(frozen=True)
class Asked:
    """What a request comes to: the script to play, where, and how far it is."""

    script: str
    root: str
    turns: int  # of the model since the prompt
    agents: tuple[str, ...] = ()  # subagents that were started


def prompt(script: str, root: str) -> str:
    """Writes the prompt that starts a script."""
    return f"SCRIPT:{script} ROOT={quote(root)}"


def newest(texts: Sequence[str]) -> tuple[int, str, str] | None:
    """Finds the last text that names a script: its index, the script and the root."""
    for index in range(len(texts) - 1, -1, -1):
        if found := PROMPT.findall(texts[index]):
            script, root = found[-1]
            return index, script, unquote(root)
    return None
