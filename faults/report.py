"""What is printed: a table per suite, and every problem with the way to see it again."""

import sys
from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from faults.campaign import Trial
from faults.judge import LOST, TORN, UNTRUE, Problem

HEADINGS = ("operation", "points", TORN, LOST, "false successes")


def table(tried: Sequence[Trial]) -> list[tuple[str, ...]]:
    """Counts points and problems per operation, in the order of their names' first appearance."""
    order = list(dict.fromkeys(one.operation for one in tried))
    grouped = groupby(sorted(tried, key=lambda one: order.index(one.operation)), _operation)
    return [_row(name, [one for one in group if one.happened]) for name, group in grouped]


def show(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a Markdown table."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    for row in (headings, ["-" * width for width in widths], *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(f"| {' | '.join(cells)} |")
    print(flush=True)


class Judged(Protocol):
    """Something that was tried and looked at."""

    @property
    def fault(self) -> str: ...

    @property
    def problems(self) -> Sequence[Problem]: ...


def complain(tried: Sequence[Judged]) -> int:
    """Tells every problem on standard error; returns how many faults had one."""
    bad = [one for one in tried if one.problems]
    for one in bad:
        print(one.fault, file=sys.stderr)
        for problem in one.problems:
            print(f"    {problem.kind}: {problem.text}", file=sys.stderr)
    return len(bad)


def _operation(one: Trial) -> str:
    return one.operation


def _row(name: str, tried: Sequence[Trial]) -> tuple[str, ...]:
    counts = [
        sum(any(problem.kind == kind for problem in one.problems) for one in tried)
        for kind in (TORN, LOST, UNTRUE)
    ]
    return (name, str(len(tried)), *map(str, counts))
