"""Runs what stands in the pages and compares it with what they say it prints.

    python features/support/console_pages.py docs/tutorials/undo.md    # writes the outputs anew

A fence ```LANGUAGE FILE is a file that is written before the next command. In a ```console fence a
line `$ COMMAND` is run in one temporary project per page; the lines below it are what it prints,
errors included. `…` stands for anything within a line (ids, times, paths), alone on a line for any
number of lines. `NAME=$(COMMAND)` keeps what the command prints for later commands.
"""

import io
import os
import re
import shlex
import string
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from world import World

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)(?: +(\S+))?$")
KEEPING = re.compile(r"^(\w+)=\$\((.*)\)$")
SHELL_SIGNS = re.compile(r"[|<>;&]|\$\(")
PROMPT = "$ "
ANYTHING = "…"
# What differs from run to run, and what stands for it.
UNSTEADY = (
    (re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{8}([0-9A-HJKMNP-TV-Z]{16})?\b"), f"01{ANYTHING}"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?(\+00:00)?"), ANYTHING),
    (re.compile(r"\bjust now\b|\b\d+ min ago\b|\b\d\d:\d\d(:\d\d)?\b"), ANYTHING),
    (re.compile(r"\b\d+(\.\d+)? ([KMG]i)?B\b"), ANYTHING),
    (re.compile(r"\bprocess \d+"), f"process {ANYTHING}"),
    (re.compile(r"\b\d+\.\d+ s\b"), f"{ANYTHING} s"),
    (re.compile(r'"duration_ms": \d+'), f'"duration_ms": {ANYTHING}'),
)


@dataclass
class Block:
    """A fence of a page: a file to write, or commands to run."""

    line: int  # where its content begins, from 0
    file: str | None
    lines: list[str] = field(default_factory=list)


@dataclass
class Command:
    """A command of a page and what it is said to print."""

    line: int
    text: str
    expected: list[str] = field(default_factory=list)


def blocks(page):
    """The fences of a page that the runner knows what to do with."""
    found, inside = [], None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines()):
        fence = FENCE.match(line)
        if inside is not None and line == "```":
            inside = None
        elif inside is None and fence:
            inside = Block(number + 1, fence[2])
            if fence[1] == "console" or fence[2]:
                found.append(inside)
        elif inside is not None:
            inside.lines.append(line)
    return found


def commands(block):
    """The commands of a console fence, each with the lines below it."""
    found = []
    for number, line in enumerate(block.lines):
        if line.startswith(PROMPT):
            found.append(Command(block.line + number, line.removeprefix(PROMPT)))
        else:
            found[-1].expected.append(line)
    return found


class Page:
    """Runs the commands of one page, one after the other, in the project of a scenario's world."""

    def __init__(self, world):
        self.world = world
        self.kept = {}  # what NAME=$(COMMAND) has kept
        world.variables.update(
            {
                "CLEVERAGENTS_DATA_DIR": str(world.data_dir),
                "HOME": str(world.home),
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_AUTHOR_NAME": "You",
                "GIT_AUTHOR_EMAIL": "you@example.org",
                "GIT_COMMITTER_NAME": "You",
                "GIT_COMMITTER_EMAIL": "you@example.org",
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            }
        )

    def outputs(self, page):
        """Runs a page; yields each command with its exit code and what it printed."""
        for block in blocks(page):
            if block.file:
                self._write(block)
                continue
            for command in commands(block):
                code, printed = self._run(command.text)
                yield command, code, [line.rstrip() for line in printed.splitlines()]

    def _write(self, block):
        path = self.world.project / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(block.lines) + "\n")

    def _run(self, text):
        keeping = KEEPING.match(text)
        if keeping:
            code, printed = self._shell(keeping[2], errors=subprocess.DEVNULL)
            self.kept[keeping[1]] = printed.strip()
            return code, ""
        text = string.Template(text).safe_substitute(self.kept)
        if text.startswith("agents ") and not SHELL_SIGNS.search(text):
            return self._agents(shlex.split(text, comments=True)[1:])
        return self._shell(text)

    def _agents(self, arguments):
        """In this process, with both streams in one, as a terminal shows them."""
        printed = io.StringIO()
        code = self.world.run_into(printed, printed, arguments)
        return code, printed.getvalue()

    def _shell(self, text, errors=subprocess.STDOUT):
        done = subprocess.run(
            ["/bin/sh", "-c", text],
            cwd=self.world.project,
            env={**os.environ, **self.world.environment},
            stdout=subprocess.PIPE,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


def matches(expected, printed):
    """Whether lines are what a page says they are."""
    return re.fullmatch(_pattern(expected), "".join(f"{line}\n" for line in printed)) is not None


def _pattern(expected):
    parts = []
    for line in expected:
        if line.strip() == ANYTHING:
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(map(re.escape, line.rstrip().split(ANYTHING))) + r"\n")
    return "".join(parts)


def steady(line, home):
    """A line with what differs from run to run taken out."""
    line = re.sub(rf"{re.escape(str(home))}\S*", ANYTHING, line)
    for pattern, stand_in in UNSTEADY:
        line = pattern.sub(stand_in, line)
    return line


def rewrite(page, world):
    """Writes what the commands of a page print now below them."""
    lines = page.read_text(encoding="utf-8").splitlines()
    places = []
    for command, _, printed in Page(world).outputs(page):
        told = [steady(line, world.home) for line in printed]
        kept = command.expected if matches(command.expected, printed) else told
        places.append((command, kept))
    for command, told in reversed(places):
        start = command.line + 1
        lines[start : start + len(command.expected)] = told
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    for name in sys.argv[1:]:
        world = World()
        try:
            rewrite(Path(name), world)
        finally:
            world.remove()


if __name__ == "__main__":
    main()
