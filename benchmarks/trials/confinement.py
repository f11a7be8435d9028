"""What it costs to start a step confined: beside an unconfined one, and bare Python."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

from benchmarks.trials.costs import least
from cleveragents.app import App
from cleveragents.confinement import launch
from cleveragents.confinement.cell import OPEN
from cleveragents.ids import PlanId, new_id
from cleveragents.sandbox.process import Job, run

ROUNDS, TIMES = 7, 20
LEVELS = ("project", "write", "strict")
BARE = [sys.executable, "-I", "-S", "-c", "pass"]


def starts(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """The start of /bin/true at each level, by both launchers."""
    (home / "project").mkdir()
    with App(home / "project", data_dir=home / "data") as app:
        tree = home / "data" / "sandboxes" / "one" / "tree"
        tree.mkdir(parents=True)
        cells = {"none": OPEN}
        for level in LEVELS:
            cells[level] = app.confinement.cell(PlanId(new_id()), tree, [level])
        jobs = [partial(_start, tree, cell, app.confinement.rooms) for cell in cells.values()]
        for name, unit, is_compiled in (("compiled", 1000, True), ("Python", 0, False)):
            found = launch.launcher() if is_compiled else launch.PYTHON
            if is_compiled and not launch.is_compiled():
                continue
            with patch.object(launch, "launcher", lambda found=found: found):
                bare, none, *taken = least(ROUNDS, _bare, *map(_often, jobs))
            for level, seconds in zip(LEVELS, taken, strict=True):
                more = (seconds - none) / TIMES
                value = more * unit if unit else more / (bare / TIMES)
                yield f"a step at {level}, launcher {name}", value


def _start(tree: Path, cell: object, rooms: Path) -> None:
    output = tree.with_name("output")
    job = Job(["/bin/true"], tree, os.environ, new_id(), output, cell=cell, rooms=rooms)
    run(job, on_line=lambda _: None, must_stop=lambda: False)


def _often(call: Callable[[], None]) -> Callable[[], None]:
    def calls() -> None:
        for _ in range(TIMES):
            call()

    return calls


def _bare() -> None:
    for _ in range(TIMES):
        subprocess.run(BARE, check=True)
