"""Every bar of what things cost, measured side by side in one run: bar, value, whether it is met.

python -m benchmarks.ratios [--files 100000] [--only WORD ...]

CPU is user and system time of us and of all children; of each thing the least of several rounds
counts, and rounds take turns with what it is compared with, so that whatever else the machine does
hits both. A fresh command is a process of its own, a running plan is in this one.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.trials import commands, confinement, content, growth, sandboxes


class Bar(NamedTuple):
    """What a value shall be: at most so much, or at least."""

    most: float | None
    least: float | None = None
    unit: str = "x"

    def told(self) -> str:
        """The bar as it is written."""
        return f"<= {self.most:g}" if self.least is None else f">= {self.least:g}"

    def is_met(self, value: float) -> bool:
        """Whether a value is on the right side of it."""
        return value <= self.most if self.most is not None else value >= (self.least or 0)


class Trial(NamedTuple):
    """Something to measure, and the bars of what it tells, by name."""

    run: Callable[[Path, int], Iterator[tuple[str, float]]]
    bars: dict[str, Bar]


TRIALS = (
    Trial(
        commands.fresh,
        {
            "plan list, 1,000 plans / bare Python": Bar(10),
            "plan status / bare Python": Bar(11),
            "plan checkpoint list / bare Python": Bar(11),
            "checkpoint create, 1,000 files / bare Python": Bar(12),
        },
    ),
    Trial(
        commands.beside_git,
        {
            "checkpoint create, many files / git add + write-tree": Bar(1.5),
            "rollback, many files, 10 changed / git reset + clean": Bar(1.5),
        },
    ),
    Trial(
        commands.running,
        {
            "git add + commit / checkpoint in a running plan beyond the limit": Bar(None, 80),
            "git reset + clean / rollback in a running process": Bar(None, 30),
        },
    ),
    Trial(
        commands.steps,
        {
            "a quick step with all triggers / in a shell script": Bar(5),
            "a plan of 20 steps on 1,000 files / cp -a and a shell script": Bar(6),
        },
    ),
    Trial(
        confinement.starts,
        {
            f"a step at {level}, launcher {launcher}": bar
            for launcher, bar in (("compiled", Bar(3, unit=" ms")), ("Python", Bar(1.5)))
            for level in confinement.LEVELS
        },
    ),
    Trial(
        growth.of_calls,
        {"call 1,000 of a session / call 1": Bar(1.2)},
    ),
    Trial(growth.of_subplans, {"subplan 100 / subplan 25": Bar(1.1)}),
    Trial(growth.of_projects, {"checkpoint 10,000 of a project / checkpoint 100": Bar(1.2)}),
    Trial(
        sandboxes.made,
        {
            "sandbox of 10,000 files, first plan / cp -a": Bar(4),
            "sandbox of 10,000 files, later plans / cp -a": Bar(2.5),
            "sandbox of many files, first plan / cp -a": Bar(4),
            "sandbox of many files, later plans / cp -a": Bar(2.5),
        },
    ),
    Trial(
        content.large_file,
        {
            "1 GB, one byte changed: checkpoint / sha256sum": Bar(1.2),
            "1 GB, one byte changed: rollback / sha256sum": Bar(2.5),
            "1 GB, one byte changed: memory": Bar(150, unit=" MB"),
        },
    ),
    Trial(content.growing_log, {"1 KB appended to a log of 200 MB": Bar(64, unit=" KiB")}),
    Trial(content.history, {"120 real commits / git's pack": Bar(2)}),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000, help="how many are many")
    parser.add_argument("--only", nargs="+", default=[""], help="bars that hold one of the words")
    options = parser.parse_args()
    print(f"{'':<66}{'bar':>8}{'value':>12}")
    for trial in TRIALS:
        wanted = {
            name for name in trial.bars for word in options.only if word.lower() in name.lower()
        }
        if wanted:
            show(trial, options.files)


def show(trial: Trial, files: int) -> None:
    """Runs a trial in a place of its own and prints a line for each of its bars."""
    with tempfile.TemporaryDirectory(prefix="ratios-") as home:
        for name, value in trial.run(Path(home), files):
            bar = trial.bars[name]
            verdict = "met" if bar.is_met(value) else "MISSED"
            print(f"{name:<66}{bar.told():>8}{value:>9.1f}{bar.unit:<3} {verdict}", flush=True)


if __name__ == "__main__":
    main()
