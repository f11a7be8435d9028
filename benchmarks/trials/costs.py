"""CPU time of calls and commands, taken in turn; projects to take it on."""

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROUNDS = 7
PER_DIRECTORY = 100
BARE = [sys.executable, "-I", "-c", "pass"]
GIT = ["git", "-c", "user.name=B", "-c", "user.email=b@example.invalid", "-c", "gc.auto=0"]


class Cost(NamedTuple):
    """Seconds of a call: user and system time with all children, and what passed meanwhile."""

    cpu: float
    wall: float


def cost(call: Callable[[], object], settle: Callable[[], object] = lambda: None) -> Cost:
    """Returns what a call takes; what it goes on with while nobody waits is CPU of its own too."""
    before, start = _used(), time.perf_counter()
    call()
    wall = time.perf_counter() - start
    settle()
    return Cost(_used() - before, wall)


def cpu(call: Callable[[], object]) -> float:
    """Returns the seconds of user and system time that a call takes, children included."""
    return cost(call).cpu


def least(rounds: int, *calls: Callable[[], object]) -> list[float]:
    """Returns the least each of several calls takes, taken in turn."""
    taken = [[cpu(call) for call in calls] for _ in range(rounds)]
    return [min(row) for row in zip(*taken, strict=True)]


def command(
    line: Sequence[str | Path], where: Path, **variables: str | Path
) -> Callable[[], object]:
    """Returns what runs a command in a process of its own."""
    environment = {**os.environ, **variables}
    return lambda: subprocess.run(line, cwd=where, env=environment, check=True, capture_output=True)


def agents(data: Path, project: Path, *arguments: str) -> Callable[[], object]:
    """The same for a command of ours, as users type it: nothing is written to a terminal."""
    line = [sys.executable, "-P", "-m", "cleveragents", "--data-dir", str(data), *arguments]
    return command(line, project)


def project(home: Path, files: int) -> Path:
    """Makes a repository of files of about 2 KB that compress as source code does."""
    chance = random.Random(files)
    words = [f"word{number} " for number in range(400)]
    for name in names(files, files):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(chance.choices(words, k=300)))
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*GIT, *arguments], cwd=home, check=True, capture_output=True)
    return home


def changed(tree: Path, files: int, count: int, text: str) -> None:
    """Rewrites so many files, far apart."""
    for name in names(files, count):
        path = tree / name
        path.write_text(f"{text} {path.stem}\n{path.read_text()}")


def names(files: int, count: int) -> Iterator[str]:
    """The paths of so many of the files of a project, far apart."""
    for number in range(0, files, max(files // count, 1)):
        yield f"d{number // PER_DIRECTORY:04d}/f{number:06d}.txt"


def disk_bytes(root: Path) -> int:
    """Returns the bytes of all files below a directory."""
    return sum(
        os.lstat(os.path.join(folder, name)).st_size
        for folder, _, names in os.walk(root)
        for name in names
    )


def _used() -> float:
    found = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in found)
