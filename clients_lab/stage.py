"""One play of one client: turns, the user's edits, our commands, and what is wrong afterwards."""

import json
import shlex
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clients_lab import processes, scripts
from clients_lab.looks import Look, differing, git_identity, look
from clients_lab.programs import Place, Program
from clients_lab.room import Room, Said
from clients_lab.script import prompt

PATIENCE = 60  # seconds until something that was started is there
HOOKS = (
    ".claude/settings.json",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".qwen/settings.json",
)
HERE = "HERE"  # where an agent works as a step is known once it does
BEGIN = f"""
import json, os, sys
from urllib.parse import quote
line = [word.replace({HERE!r}, quote(os.getcwd())) for word in json.loads(sys.argv[1])]
os.execv(line[0], line)
"""


class Stopped(Exception):
    """A play cannot go on; the text says why."""


@dataclass(frozen=True)
class Installed:
    """A client on this machine."""

    program: Program
    node: Path
    modules: Path
    version: str


@dataclass
class Stage:
    """Where a play happens."""

    installed: Installed
    room: Room
    place: Place
    heard: Sequence[str]  # by the model: every request
    problems: list[str] = field(default_factory=list)
    turns: int = 0

    def __post_init__(self) -> None:
        """Looks at the project as it is given to the agent."""
        self.first = self.look()

    # --- the agent -----------------------------------------------------------------------------

    def turn(self, script: str, *, is_careful: bool = False) -> None:
        """Gives the agent a prompt and lets it work until it is done."""
        self.turns += 1
        words = prompt(script, str(self.room.project))
        program, node = self.installed.program, self.installed.node
        kind = "careful" if is_careful else "delegating" if "subagent" in script else ""
        self._run(program.command(node, self.installed.modules, words, self.turns, kind))

    def goes_on(self, session: str, script: str) -> str:
        """Gives a prompt in a conversation that is named; tells what the model heard then."""
        words, known = prompt(script, str(self.room.project)), len(self.heard)
        program, node = self.installed.program, self.installed.node
        self._run(program.resuming(node, self.installed.modules, words, session))
        return "\n".join(self.heard[known:])

    def works_as_step(self, script: str, level: str) -> Said:
        """Gives a prompt to the agent as the one step of a plan, confined to a level."""
        program, node = self.installed.program, self.installed.node
        line = program.command(node, self.installed.modules, prompt(script, HERE), 1)
        tool = {
            "name": "agent",
            "command": shlex.join([sys.executable, "-c", BEGIN, json.dumps(line)]),
            "network": True,
            "pass_env": list(self._variables()),
        }
        steps = [{"tool": "agent"}]
        action = {"name": "agent", "confine": level, "tools": [tool], "steps": steps}
        path = self.room.base / "action.json"
        path.write_text(json.dumps(action))
        return self.room.agents("run", str(path), more=self._variables())

    def _variables(self) -> Mapping[str, str]:
        return self.installed.program.variables(self.place)

    def _run(self, command: Sequence[str]) -> None:
        node = self.installed.node
        variables = self.room.environment(self._variables(), node.parent)
        ended = processes.run(command, self.room.project, variables)
        if ended.code:
            lines = f"{ended.output}\n{ended.errors}".strip().splitlines()
            raise Stopped(f"the client ended with {ended.code}: {' / '.join(lines[-3:])[:300]}")

    def turn_with_user(self, script: str, act: Callable[[], None]) -> None:
        """Gives a prompt whose call waits until the user has done something."""
        user = threading.Thread(target=self._meet, args=(act,))
        user.start()
        try:
            self.turn(script)
        finally:
            user.join()

    def _meet(self, act: Callable[[], None]) -> None:
        if _comes(self.room.beside / scripts.STARTED):
            act()
        (self.room.beside / scripts.GO).touch()

    def wait_for(self, name: str) -> None:
        """Waits for a file that a process in the background writes."""
        if not _comes(self.room.project / name):
            raise Stopped(f"{name} never came")

    # --- the user ------------------------------------------------------------------------------

    def edits(self, line: int, text: str) -> None:
        """Changes one line of the file that the agent edits as well."""
        path = self.room.project / "shared.txt"
        lines = path.read_text().splitlines()
        lines[line - 1] = text
        path.write_text("\n".join(lines) + "\n")

    def notes(self, text: str) -> None:
        """Adds a line to a file that only the user writes."""
        with (self.room.project / "user.txt").open("a") as file:
            file.write(f"{text}\n")

    # --- our commands --------------------------------------------------------------------------

    def undo(self, *words: str, code: int = 0) -> Said:
        """Takes back; `.git` stays what it is to the inode."""
        return self._act("undo", *words, "--yes", code=code)

    def redo(self, *words: str) -> Said:
        """Takes the last undo back."""
        return self._act("redo", *words, "--yes", code=0)

    def preview(self, *words: str) -> Said:
        """Shows what an undo would do; nothing changes."""
        before = self.look()
        said = self._act("undo", *words, "--dry-run", code=0)
        self.same(before, "after a preview")
        return said

    def _act(self, *words: str, code: int) -> Said:
        git = git_identity(self.room.project)
        said = self.room.agents(*words)
        shown = f"agents {' '.join(words)}"
        if said.code != code:
            tail = " / ".join(said.text.strip().splitlines()[-4:])
            self.problems.append(f"{shown}: exit {said.code}, not {code}: {tail[:400]}")
        if git_identity(self.room.project) != git:
            self.problems.append(f"{shown}: .git is not what it was")
        return said

    def settings(self) -> Mapping[str, str]:
        """What stands in the settings of the client."""
        names = [*self.installed.program.settings(self.place), *HOOKS]
        paths = [self.room.home / name for name in names]
        return {str(path): path.read_text() for path in paths if path.exists()}

    def brings(self, name: str, line: str) -> None:
        """Brings what a step did to the project."""
        self._act("plan", "apply", "@", "--yes", code=0)
        there = (self.room.project / name).read_text().splitlines()
        self.wants(line in there, f"{name} has no {line!r} after it was applied")

    # --- the judge -----------------------------------------------------------------------------

    def look(self) -> Look:
        """What the project holds now."""
        return look(self.room.project)

    def same(self, expected: Look, when: str) -> None:
        """Notes every path that is not as expected."""
        found = differing(expected, self.look())
        self.problems += [f"{when}: {line}" for line in found[:12]]

    def changed(self, before: Look, *names: str) -> Look:
        """Makes sure that the agent did its part; returns what is there now."""
        now = self.look()
        unchanged = [name for name in names if now.get(name.encode()) == before.get(name.encode())]
        if unchanged:
            raise Stopped(f"the agent left {', '.join(unchanged)} as it was")
        return now

    def wants(self, holds: object, text: str) -> None:
        """Notes something that does not hold."""
        if not holds:
            self.problems.append(text)


def _comes(path: Path) -> bool:
    end = time.monotonic() + PATIENCE
    while not path.exists():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
