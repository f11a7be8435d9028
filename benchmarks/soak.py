"""Very many checkpoints over many plans of one project, with few descriptors and many deaths.

python benchmarks/soak.py [--plans 200] [--checkpoints 50] [--files 200] [--kills 40] [--seed 1]
    [--check] [--counts]

Programs of their own, each under `ulimit -n 256`, hold session after session in one project; some
are killed at a call of the system that the seed chooses, and the next one goes on. Told, of each
tenth of the plans: the most descriptors that a program had, packs, what a checkpoint costs (CPU,
statements), what a fresh command costs (CPU), and the bytes of the store beyond what is live. With
--check it fails if one of them is more than half as large again in the last tenth as in the first
(descriptors: at any time more than 128, packs: 96), or if a checkpoint does not read back. With
--counts it looks at nothing that depends on the machine.
"""

import argparse
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from cleveragents.app import App
from cleveragents.checkpoints.needs import live
from cleveragents.snapshots.store.pack import Pack
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.store.traverse import reachable
from cleveragents.snapshots.tree.record import from_bytes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.glance import DATABASE

DESCRIPTORS = 256
MOST_DESCRIPTORS, MOST_PACKS = 128, 96
GROWTH = 1.5
ROWS = 10
BATCH = 5  # plans of one program
FRESH = 3  # commands that are timed


@dataclass
class Row:
    """What was seen in one part of the plans."""

    checkpoints: int = 0
    descriptors: int = 0
    packs: int = 0
    cpu_ms: list[float] = field(default_factory=list)  # of a call and its checkpoint
    statements: list[int] = field(default_factory=list)
    fresh_ms: float = 0.0
    beyond: float = 0.0  # bytes of the store that nothing needs, per byte that is needed


def main() -> int:
    arguments = _arguments()
    if arguments.work:
        _work(Path(arguments.work), arguments)
        return 0
    with tempfile.TemporaryDirectory(prefix="soak-") as home:
        rows, killed, damaged = _soak(Path(home), arguments)
    _print(rows)
    print(f"{killed} programs were killed; {damaged} checkpoints do not read back")
    problems = _problems(rows, times=not arguments.counts) + (
        [f"{damaged} damaged"] if damaged else []
    )
    for problem in problems:
        print(f"grows: {problem}")
    return 1 if arguments.check and problems else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plans", type=int, default=200)
    parser.add_argument("--checkpoints", type=int, default=50)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--until", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--dies-at", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


# --- the programs ------------------------------------------------------------------------------


def _work(home: Path, arguments: argparse.Namespace) -> None:
    """Brings plans to their end, each as a session, and prints what each took."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    if arguments.dies_at:
        _die_at(arguments.dies_at)
    counted = _count_statements()
    app = App(home / "project", data_dir=home / "data")
    for number in range(arguments.first, arguments.until):
        found = [plan for plan in app.plans.list() if plan.name == f"plan {number}"]
        done = found[-1].step_index if found else 0
        known = {"plan": found[-1].plan_id} if found else {"task": f"plan {number}"}
        cpu: list[float] = []
        before = counted[0]
        with app.session(**known, retry_unsafe=True) as session:
            for step in range(done, arguments.checkpoints):
                started = time.process_time()
                path = f"d{step % 10}/changing-{number % 7}"
                session.tool("write_file", path=path, content=f"{number} {step}\n" * 200)
                cpu.append((time.process_time() - started) * 1000)
        print(json.dumps(_seen(number, done, cpu, counted[0] - before)), flush=True)


def _seen(number: int, done: int, cpu: list[float], statements: int) -> dict[str, object]:
    whole = done == 0 and cpu  # of one that was gone on with the costs are not those of all calls
    return {
        "plan": number,
        "checkpoints": len(cpu),
        "cpu_ms": statistics.mean(cpu) if whole else None,
        "statements": statements if whole else None,
        "descriptors": len(os.listdir("/proc/self/fd")),
    }


def _count_statements() -> list[int]:
    counted = [0]
    for name in ("execute", "insert", "rows", "tuples"):
        real = getattr(Connection, name)

        def call(self, *args, _real=real, **values):
            counted[0] += 1
            return _real(self, *args, **values)

        setattr(Connection, name, call)
    return counted


def _die_at(number: int) -> None:
    """Ends this process, as kill -9 does, at a call that makes something durable or visible."""
    left = [number]
    for name in ("fsync", "rename", "replace", "unlink"):
        real = getattr(os, name)

        def call(*args, _real=real, **options):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return _real(*args, **options)

        setattr(os, name, call)


# --- the soak ----------------------------------------------------------------------------------


def _soak(home: Path, arguments: argparse.Namespace) -> tuple[list[Row], int, int]:
    _make_project(home / "project", arguments.files)
    chance = random.Random(arguments.seed)
    batches = range(0, arguments.plans, BATCH)
    doomed = set(chance.choices(batches, k=arguments.kills)) if arguments.kills else set()
    rows = [Row() for _ in range(min(ROWS, len(batches)))]
    killed = 0
    for index, first in enumerate(batches):
        row = rows[index * len(rows) // len(batches)]
        until = min(first + BATCH, arguments.plans)
        calls = BATCH * arguments.checkpoints * 2  # about half of those that a batch makes
        dies_at = chance.randrange(1, calls) if first in doomed else 0
        killed += _program(home, arguments, row, first, until, dies_at) != 0
        if dies_at:
            assert _program(home, arguments, row, first, until, 0) == 0
        row.packs = max(row.packs, len(list((home / "data").rglob("*.pack"))))
        last = index + 1 == len(batches)
        if last or (index + 1) * len(rows) // len(batches) != index * len(rows) // len(batches):
            row.fresh_ms = min(_fresh(home) for _ in range(1 if arguments.counts else FRESH))
            row.beyond = _beyond(home)
            print(f"{until} of {arguments.plans} plans", file=sys.stderr, flush=True)
    return rows, killed, _damaged(home)


def _make_project(project: Path, files: int) -> None:
    project.mkdir()
    for number in range(files):
        path = project / f"d{number % 10}" / f"file-{number}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{number}\n" * 100)


def _program(
    home: Path, arguments: argparse.Namespace, row: Row, first: int, until: int, dies_at: int
) -> int:
    """Runs a program over some plans; returns how it ended."""
    command = [sys.executable, __file__, "--work", str(home), "--dies-at", str(dies_at)]
    command += ["--checkpoints", str(arguments.checkpoints)]
    done = subprocess.run(
        [*command, "--first", str(first), "--until", str(until)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.returncode
    for line in done.stdout.splitlines():
        seen = json.loads(line)
        row.checkpoints += seen["checkpoints"]
        row.descriptors = max(row.descriptors, seen["descriptors"])
        if seen["cpu_ms"] is not None:
            row.cpu_ms.append(seen["cpu_ms"])
            row.statements.append(seen["statements"])
    return done.returncode


def _fresh(home: Path) -> float:
    """Returns the CPU time of a command in a process of its own that saves a checkpoint."""
    command = [sys.executable, "-P", "-m", "cleveragents", "--data-dir", str(home / "data")]
    limited = ["/bin/sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh"]
    process = subprocess.Popen(
        [*limited, *command, "plan", "checkpoint", "create", "@"],
        cwd=home / "project",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return (used.ru_utime + used.ru_stime) * 1000


def _beyond(home: Path) -> float:
    """Returns how many bytes of the store nothing needs, per byte that something does."""
    project_id = App(home / "project", data_dir=home / "data").plans.list()[0].project_id
    # As a sweep looks at it, but nothing is freed.
    with Database(home / "data" / DATABASE).reading() as connection:
        records = set(map(bytes.fromhex, live(connection, project_id)))
    store = Store(home / "data" / "projects" / project_id / "store")
    roots = [entry for one in records for entry in from_bytes(store.read(one)).roots.values()]
    needed = records | reachable(roots, store.read, store.bases, store.revisions())
    sizes: dict[bytes, int] = {}
    total = 0
    for path in (home / "data").glob("projects/*/store/packs/*.pack"):
        pack = Pack(path)
        total += pack.size
        sizes.update(pack.sizes())
    kept = sum(size for identity, size in sizes.items() if identity in needed)
    return (total - kept) / kept


def _damaged(home: Path) -> int:
    app = App(home / "project", data_dir=home / "data")
    rows = [
        row for plan in app.plans.list() for row in app.checkpoints.list_checkpoints(plan.plan_id)
    ]
    return sum(not found.is_intact for found in app.checkpoints.verify_checkpoints(rows))


# --- what is told ------------------------------------------------------------------------------


def _print(rows: list[Row]) -> None:
    print("checkpoints  descriptors  packs  CPU ms  statements  fresh CPU ms  beyond live")
    for row in rows:
        print(
            f"{row.checkpoints:>11}  {row.descriptors:>11}  {row.packs:>5}  "
            f"{statistics.median(row.cpu_ms):>6.1f}  {statistics.median(row.statements):>10.0f}  "
            f"{row.fresh_ms:>12.0f}  {row.beyond:>10.2f}x"
        )


def _problems(rows: list[Row], *, times: bool) -> list[str]:
    first, last = rows[0], rows[-1]
    growth = {
        "statements": (statistics.median(first.statements), statistics.median(last.statements)),
        "store per byte that is live": (1 + first.beyond, 1 + last.beyond),
    }
    if times:
        growth |= {
            "CPU per checkpoint": (statistics.median(first.cpu_ms), statistics.median(last.cpu_ms)),
            "CPU of a fresh command": (first.fresh_ms, last.fresh_ms),
        }
    found = [
        f"{name}: {after / before:.2f} times"
        for name, (before, after) in growth.items()
        if after > GROWTH * before
    ]
    most = max(row.descriptors for row in rows), max(row.packs for row in rows)
    found += [f"{most[0]} descriptors"] if most[0] > MOST_DESCRIPTORS else []
    return found + ([f"{most[1]} packs"] if most[1] > MOST_PACKS else [])


if __name__ == "__main__":
    sys.exit(main())
