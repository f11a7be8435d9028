"""A room for one play: a home, a project under git, a data directory, and nothing of the user's."""

import json
import os
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clients_lab import processes, scripts
from clients_lab.processes import MARK, Ended

AGENTS = Path(sys.executable).with_name("agents")
COMMAND_LIMIT = 90  # seconds for one command of ours


@dataclass(frozen=True)
class Said:
    """What one of our commands answered."""

    code: int
    data: dict[str, Any]
    text: str


@dataclass(frozen=True)
class Room:
    """Directories and an environment of their own."""

    base: Path
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def home(self) -> Path:
        """An empty home directory."""
        return self.base / "home"

    @property
    def project(self) -> Path:
        """The project that agents work in."""
        return self.base / "project"

    @property
    def data(self) -> Path:
        """Where our data lie."""
        return self.base / "data"

    @property
    def beside(self) -> Path:
        """A directory by which a running call and the user wait for each other."""
        return self.base / "beside"

    @property
    def programs(self) -> Path:
        """A directory with the client, as its user calls it."""
        return self.base / "bin"

    def environment(self, more: Mapping[str, str], path: Path | None = None) -> dict[str, str]:
        """Builds an environment that owes nothing to the caller's."""
        places = [str(self.programs), *([str(path)] if path is not None else [])]
        return {
            "HOME": str(self.home),
            "PATH": os.pathsep.join([*places, "/usr/local/bin", "/usr/bin", "/bin"]),
            "TMPDIR": str(self.base / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            MARK: self.mark,
            **more,
        }

    def put(self, files: Mapping[str, str]) -> None:
        """Writes files below the home directory."""
        for name, text in files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def install(self, name: str, command: Sequence[str]) -> None:
        """Lets a program be called by its name."""
        self.programs.mkdir()
        path = self.programs / name
        path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        path.chmod(0o755)

    def agents(self, *words: str, more: Mapping[str, str] | None = None) -> Said:
        """Runs one of our commands in the project, as its user would."""
        command = [str(AGENTS), *words, "--format", "json", "--data-dir", str(self.data)]
        environment = self.environment(more or {})
        ended = processes.run(command, self.project, environment, limit=COMMAND_LIMIT)
        return Said(ended.code, _data(ended), ended.output + ended.errors)


@contextmanager
def room() -> Iterator[Room]:
    """Makes a room, and leaves neither files nor processes behind."""
    made = Room(Path(tempfile.mkdtemp(prefix="client it's ä ")))
    try:
        for path in (made.home, made.project, made.beside, made.base / "tmp"):
            path.mkdir()
        _fill(made.project)
        yield made
    finally:
        made.agents("keeper", "stop")
        processes.end_marked(made.mark)
        shutil.rmtree(made.base, ignore_errors=True)


def _fill(project: Path) -> None:
    for name, text in {**scripts.FILES, **scripts.IGNORED}.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (project / scripts.HOLLOW).mkdir()
    name, target = scripts.LINK
    (project / name).symlink_to(target)
    who = ["-c", "user.name=User", "-c", "user.email=user@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *words], cwd=project, check=True)


def _data(ended: Ended) -> dict[str, Any]:
    try:
        said = json.loads(ended.output)
    except ValueError:
        return {}
    return said.get("data") or {}
