"""The projects that benchmarks work on: repositories of many small files, and a plan in each.

They are made once for all benchmarks. Each benchmark finds the files saved, with a warm cache, as
they are in the middle of a plan, and counts only what it adds.
"""

import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from cleveragents.app import App
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType

FILES = [100, 1000]
CHANGED = [1, 10]
LISTED = 50  # checkpoints that a plan keeps unless told otherwise
FILE_BYTES = 1024
KEEP_ALL = "[sandbox.checkpoint]\nmax-checkpoints-per-plan = 1000000\n"
ACTION = "name: look\nsteps: [{{tool: read_file, with: {{path: '{}'}}}}]\n"
STARTS_A_PROCESS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")

_started: list[str] = []  # the processes this one has started, since it watches


class OnProject:
    """A benchmark on a project of so many files, of which so many have been changed."""

    params = [FILES, CHANGED]
    param_names = ["files", "changed"]
    number = 1  # what is measured leaves something behind, so each time needs its own setup
    warmup_time = 0
    timeout = 300

    def setup_cache(self):
        """Makes the projects, below the directory that asv removes in the end."""
        for files in FILES:
            _make_project(Path.cwd() / str(files), files, settings=KEEP_ALL)
        _make_project(Path.cwd() / "listing", FILES[0], settings="")
        return Path.cwd()

    def setup(self, home, files, changed):
        self.project = BenchProject(home / str(files), files)
        self.project.checkpoint()
        self.project.change(changed)


class BenchProject:
    """A prepared project with its plan, opened in this process."""

    def __init__(self, home: Path, files: int) -> None:
        self._names = _names(files)
        self.path = home / "project"
        self.data = home / "data"
        app = App(self.path, data_dir=self.data)
        status = app.plans.status(app.plans.find("@"))
        self.plan_id = status.plan.plan_id
        self.sandbox = status.sandbox.path
        self.service = app.checkpoints

    def change(self, count: int) -> None:
        """Writes noise, which no compression makes smaller, to files that lie far apart."""
        step = len(self._names) // max(count, 1)
        for name in self._names[::step][:count]:
            (self.sandbox / name).write_bytes(random.randbytes(FILE_BYTES))

    def checkpoint(self):
        """Saves the present state, whether or not it has changed."""
        wanted = CheckpointRequest(CheckpointType.MANUAL, "measured")
        return self.service.create_checkpoint(self.plan_id, wanted)

    def automatic_checkpoint(self):
        """Saves the present state if it differs from the latest checkpoint."""
        wanted = CheckpointRequest(CheckpointType.STEP, "measured", even_if_unchanged=False)
        return self.service.create_checkpoint(self.plan_id, wanted)

    def checkpoints(self):
        """Lists the checkpoints, the oldest first."""
        return self.service.list_checkpoints(self.plan_id)

    def rollback(self, checkpoint):
        """Goes back to a checkpoint."""
        return self.service.rollback_to_checkpoint(self.plan_id, checkpoint)

    def packs(self) -> dict[Path, int]:
        """Returns every stored pack with its bytes."""
        return {path: path.stat().st_size for path in self.data.rglob("*.pack")}

    def agents(self, *arguments: str) -> None:
        """Runs the command in a process of its own, as users do."""
        subprocess.run(
            [sys.executable, "-m", "cleveragents", "--data-dir", str(self.data), *arguments],
            cwd=self.path,
            check=True,
            capture_output=True,
        )


def within(what: str, found: int, *, most: int, least: int = 0) -> int:
    """Returns a count; raises if it is out of its bounds, which fails the benchmark."""
    if not least <= found <= most:
        raise AssertionError(f"{what}: {found}, not from {least} to {most}")
    return found


def exactly(what: str, found: int, expected: int) -> int:
    """Returns a count; raises if it is another than expected."""
    return within(what, found, least=expected, most=expected)


def processes_started_by(action: Callable[[], object]) -> int:
    """Runs an action and returns how many processes it started."""
    _watch()
    before = len(_started)
    action()
    return len(_started) - before


@cache
def _watch() -> None:
    """Lets Python tell us of every process; a hook can never be removed, so there is one."""

    def hook(event: str, _: object) -> None:
        if event in STARTS_A_PROCESS:
            _started.append(event)

    sys.addaudithook(hook)


def _make_project(home: Path, files: int, settings: str) -> None:
    """Makes a repository of noise and runs a plan in it that changes nothing."""
    path, names = home / "project", _names(files)
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(random.randbytes(FILE_BYTES))
    (path / ".cleveragents").mkdir()
    (path / ".cleveragents" / "config.toml").write_text(settings)
    identity = ("-c", "user.name=B", "-c", "user.email=b@x")
    for arguments in (["init"], ["add", "--all"], [*identity, "commit", "--message", "first"]):
        subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True)
    (home / "action.yaml").write_text(ACTION.format(names[0]))
    app = App(path, data_dir=home / "data")
    app.execute.run(app.use(home / "action.yaml", {}).plan_id)


def _names(files: int) -> list[str]:
    """Spreads files over a tree of which no directory has more than ten entries.

    So the depth of a project grows with its size and its directories do not, as in real ones.
    """
    digits = len(str(files - 1))
    return ["/".join(str(number).zfill(digits)) for number in range(files)]
