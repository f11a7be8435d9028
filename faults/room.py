"""A room: a project and a data directory at fixed paths, put back before every fault."""

import contextlib
import importlib
import os
import pkgutil
import shlex
import shutil
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import cleveragents
from faults.tracing import (
    ASKING,
    CHANGING,
    Injection,
    SystemCall,
    forked,
    killed,
    read_calls,
    run_traced,
)

STANDS_FOR = {
    "DECISION": "SELECT decision_id FROM decisions WHERE decision_type = 'strategy_choice'",
    "CHILD": "SELECT plan_id FROM plans WHERE parent_plan_id IS NOT NULL",
}


class Program(Protocol):
    """What users run: one command line, and a way to see every checkpoint as files."""

    def run(self, arguments: Sequence[str]) -> int: ...

    def extract(self, project: Path, data: Path, plan: str, wanted: Mapping[int, Path]) -> None: ...


class Room:
    """Where one worker breaks things; several in one room each speak with a voice of their own."""

    def __init__(self, home: Path, program: Program, voice: str = "") -> None:
        self.home = home
        self.project = home / "project"
        self.data = home / "data"
        self.program = program
        self._out, self._err = home / f"out{voice}", home / f"err{voice}"
        self.project.mkdir(parents=True, exist_ok=True)

    # --- its contents ---

    @property
    def sandbox(self) -> Path:
        """The files of the latest plan's sandbox; nothing is there before it has one."""
        rows = self.sql(
            "SELECT path FROM sandboxes JOIN plans USING (plan_id)"
            " WHERE parent_plan_id IS NULL ORDER BY sandbox_id"
        )
        return Path(rows[-1][0]) if rows else self.data / "sandboxes" / "none yet"

    def sql(self, statement: str) -> list[tuple]:
        """Asks the database without the product's help; where there is none yet, nothing is."""
        path = self.data / "cleveragents.db"
        if not path.exists():  # to connect would make it
            return []
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return connection.execute(statement).fetchall()

    def keep(self, name: str) -> None:
        """Remembers the data directory and the project as they are."""
        copy(self.data, self.home / f"kept-{name}")
        self.keep_project(name)

    def keep_project(self, name: str) -> None:
        """Remembers the project as it is."""
        copy(self.project, self.home / f"kept-project-{name}")

    def put_back(self, name: str) -> None:
        """Makes data directory and project again what was remembered, at the same paths."""
        self.clear()
        copy(self.home / f"kept-{name}", self.data)
        self.put_project_back(name)

    def put_project_back(self, name: str) -> None:
        """Makes the project again what was remembered."""
        empty(self.project)
        copy(self.home / f"kept-project-{name}", self.project)

    def clear(self) -> None:
        """Leaves the data directory empty."""
        empty(self.data)
        self.data.mkdir(exist_ok=True)

    def settle(self) -> None:
        """What else happens after a fault, before anybody looks; here nothing."""

    def remove(self) -> None:
        """Removes everything."""
        subprocess.run(["chmod", "-R", "u+rwX", self.home], check=False, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)

    # --- commands in it ---

    def run(self, *lines: str) -> int:
        """Runs command lines in a process of their own, up to the first that fails."""
        return forked(lambda: self._in_child(lambda: self._type(lines)))

    def run_killed(self, line: str, name: str) -> None:
        """Kills a command when a file is there that it finds the path of in a variable."""
        moment = self.home / "moment"
        moment.unlink(missing_ok=True)
        lines = [f"{name}={shlex.quote(str(moment))} {line}"]
        killed(lambda: self._in_child(lambda: self._type(lines)), moment.exists)

    def extract(self, seqs: Iterable[int], plan: str = "@") -> dict[int, Path]:
        """Has checkpoints written beside; returns where, by number, those that are whole."""
        beside = self.home / "extracted"
        empty(beside)
        beside.mkdir(exist_ok=True)
        wanted = {seq: beside / str(seq) for seq in seqs}

        def work() -> int:
            self.program.extract(self.project, self.data, plan, wanted)
            return 0

        if forked(lambda: self._in_child(work)):
            return {}
        return {seq: path for seq, path in wanted.items() if path.exists()}

    def must(self, line: str, codes: Sequence[int] = (0,)) -> None:
        """Runs a command line that has no reason to fail, or to end otherwise."""
        code = self.run(line)
        if code not in codes:
            raise AssertionError(f"{line!r} ended with {code}: {self.said}")

    def trace(
        self,
        line: str,
        injection: Injection | None = None,
        names: Sequence[str] = CHANGING,
        stopped: Callable[[], None] = lambda: None,
    ) -> int:
        """Runs a command line under strace, with a fault if there is to be one.

        Where that is a signal that stops it, `stopped` is called before it goes on.
        """
        work = lambda: self._in_child(lambda: self._type([line]))  # noqa: E731
        return run_traced(work, self._log, injection=injection, calls=names, stopped=stopped)

    def calls(self, line: str, names: Sequence[str] = CHANGING) -> list[SystemCall]:
        """Runs a command line and returns the calls it made on data directory and project."""
        self.trace(line, names=names)
        places = (str(self.data), str(self.project))
        calls = read_calls(self._log)
        return [call for call in calls if any(place in call.text for place in places)]

    @property
    def was_injected(self) -> bool:
        """Whether the latest trace has made a call fail, or a signal come."""
        log = self._log.read_text(errors="replace")
        return any(mark in log for mark in ("(INJECTED)", *(f"--- {name} " for name in ASKING)))

    @property
    def said(self) -> str:
        """What the latest command printed."""
        return "".join(path.read_text(errors="replace") for path in (self._out, self._err))

    @property
    def _log(self) -> Path:
        return self.home / "calls"

    def _type(self, lines: Sequence[str]) -> int:
        for line in lines:
            words = [self._meant(word) for word in shlex.split(line)]
            while "=" in words[0]:  # NAME=value before a command, as in a shell
                name, _, value = words.pop(0).partition("=")
                os.environ[name] = value
            code = self.program.run(["--data-dir", str(self.data), *words])
            if code:
                return code
        return 0

    def _meant(self, word: str) -> str:
        """Some words stand for the id of the only thing of a kind."""
        return self.sql(STANDS_FOR[word])[0][0] if word in STANDS_FOR else word

    def _in_child(self, work: Callable[[], int]) -> int:
        try:
            self._redirect()
            os.chdir(self.project)
            return work()
        except BaseException:  # this process ends here, whatever it was
            traceback.print_exc()
            return 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()

    def _redirect(self) -> None:
        os.setsid()
        for fd, path, flags in (
            (0, os.devnull, os.O_RDONLY),
            (1, self._out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            (2, self._err, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        ):
            opened = os.open(path, flags, 0o600)
            os.dup2(opened, fd)
            os.close(opened)


def copy(source: Path, target: Path) -> None:
    """Copies a directory with everything `cp` can keep; the target may be a mount point."""
    target.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", f"{source}/.", target], check=True)


def empty(directory: Path) -> None:
    """Removes what is in a directory that need not be there."""
    if directory.exists():
        subprocess.run(["chmod", "-R", "u+rwX", directory], check=True)
        subprocess.run(["find", directory, "-mindepth", "1", "-delete"], check=True)


def import_everything() -> None:
    """Loads every module of the product, so that forked children need not."""
    for found in pkgutil.walk_packages(cleveragents.__path__, "cleveragents."):
        if not found.name.endswith((".env", "__main__")):  # those act when they are imported
            importlib.import_module(found.name)
