"""Checkpoints and rollbacks beside what other tools do, measured side by side in one run.

python benchmarks/peers.py [--files 1000 10000 100000] [--repetitions 9]

The peers are the git command sequences that coding agents issue on a shadow repository. Ours has
its durability on (content and row are synced before "saved" is said); theirs has not. Repetitions
are interleaved, so that whatever else the machine does hits all of them; medians are shown. CPU is
user and system time of us and of all children. The time spent waiting for the disk in fsync is
shown apart, because it varies with the disk.
"""

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from cleveragents.app import App
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType

ACTION = "name: bench\nsteps: [{tool: shell, with: {command: 'true'}}]\n"
PER_DIRECTORY = 100
CHANGED = (1, 10, 100)
LINES, WORDS_PER_LINE = 78, 6


@dataclass
class Times:
    """Seconds of one thing, over its repetitions."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    @property
    def ms(self) -> float:
        return statistics.median(self.wall) * 1000

    @property
    def cpu_ms(self) -> float:
        return statistics.median(self.cpu) * 1000


class Clock:
    """Measures calls, and the part of them that waits in fsync."""

    def __init__(self) -> None:
        self._waited = 0.0
        self._fsync = os.fsync
        os.fsync = self._timed_fsync

    def measure(self, times: Times, call: Callable[[], object]) -> None:
        self._waited = 0.0
        cpu, start = _cpu(), time.perf_counter()
        call()
        times.wall.append(time.perf_counter() - start)
        times.cpu.append(_cpu() - cpu)
        times.waits.append(self._waited)

    def _timed_fsync(self, fd: int) -> None:
        start = time.perf_counter()
        self._fsync(fd)
        self._waited += time.perf_counter() - start


class Peer:
    """A shadow repository beside a work tree, as coding agents keep it."""

    def __init__(self, git_dir: Path, tree: Path) -> None:
        self.git_dir = git_dir
        self._environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(git_dir.parent),
            "GIT_DIR": str(git_dir),
            "GIT_WORK_TREE": str(tree),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self("init", "-q")
        self("config", "user.name", "peer")
        self("config", "user.email", "peer@example.invalid")
        self("config", "gc.auto", "0")

    def __call__(self, *arguments: str) -> None:
        subprocess.run(
            ["git", *arguments],
            env=self._environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def commit(self) -> None:
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", "checkpoint")

    def write_tree(self) -> None:
        self("add", "-A")
        self("write-tree")

    def reset(self) -> None:
        self("reset", "-q", "--hard")
        self("clean", "-fdq")

    def stored(self) -> int:
        """Bytes on the disk of its objects."""
        return _disk_bytes(self.git_dir / "objects")


class Bench:
    """One project of N files, its plan, and the peers."""

    def __init__(self, home: Path, files: int) -> None:
        self.home = home
        self.files = files
        self._random = random.Random(1)
        letters = [self._random.randbytes(4).hex()[:length] for length in range(2, 9)]
        self._words = [f"{word}{n}".encode() for n in range(60) for word in letters]
        self.clock = Clock()
        self.project = home / "project"
        self.write_files(self.project)
        (home / "action.yaml").write_text(ACTION)
        before = _resident()
        self.app = App(self.project, data_dir=home / "data")
        self.plan_id = self.app.use(home / "action.yaml", {}).plan_id
        self.app.execute.run(self.plan_id)
        self.resident = _resident() - before
        status = self.app.plans.status(self.app.plans.find("@"))
        self.tree = status.sandbox.path  # type: ignore[union-attr]
        shadow = home / "shadow"
        shutil.copytree(self.project, shadow)
        self.shadow = shadow
        self.commits = Peer(home / "commits.git", shadow)
        self.index = Peer(home / "index.git", shadow)

    def write_files(self, root: Path) -> None:
        for number in range(self.files):
            path = root / self.name(number)
            if number % PER_DIRECTORY == 0:
                path.parent.mkdir(parents=True)
            path.write_bytes(self.content())

    def name(self, number: int) -> str:
        return f"d{number // PER_DIRECTORY:04d}/f{number:06d}.txt"

    def content(self) -> bytes:
        """About 4 KB of text that compresses as source code does."""
        return b"\n".join(self._line() for _ in range(LINES))

    def _line(self) -> bytes:
        indent = b" " * (4 * self._random.randrange(4))
        return indent + b" ".join(self._random.choices(self._words, k=WORDS_PER_LINE))

    def change(self, count: int) -> None:
        """Rewrites a line of the same files in the same way in our sandbox and the peers' tree."""
        for number in self._random.sample(range(self.files), count):
            lines = (self.tree / self.name(number)).read_bytes().split(b"\n")
            lines[self._random.randrange(LINES)] = self._line()
            data = b"\n".join(lines)
            (self.tree / self.name(number)).write_bytes(data)
            (self.shadow / self.name(number)).write_bytes(data)

    def owning(self) -> AbstractContextManager[object]:
        """Owns the plan as a run of it does."""
        return self.app.ownership.hold(self.plan_id, "measuring")

    def checkpoint(self) -> None:
        wanted = CheckpointRequest(CheckpointType.TOOL, "bench", even_if_unchanged=False)
        self.app.checkpoints.create_checkpoint(self.plan_id, wanted)

    def rollback(self) -> None:
        latest = self.app.checkpoints.latest_checkpoint(self.plan_id)
        assert latest is not None
        self.app.checkpoints.rollback_to_checkpoint(self.plan_id, latest)

    def agents(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "cleveragents", "--data-dir", str(self.home / "data")]
        subprocess.run(
            [*command, *arguments],
            cwd=self.project,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def stored(self) -> int:
        return _disk_bytes(self.home / "data" / "projects")


def first(bench: Bench) -> list[str]:
    """The first checkpoint of everything beside the peers' first add."""
    ours, theirs, index = Times(), Times(), Times()
    second = App(bench.project, data_dir=bench.home / "first")
    plan = second.use(bench.home / "action.yaml", {})
    archive_home = bench.home / "first"
    bench.clock.measure(theirs, bench.commits.commit)
    bench.clock.measure(index, bench.index.write_tree)
    from cleveragents.snapshots.archive import Archive  # noqa: PLC0415 - a part, measured alone
    from cleveragents.snapshots.store.store import Store  # noqa: PLC0415
    from cleveragents.snapshots.tree.filter import Filter  # noqa: PLC0415
    from cleveragents.snapshots.tree.tracker import Tracking  # noqa: PLC0415

    archive = Archive(Store(archive_home / "store"), Tracking.AUTO, print)

    def capture() -> None:
        with archive.capture({"tree": bench.tree}, Filter()) as found:
            found.commit({"plan": plan.plan_id})

    bench.clock.measure(ours, capture)
    return [row("first, everything", bench.files, bench.files, ours, theirs, index)]


def running(bench: Bench, repetitions: int) -> list[str]:
    """Checkpoints in a running plan, interleaved with the peers."""
    rows: list[str] = []
    with bench.owning():
        for count in CHANGED:
            ours, theirs, index = Times(), Times(), Times()
            stored, loose = bench.stored(), bench.commits.stored()
            for _ in range(repetitions):
                bench.change(count)
                bench.clock.measure(ours, bench.checkpoint)
                bench.clock.measure(theirs, bench.commits.commit)
                bench.clock.measure(index, bench.index.write_tree)
            rows.append(row("checkpoint, running plan", bench.files, count, ours, theirs, index))
            grown = (bench.stored() - stored) / repetitions
            loose = (bench.commits.stored() - loose) / repetitions
            rows.append(
                f"    bytes stored per checkpoint: ours {grown:,.0f}, loose git {loose:,.0f}, "
                f"1/{loose / max(grown, 1):.1f}"
            )
    return rows


def going_back(bench: Bench, repetitions: int) -> list[str]:
    """Rollback in a running process beside reset --hard and clean."""
    ours, theirs = Times(), Times()
    with bench.owning():
        for _ in range(repetitions):
            bench.checkpoint()
            bench.commits.commit()
            bench.change(10)
            bench.clock.measure(ours, bench.rollback)
            bench.clock.measure(theirs, bench.commits.reset)
    return [row("rollback, running process", bench.files, 10, ours, theirs, None)]


def fresh(bench: Bench, repetitions: int) -> list[str]:
    """Whole commands, each in a process of its own."""
    create, undo, theirs, index = Times(), Times(), Times(), Times()
    for _ in range(repetitions):
        bench.change(10)
        bench.clock.measure(create, lambda: bench.agents("plan", "checkpoint", "create", "@"))
        bench.clock.measure(index, bench.index.write_tree)
        bench.commits.commit()
        bench.change(10)
        bench.clock.measure(undo, lambda: bench.agents("plan", "rollback", "@", "@", "--yes"))
        bench.clock.measure(theirs, bench.commits.reset)
    return [
        row("`checkpoint create`, fresh process", bench.files, 10, create, None, index),
        row("`plan rollback`, fresh process", bench.files, 10, undo, theirs, None),
    ]


def row(
    what: str, files: int, changed: int, ours: Times, one: Times | None, two: Times | None
) -> str:
    wait = statistics.median(ours.waits) * 1000
    cells = [f"{what:<36}{files:>8}{changed:>8}{ours.ms:>10.1f}{ours.cpu_ms:>9.1f}{wait:>9.1f}"]
    for peer in (one, two):
        if peer is None:
            cells.append(f"{'':>36}")
            continue
        wall = f"{peer.ms / ours.ms:.1f}x"
        cpu = f"{peer.cpu_ms / max(ours.cpu_ms, 0.01):.1f}x"
        cells.append(f"{peer.ms:>10.1f}{peer.cpu_ms:>9.1f}{wall:>8}{cpu:>9}")
    return "".join(cells).rstrip()


def _cpu() -> float:
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        total += used.ru_utime + used.ru_stime
    return total


def _resident() -> int:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def _disk_bytes(root: Path) -> int:
    return sum(
        os.lstat(os.path.join(folder, name)).st_blocks * 512
        for folder, _, names in os.walk(root)
        for name in names
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--repetitions", type=int, default=9)
    options = parser.parse_args()
    title = f"{'':<36}{'N':>8}{'k':>8}{'ours ms':>10}{'cpu':>9}{'fsync':>9}"
    peers = f"{'commit ms':>10}{'cpu':>9}{'wall':>8}{'cpu':>9}"
    print(title + peers + peers.replace("commit ms", "w-tree ms"))
    for files in options.files:
        home = Path(tempfile.mkdtemp(prefix="cleveragents-bench-"))
        try:
            bench = Bench(home, files)
            for part in (first(bench), running(bench, options.repetitions)):
                print("\n".join(part), flush=True)
            print("\n".join(going_back(bench, options.repetitions)), flush=True)
            print("\n".join(fresh(bench, max(3, options.repetitions // 3))), flush=True)
            print(f"    extra resident memory: {bench.resident / 1e6:.0f} MB", flush=True)
        finally:
            shutil.rmtree(home)


if __name__ == "__main__":
    main()
