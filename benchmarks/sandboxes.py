"""What making a sandbox costs, beside `cp -a` of the same project.

python benchmarks/sandboxes.py [--files 1000 10000] [--repetitions 3] [--kind folder repository]

A plan of one step that reads a file is run by a process of its own: the first plan of a project
stores every file, later ones find them stored. What is counted is the CPU, user and system time
with all children, from the start of the run until the sandbox is ready, and until the plan is
complete, without what starting Python takes. `cp -a` copies the same project in the same round;
the least of all rounds is shown, which says most on a machine that is busy.
"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cleveragents.app import App
from cleveragents.events import Event, SandboxReady

PER_DIRECTORY = 100
LETTERS = b"etaoinshrdlucmfw"
WORDS = [bytes(random.Random(seed).choices(LETTERS, k=seed % 9 + 2)) for seed in range(999)]
ACTION = "name: look\nsteps: [{tool: read_file, with: {path: 0/0.txt}}]\n"
KINDS = ("folder", "repository")


def main() -> None:
    arguments = _arguments()
    if arguments.run is not None:
        _run(arguments.run)
        return
    for kind in arguments.kind:
        for files in arguments.files:
            with tempfile.TemporaryDirectory(prefix="sandboxes-") as home:
                _show(kind, files, _measure(Path(home), kind, files, arguments.repetitions))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--kind", choices=KINDS, nargs="+", default=KINDS)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)  # a plan, in this process
    return parser.parse_args()


def _measure(home: Path, kind: str, files: int, repetitions: int) -> dict[str, list[float]]:
    """Returns the seconds of each round, by what they were spent on."""
    _make_project(home / "project", kind, files)
    (home / "action.yaml").write_text(ACTION)
    found: dict[str, list[float]] = {}
    for _ in range(repetitions):
        found.setdefault("cp -a", []).append(_copied(home))
        for plan in ("first", "later", "later"):
            for until, seconds in zip(("sandbox", "plan"), _planned(home), strict=True):
                found.setdefault(f"{plan} {until}", []).append(seconds)
        subprocess.run(["rm", "-rf", home / "data", home / "copy"], check=True)
    return found


def _show(kind: str, files: int, found: dict[str, list[float]]) -> None:
    least = {what: min(seconds) for what, seconds in found.items()}
    copy = least.pop("cp -a")
    print(f"{kind} of {files} files, CPU; cp -a: {copy:.3f} s, {copy / files * 1e6:.0f} µs a file")
    for what, seconds in least.items():
        each = f"{seconds / files * 1e6:6.0f} µs a file"
        print(f"  {what:<14} {seconds:8.3f} s {each} {seconds / copy:6.2f} x", flush=True)


def _copied(home: Path) -> float:
    before = _cpu()
    subprocess.run(["cp", "-a", home / "project", home / "copy"], check=True)
    return _cpu() - before


def _planned(home: Path) -> Sequence[float]:
    """Runs a plan in another process; returns what that counted."""
    command = [sys.executable, __file__, "--run", str(home)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [*map(float, told.split())]


def _run(home: Path) -> None:
    """Runs a plan and writes the CPU until its sandbox was ready, and until its end."""
    ready: list[float] = []

    def note(event: Event) -> None:
        if isinstance(event, SandboxReady):
            ready.append(_cpu())

    app = App(home / "project", data_dir=home / "data", report=note)
    plan = app.use(home / "action.yaml", {}).plan_id
    phase = app.execute  # imports all of the engine
    began = _cpu()
    phase.run(plan)
    app.tidy(plan)
    print(*(at - began for at in (*ready, _cpu())))


def _cpu() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _make_project(path: Path, kind: str, files: int) -> None:
    """Makes files of 4 KB of text."""
    chance = random.Random(files)
    for number in range(files):
        name = path / str(number // PER_DIRECTORY) / f"{number % PER_DIRECTORY}.txt"
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_bytes(b" ".join(chance.choices(WORDS, k=700))[:4096])
    if kind == "repository":
        identity = ("-c", "user.name=B", "-c", "user.email=b@x")
        for arguments in (
            ["init"],
            ["add", "--all"],
            [*identity, "commit", "--message", "first"],
            ["gc"],
        ):
            subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True)


if __name__ == "__main__":
    main()
