"""A plan that makes very many checkpoints of a changing file: what the store and a step come to.

python benchmarks/long_plan.py [--checkpoints 10000] [--bytes 1048576] [--files 1000] [--check]

Checkpoints are made as a running plan makes them, by the one who owns it, under the default limit.
Told are what the store holds beside what its live checkpoints need, and what a checkpoint costs at
the start (while nothing is pruned yet and after) and at the end, in wall and in CPU time. With
--check it fails if the store is ever more than twice what is needed once the limit is reached, if a
checkpoint takes half as much CPU time again at the end as just after the limit was reached, or if
one of those that are left does not read back.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from cleveragents.app import App
from cleveragents.checkpoints.retention import DEFAULT_LIMIT
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType

ACTION = "name: long\nsteps: [{tool: shell, with: {command: 'true'}}]\n"
PER_DIRECTORY = 10
WINDOW = 200


@dataclass
class Measured:
    """What was seen after each checkpoint."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    ratio: list[float] = field(default_factory=list)
    damaged: int = 0


def main() -> int:
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="long-plan-") as home:
        measured = _measure(Path(home), arguments)
    begun = slice(DEFAULT_LIMIT + 10, DEFAULT_LIMIT + 10 + WINDOW)
    ended = slice(-WINDOW, None)
    for name, part in (("at first", slice(0, DEFAULT_LIMIT)), ("pruning", begun), ("end", ended)):
        wall, cpu = statistics.mean(measured.wall[part]), statistics.mean(measured.cpu[part])
        print(f"{name:<10} {wall * 1000:8.1f} ms per checkpoint, {cpu * 1000:6.1f} ms of CPU")
    worst = max(measured.ratio[DEFAULT_LIMIT:])
    print(f"store: at most {worst:.2f} x what is needed, {measured.ratio[-1]:.2f} x at the end")
    slower = statistics.mean(measured.cpu[ended]) / statistics.mean(measured.cpu[begun])
    print(f"a checkpoint at the end takes {slower:.2f} x the CPU time of one at the start")
    print(f"{measured.damaged} of the checkpoints that are left are damaged")
    return 1 if arguments.check and (worst > 2 or slower > 1.5 or measured.damaged) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkpoints", type=int, default=10_000)
    parser.add_argument("--bytes", type=int, default=1 << 20)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def _measure(home: Path, arguments: argparse.Namespace) -> Measured:
    project = _project(home / "project", arguments.files)
    (home / "action.yaml").write_text(ACTION)
    app = App(project, data_dir=home / "data")
    plan = app.execute.run(app.use(home / "action.yaml", {}).plan_id)
    sandbox = app.plans.status(plan).sandbox
    base = sum(path.stat().st_size for path in (home / "data").rglob("*.pack"))
    measured = Measured()
    with app.ownership.hold(plan.plan_id, "measuring"):  # as a run does
        for number in range(arguments.checkpoints):
            (sandbox.path / "changing").write_bytes(random.randbytes(arguments.bytes))
            wall, cpu = time.perf_counter(), time.process_time()
            wanted = CheckpointRequest(CheckpointType.STEP, f"number {number}")
            app.checkpoints.create_checkpoint(plan.plan_id, wanted)
            measured.wall.append(time.perf_counter() - wall)
            measured.cpu.append(time.process_time() - cpu)
            rows = app.checkpoints.list_checkpoints(plan.plan_id)
            stored = sum(path.stat().st_size for path in (home / "data").rglob("*.pack"))
            measured.ratio.append(stored / (base + sum(row.size_bytes for row in rows)))
    app.checkpoints.tidy(plan.plan_id)
    kept = app.checkpoints.list_checkpoints(plan.plan_id)
    read_back = app.checkpoints.verify_checkpoints(kept)
    measured.damaged = sum(not found.is_intact for found in read_back)
    return measured


def _project(path: Path, files: int) -> Path:
    for number in range(files):
        name = path / str(number // PER_DIRECTORY) / f"{number}.txt"
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_bytes(random.randbytes(1024))
    return path


if __name__ == "__main__":
    sys.exit(main())
