"""The world of a scenario: a project, a data directory, and the commands run in it."""

import contextlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pexpect
import yaml
from envelopes import check_envelope

from cleveragents.app import App
from cleveragents.cli.main import run


@dataclass
class Done:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def envelope(self):
        """What was printed for programs, read back; JSON is YAML as well."""
        return yaml.safe_load(self.out)

    @property
    def data(self):
        """The `data` of a JSON envelope."""
        return json.loads(self.out)["data"]

    @property
    def error(self):
        """The `error` of a JSON envelope."""
        return json.loads(self.out)["error"]


class World:
    """Real files, real git, real SQLite, below one temporary folder."""

    def __init__(self):
        self.home = Path(tempfile.mkdtemp(prefix="scenario "))
        self.project = self.home / "project"
        self.data_dir = self.home / "data"
        self.project.mkdir()
        self.done = None
        self.protected = []  # what chattr has set a flag on
        self.gate = self.home / "gate"  # a step that waits for it holds still until it is there
        # Set for the commands of this scenario; whoever runs the tests has settings of their own.
        self.variables = {
            "GATE": str(self.gate),
            "XDG_CONFIG_HOME": str(self.home / "xdg"),
        }
        if level := os.environ.get("TESTED_CONFINEMENT"):
            self.variables["CLEVERAGENTS_SANDBOX_CONFINEMENT"] = level
        self.terminal = "xterm"  # the kind of those that commands are typed on
        self.screen = io.StringIO  # what commands in this process write to
        self.child = None  # the latest process that runs beside us
        self.mounts = []  # where the scenario has mounted a file system

    def remove(self):
        """Removes everything, whatever modes it has."""
        if self.child is not None and self.child.poll() is None:
            self.child.kill()
            self.child.communicate()
        for path in self.mounts:
            subprocess.run(["umount", "-l", path], check=True)
        if self.protected:
            subprocess.run(["chattr", "-ia", *self.protected], check=False, capture_output=True)
        subprocess.run(["chmod", "-R", "u+rwX", self.home], check=False, capture_output=True)
        shutil.rmtree(self.home, ignore_errors=True)

    def sh(self, command, cwd=None):
        """Runs a shell command in the project; it must succeed."""
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            ["/bin/sh", "-ec", command],
            cwd=cwd or self.project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            # A shell takes its real user's rights back, so that one must be the ordinary one, too.
            user=None if os.geteuid() == os.getuid() else os.geteuid(),
        )
        assert done.returncode == 0, f"{command!r} ended with {done.returncode}: {done.stderr}"
        return done.stdout

    def make_repository(self):
        """Makes the project a git repository with one commit of what is in it."""
        self.sh("git init -q -b main . && git config user.name T && git config user.email t@x")
        self.sh("git add -A && git commit -q --allow-empty -m first")

    def agents(self, *arguments, cwd=None):
        """Runs `agents` in this process, in the project, and keeps what it printed."""
        out, err = self.screen(), self.screen()
        code = self.run_into(out, err, arguments, cwd)
        self.done = Done(code, out.getvalue(), err.getvalue())
        check_envelope(arguments, self.done)
        return self.done

    def run_into(self, out, err, arguments, cwd=None):
        """Runs `agents` in this process with these streams; returns its exit code."""
        with (
            contextlib.chdir(cwd or self.project),
            self.variables_set(),
            _no_terminal(),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            return run(list(map(str, arguments)))

    def agents_beside(self, *arguments, prefix=(), **options):
        """Starts `agents` in a process of its own; `end_of_child` waits for it.

        Run no step in this process meanwhile: it takes every child of ours for the step's.
        """
        self.child = subprocess.Popen(
            [*prefix, *self.command(arguments)],
            cwd=self.project,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        return self.child

    def end_of_child(self):
        """Waits for the process beside us and keeps what it printed."""
        out, err = self.child.communicate(timeout=60)
        self.done = Done(self.child.returncode, out or "", err)
        return self.done

    def agents_on_terminal(self, *arguments, into=None):
        """Starts `agents` on a terminal that the scenario types on; its output may go to a file."""
        program, *rest = self.command(arguments)
        if into is not None:
            program, rest = "/bin/sh", ["-c", 'exec "$@" > "$0"', str(into), program, *rest]
        return pexpect.spawn(
            program,
            rest,
            cwd=str(self.project),
            env={**os.environ, **self.environment, "TERM": self.terminal},
            encoding="utf-8",
            dimensions=(50, 200),
            timeout=30,
        )

    def command(self, arguments):
        return [sys.executable, "-P", "-m", "cleveragents", *map(str, arguments)]

    @property
    def environment(self):
        """What commands of this scenario find set; what it says itself counts most."""
        return {"CLEVERAGENTS_DATA_DIR": str(self.data_dir), **self.variables}

    @contextlib.contextmanager
    def variables_set(self):
        before = dict(os.environ)
        os.environ.update(self.environment)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    def sql(self, statement, *values):
        """Runs one statement on the database, as if by hand; returns its rows."""
        path = self.data_dir / "cleveragents.db"
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    def app(self, **options):
        """Opens the library on the project."""
        with self.variables_set():
            return App(self.project, data_dir=self.data_dir, **options)

    @property
    def plan(self):
        """The latest plan."""
        return self.app().plans.find("@")

    def write_action(self, text, name="action.yaml"):
        """Writes an action file beside the project."""
        path = self.home / name
        path.write_text(text)
        return path

    @property
    def sandbox(self):
        """The files of the latest plan's sandbox."""
        app = self.app()
        return app.plans.status(app.plans.find("@")).sandbox.path


class Screen(io.StringIO):
    """What is written here is drawn as for a terminal."""

    def isatty(self):
        """As a terminal answers."""
        return True


def wait_until(there, what):
    """Waits for something that another process does; gives up after a minute."""
    deadline = time.monotonic() + 60
    while not there():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


@contextlib.contextmanager
def _no_terminal():
    """Gives commands an empty standard input, also where the tests are started from a terminal."""
    before = sys.stdin
    sys.stdin = io.StringIO()
    try:
        yield
    finally:
        sys.stdin = before
