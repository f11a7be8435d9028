"""What it takes to start: as a ratio to bare Python, side by side, and in modules imported.

Times are shown only; how much is imported is judged, because nothing else makes start-up grow.
"""

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.project import within
from cleveragents.app import App

ROUNDS = 7  # the quickest of them counts: what else runs on the machine only ever slows down
BARE = [sys.executable, "-I", "-c", "pass"]
# Ours and the standard library's, and those of the libraries a command cannot do without.
MOST_MODULES = {
    "--version": 70,
    "plan list": 190,
    "plan status @": 305,
    "plan checkpoint list @": 220,
    "plan checkpoint create @": 335,
}
TELL = "import atexit, sys; atexit.register(lambda: print(len(sys.modules), file=sys.stderr))"


class StartUp:
    """A command in a process of its own, on a project with one plan."""

    number = 1
    warmup_time = 0
    timeout = 300
    params = list(MOST_MODULES)
    param_names = ["command"]

    def setup_cache(self):
        """Makes a plan to be listed and checkpointed."""
        home = Path.cwd() / "startup"
        project, data = home / "project", home / "data"
        project.mkdir(parents=True)
        with App(project, data_dir=data).session() as run:
            run.tool("write_file", path="a.txt", content="one")
        return project, data

    def track_times_bare_python(self, made, command):
        """How many times as long as an interpreter that does nothing."""
        bare, ours = [], []
        for _ in range(ROUNDS):
            bare.append(_seconds(BARE, made[0]))
            ours.append(_seconds(_command(made, command), made[0]))
        return min(ours) / min(bare)

    track_times_bare_python.unit = "times"

    def track_modules(self, made, command):
        """How many modules are there in the end."""
        code = f"{TELL}; from cleveragents.cli.main import main; main()"
        [python, _, _, _, *arguments] = _command(made, command)
        line = [python, "-P", "-c", code, *arguments]
        done = subprocess.run(line, cwd=made[0], check=True, capture_output=True, text=True)
        count = int(done.stderr.split()[-1])
        return within(f"modules of {command}", count, most=MOST_MODULES[command])

    track_modules.unit = "modules"


def _command(made: tuple[Path, Path], command: str) -> list[str]:
    options = [] if command.startswith("-") else ["--data-dir", str(made[1])]
    return [sys.executable, "-P", "-m", "cleveragents", *options, *command.split()]


def _seconds(line: list[str], where: Path) -> float:
    began = time.perf_counter()
    subprocess.run(line, cwd=where, check=True, capture_output=True)
    return time.perf_counter() - began
