"""A room: the temporary folder of a test, and the commands that run in it."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HANGS = 300  # seconds after which a command is taken to hang; no test measures time
NOT_INHERITED = ("GIT_", "CLEVERAGENTS_")


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    rc: int
    out: str
    err: str

    @property
    def said(self):
        """Everything it printed."""
        return self.out + self.err


@dataclass
class Room:
    """The folders of a test and the commands that run in them."""

    path: Path
    variables: dict = field(default_factory=dict)  # on top of what is inherited
    disk: subprocess.Popen | None = None  # holds the mounts that only this room sees
    started: list = field(default_factory=list)

    @property
    def project(self):
        """The user's own files."""
        return self.path / "project"

    @property
    def data(self):
        """Where CleverAgents keeps everything."""
        return self.path / "data"

    @property
    def action(self):
        """The action file of the test."""
        return self.path / "action.yaml"

    def plain_environment(self):
        """Builds what commands see that only prepare or inspect something."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(NOT_INHERITED)}
        return {**inherited, "HOME": str(self.path / "home"), "GIT_CONFIG_NOSYSTEM": "1"}

    def environment(self):
        """Builds what `agents` sees."""
        data = {"CLEVERAGENTS_DATA_DIR": str(self.data)}
        return {**self.plain_environment(), **data, **self.variables}

    def seen(self, path):
        """Returns a path as commands of this room see it, mounts included."""
        if self.disk is None:
            return Path(path)
        return Path(f"/proc/{self.disk.pid}/root{path}")


def run(command, directory, environment):
    """Runs a command to its end."""
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="backslashreplace",
        timeout=HANGS,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def end(process):
    """Ends a process and closes what it was connected to us with."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def remove(path):
    """Removes a folder whatever modes a test left in it."""
    if path.exists():
        subprocess.run(["chmod", "-R", "u+rwX", path], check=False, capture_output=True)
        shutil.rmtree(path)
