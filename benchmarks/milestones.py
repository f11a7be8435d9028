"""What the milestones of a plan cost: many quick steps, beside the same steps as a shell script.

python benchmarks/milestones.py [--files 1000] [--steps 200] [--repetitions 3] [--bar 15]

The plan is run by the command, in a process of its own, as users run it: with all triggers, with
none, and with rollback off. Its sandbox is made and its first look is taken by a plan of one step
that is measured beside it, so that what is told per step is what a step more costs. Repetitions are
interleaved; medians are shown. CPU is user and system time of all processes: it says more on a
machine that is busy. With --bar it fails if a step with all triggers takes more time.
"""

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PER_DIRECTORY = 10
KEY = "sandbox.checkpoint.auto-create-on"
WAYS = {
    "all triggers": ("", ()),
    "no trigger": ("", ("--set", f"{KEY}=[]")),
    "rollback off": ("rollback: {enabled: false}\n", ()),
}


@dataclass(frozen=True)
class Cost:
    """Milliseconds of one run."""

    wall: float
    cpu: float

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(self.wall - other.wall, self.cpu - other.cpu)


def main() -> int:
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="milestones-") as home:
        costs = _measure(Path(home), arguments)
    print(f"{arguments.steps} steps on {arguments.files} files, ms per step:")
    print(f"  {'':<14} {'wall':>8} {'CPU':>8}")
    script = _per_step(costs["shell script"], arguments.steps)
    for way, found in costs.items():
        each = script if way == "shell script" else _per_step(found, arguments.steps - 1)
        ratio = f"{each.wall / script.wall:6.1f} x the script"
        print(f"  {way:<14} {each.wall:8.2f} {each.cpu:8.2f} {ratio}")
    worst = _per_step(costs["all triggers"], arguments.steps - 1)
    if arguments.bar and worst.wall > arguments.bar:
        print(f"more than {arguments.bar} ms per step")
        return 1
    return 0


def _per_step(found: Sequence[Cost], steps: int) -> Cost:
    return Cost(
        statistics.median(cost.wall for cost in found) / steps,
        statistics.median(cost.cpu for cost in found) / steps,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--bar", type=float, default=0, help="most ms per step")
    return parser.parse_args()


def _measure(home: Path, arguments: argparse.Namespace) -> dict[str, list[Cost]]:
    """Returns what all steps of the script cost, and all but the first of each plan."""
    project = _project(home / "project", arguments.files)
    commands = [f"echo {number} > quick{number % 20}" for number in range(arguments.steps)]
    costs: dict[str, list[Cost]] = {"shell script": [], **{way: [] for way in WAYS}}
    for _ in range(arguments.repetitions):
        script = home / "script.sh"
        script.write_text("\n".join(f"sh -c '{command}'" for command in commands) + "\n")
        costs["shell script"].append(_timed(["sh", str(script)], _copy(project, home)))
        for way, (policy, flags) in WAYS.items():
            one = _plan(home, project, policy, commands[:1], flags)
            costs[way].append(_plan(home, project, policy, commands, flags) - one)
    return costs


def _plan(
    home: Path, project: Path, policy: str, commands: Sequence[str], flags: Sequence[str]
) -> Cost:
    """Runs a plan in a data directory of its own."""
    steps = [f"  - {{tool: shell, with: {{command: '{command}'}}}}" for command in commands]
    action = home / "action.yaml"
    action.write_text("name: quick\n" + policy + "steps:\n" + "\n".join(steps) + "\n")
    with tempfile.TemporaryDirectory(dir=home) as data:
        agents = [sys.executable, "-m", "cleveragents", "--data-dir", data, *flags]
        return _timed([*agents, "run", str(action), "--format", "json"], project)


def _timed(command: Sequence[str], directory: Path) -> Cost:
    wall, cpu = time.perf_counter(), _cpu()
    subprocess.run(command, cwd=directory, check=True, capture_output=True)
    return Cost((time.perf_counter() - wall) * 1000, (_cpu() - cpu) * 1000)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _copy(project: Path, home: Path) -> Path:
    """A place for the script to write to, so that the project stays as it is."""
    target = Path(tempfile.mkdtemp(dir=home))
    subprocess.run(["cp", "-a", f"{project}/.", str(target)], check=True)
    return target


def _project(path: Path, files: int) -> Path:
    for number in range(files):
        name = path / str(number // PER_DIRECTORY) / f"{number}.txt"
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_bytes(random.randbytes(1024))
    return path


if __name__ == "__main__":
    sys.exit(main())
