"""A conversation of Claude Code that goes on from before a turn: a fork, made without the model.

Claude Code forks at a message only where it is handed a prompt (`--print`), and a prompt goes to
the model unless a hook stops it: so it is handed one, with a hook that does. No settings but that
are read, so that no other hook hears of it, and no model could be reached.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast
from uuid import uuid4

from cleveragents.clients.conversation import SECONDS, Conversation
from cleveragents.errors import Failed
from cleveragents.records import frozen

PROMPT = "taken back by agents undo"
_STOP = {"decision": "block", "reason": "the conversation goes on from here"}
_SETTINGS = {
    "hooks": {
        "UserPromptSubmit": [
            {"hooks": [{"type": "command", "command": f"echo '{json.dumps(_STOP)}'"}]}
        ]
    }
}
# Nobody listens there: whatever goes wrong, the model is not asked.
_NOWHERE = {
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
}
_NESTED = "CLAUDECODE"  # it refuses to run inside itself
_SPOKEN = ("user", "assistant")
_FIELDS = ("type", "uuid", "parentUuid", "promptId", "cwd")


@frozen
class Fork:
    """A conversation that goes on instead of another one."""

    session: str
    directory: Path  # in which Claude Code knows it


@frozen
class _Line:
    """As much of a line of a transcript as tells where it belongs."""

    kind: str
    name: str
    parent: str
    prompt: str
    cwd: str


def fork(
    program: str, talk: Conversation, directory: Path, caller: Mapping[str, str]
) -> Fork | None:
    """Makes a conversation that ends before a turn, or fails and says why.

    None: nothing was said before it, so that there is nothing to go on with.
    """
    lines = list(_lines(directory, talk.session))
    first = next((line for line in lines if _is_of(line, talk.turn)), None)
    if first is None:
        raise Failed("its transcript is gone, or does not know the turn")
    before = _spoken(lines, first.parent)
    if before is None:
        return None
    began = next((line.cwd for line in lines if line.cwd), "")
    made = Fork(str(uuid4()), Path(began or talk.root))
    _run(_command(program, talk.session, before, made.session), made.directory, caller)
    forked = list(_lines(directory, made.session))
    if not forked or any(_is_of(line, talk.turn) for line in forked):
        raise Failed("Claude Code made no fork of it")
    return made


def _lines(directory: Path, session: str) -> Iterator[_Line]:
    """The lines of a transcript; read, and never kept."""
    for path in sorted(directory.glob("projects/*")):
        file = path / f"{Path(session).name}.jsonl"
        if file.is_file():
            with file.open(encoding="utf-8", errors="replace") as text:
                yield from (line for line in map(_line, text) if line is not None)


def _line(text: str) -> _Line | None:
    try:
        found: object = json.loads(text)
    except ValueError:  # it is being written
        return None
    if not isinstance(found, dict):
        return None
    fields = cast("dict[str, object]", found)
    return _Line(*(str(fields.get(name) or "") for name in _FIELDS))


def _is_of(line: _Line, turn: str) -> bool:
    """Whether a line is of a turn: its prompt comes first."""
    return line.kind == "user" and bool(turn) and line.prompt == turn


def _spoken(lines: list[_Line], name: str) -> str | None:
    """The last word that was said at a line or above it; others are no place to resume at."""
    known = {line.name: line for line in lines if line.name}
    while name in known and known[name].kind not in _SPOKEN:
        name = known[name].parent
    return name if name in known else None


def _command(program: str, session: str, before: str, made: str) -> list[str]:
    resumed = ["--resume", session, "--resume-session-at", before]
    forked = ["--fork-session", "--session-id", made]
    alone = ["--setting-sources", "", "--settings", json.dumps(_SETTINGS)]
    return [program, *resumed, *forked, *alone, "--print", PROMPT]


def _run(command: list[str], directory: Path, caller: Mapping[str, str]) -> None:
    variables = {name: value for name, value in caller.items() if name != _NESTED}
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env={**variables, **_NOWHERE},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"Claude Code could not be run: {error}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise Failed(f"Claude Code: {said.partition(chr(10))[0] or done.returncode}")
