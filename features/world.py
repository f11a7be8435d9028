"""The world of a scenario: a project, a data directory, and the commands run in it."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cleveragents.app import App
from cleveragents.cli.main import run


@dataclass
class Done:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

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

    def remove(self):
        """Removes everything, whatever modes it has."""
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
        )
        assert done.returncode == 0, f"{command!r} ended with {done.returncode}: {done.stderr}"
        return done.stdout

    def make_repository(self):
        """Makes the project a git repository with one commit of what is in it."""
        self.sh("git init -q -b main . && git config user.name T && git config user.email t@x")
        self.sh("git add -A && git commit -q --allow-empty -m first")

    def agents(self, *arguments, cwd=None):
        """Runs `agents` in this process, in the project, and keeps what it printed."""
        out, err = io.StringIO(), io.StringIO()
        before = Path.cwd()
        os.chdir(cwd or self.project)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = run(["--data-dir", str(self.data_dir), *map(str, arguments)])
        finally:
            os.chdir(before)
        self.done = Done(code, out.getvalue(), err.getvalue())
        return self.done

    def app(self, **options):
        """Opens the library on the project."""
        return App(self.project, data_dir=self.data_dir, **options)

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
