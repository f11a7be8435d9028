"""What subplans cost: so much more than the same steps in one plan, and so many bytes.

The everyday run is small. SUBPLANS_FULL=1 measures twenty subplans on a project of 10,000 files.
"""

import os
import random
import subprocess
import time
from pathlib import Path

from benchmarks.project import FILE_BYTES, exactly, within
from cleveragents.app import App

FILES, CHILDREN = (10_000, 20) if os.environ.get("SUBPLANS_FULL") else (500, 5)
# What a child adds: its own file, the directories on the way to it, and its checkpoints with the
# state of its git directory. Nothing in this depends on how large the project is.
BYTES_PER_CHILD = 32 * 1024


class Children:
    """A group of children that each write one file, beside the same steps in one plan."""

    number = 1
    warmup_time = 0
    timeout = 1800
    params = ["sequential", "parallel"]
    param_names = ["mode"]

    def setup_cache(self):
        """Makes the project and runs every plan once; the benchmarks tell what was measured."""
        home = Path.cwd() / "subplans"
        _make_project(home / "project")
        plain = _Run(home, "plain", [f"  - {_step(number)}" for number in range(CHILDREN)])
        return {mode: (plain, _Run(home, mode, _group(mode))) for mode in self.params}

    def track_seconds_per_child(self, runs, mode):
        """What one child takes beyond its step in a plain plan."""
        plain, group = runs[mode]
        return (group.seconds - plain.seconds) / CHILDREN

    track_seconds_per_child.unit = "seconds"

    def track_bytes_per_child(self, runs, mode):
        """What is stored for each; the project was stored by the plain plan."""
        return within("bytes per child", runs[mode][1].stored // CHILDREN, most=BYTES_PER_CHILD)

    track_bytes_per_child.unit = "bytes"

    def track_children_merged(self, runs, mode):
        """All of them, however many run at once."""
        return exactly("children", runs[mode][1].merged, CHILDREN)

    track_children_merged.unit = "children"


class _Run:
    """One plan, run to its end: what it took and what it left."""

    def __init__(self, home: Path, name: str, steps: list[str]) -> None:
        action = home / f"{name}.yaml"
        action.write_text("\n".join([f"name: {name}", "steps:", *steps, ""]))
        app = App(home / "project", data_dir=home / "data")
        plan = app.use(action, {})
        before, began = _stored(home), time.monotonic()
        app.execute.run(plan.plan_id)
        self.seconds = time.monotonic() - began
        self.stored = _stored(home) - before
        self.merged = sum(child.merged_ref is not None for child in app.plans.status(plan).children)


def _make_project(path: Path) -> None:
    for number in range(FILES):
        file = path / "/".join(str(number).zfill(5)[:-1]) / f"f{number}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(random.randbytes(FILE_BYTES))
    identity = ("-c", "user.name=B", "-c", "user.email=b@x")
    for arguments in (["init"], ["add", "--all"], [*identity, "commit", "--message", "first"]):
        subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True)


def _stored(home: Path) -> int:
    return sum(path.stat().st_size for path in (home / "data").rglob("*.pack"))


def _step(number: int) -> str:
    return f"{{tool: write_file, with: {{path: made-{number}, content: '{number}'}}}}"


def _group(mode: str) -> list[str]:
    children = [
        f"        - {{name: child-{number}, steps: [{_step(number)}]}}"
        for number in range(CHILDREN)
    ]
    return ["  - subplans:", f"      mode: {mode}", "      plans:", *children]
