"""Runs the suites and prints their tables; ends with 1 if anything is not as promised.

    python -m faults                                  all of them, as the nox session `faults` does
    python -m faults kills errors                     some of them
    python -m faults kills --points 5 --offset 3      fewer points, and other ones
    python -m faults kills --operation rollback       one operation

Suites that cannot run on this machine say why and count as skipped.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from faults import (
    chat,
    chat_saves,
    crowd,
    damage,
    errors,
    kills,
    long_plan,
    mutants,
    order,
    power,
    report,
    signals,
    tracing,
)
from faults.campaign import Extent, Trial

ALL = 10**6
SIGNAL_POINTS = 60  # per operation; between two files nothing else can come of one
ERROR_POINTS = 12  # per operation and error; a call fails in the same few ways
DAMAGE_POINTS = 12  # per act and kind of damage
CHAT_DAMAGE_POINTS = 60  # per act
SAVE_POINTS = 100  # per act, file and way to save it
CHAT_POWER_POINTS = 40  # per operation, and one after its end
POWER_POINTS = 8  # per operation, and one after its end; each takes new disks


class Compared(Protocol):
    """A suite that is also run on the naive order."""

    def run(self, extent: Extent) -> list[Trial]: ...

    def run_naive(self, extent: Extent) -> list[Trial]: ...


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m faults")
    parser.add_argument("suites", nargs="*", help=f"default: all of {', '.join(SUITES)}")
    parser.add_argument("--points", type=int, default=ALL, help="per operation, at most")
    parser.add_argument("--offset", type=int, default=0, help="takes other points")
    parser.add_argument("--workers", type=int, default=2, help="rooms to work in at once")
    parser.add_argument("--operation", action="append", default=[], help="only this one")
    parser.add_argument("--some", type=int, help="only so many operations")
    parser.add_argument("--at", default="", help="only at calls that this expression finds")
    parser.add_argument("--first", action="store_true", help="stop at the first problem")
    options = parser.parse_args()
    names = tuple(options.operation)
    extent = Extent(
        options.points,
        options.offset,
        names,
        options.workers,
        options.first,
        options.at,
        options.some,
    )
    failed = 0
    for name in options.suites or SUITES:
        began = time.monotonic()
        failed += SUITES[name](extent)
        print(f"{name}: {time.monotonic() - began:.0f} s\n", flush=True)
    return 1 if failed else 0


def run_kills(extent: Extent) -> int:
    """SIGKILL, in the product and in the naive order."""
    if skipped(tracing.missing()):
        return 0
    return compare(kills, extent)


def run_signals(extent: Extent) -> int:
    """Signals that a process can heed."""
    if skipped(tracing.missing()):
        return 0
    tried = signals.run(replace(extent, points=min(extent.points, SIGNAL_POINTS)))
    report.show(report.HEADINGS, report.table(tried))
    return report.complain(tried)


def run_errors(extent: Extent) -> int:
    """Failing system calls."""
    if skipped(tracing.missing()):
        return 0
    tried = errors.run(replace(extent, points=min(extent.points, ERROR_POINTS)))
    report.show(report.HEADINGS, report.table(tried))
    return report.complain(tried)


def run_lies(extent: Extent) -> int:
    """System calls that do nothing and say that they did."""
    if skipped(tracing.missing()):
        return 0
    tried = errors.run_lies(extent)
    report.show(report.HEADINGS, report.table(tried))
    return report.complain(tried)


def run_order(extent: Extent) -> int:
    """Writes that rely on what is not durable."""
    del extent
    if skipped(tracing.missing()):
        return 0
    rules = order.run()
    report.show(("rule", "broken"), [(text, str(len(broken))) for text, broken in rules.items()])
    for line in (line for broken in rules.values() for line in broken):
        print(line, file=sys.stderr)
    return sum(map(len, rules.values()))


def run_mutants(extent: Extent) -> int:
    """The product without its precautions."""
    if skipped(tracing.missing()):
        return 0
    tested = mutants.run(extent.names)
    rows = [(one.mutant.name, "caught" if one.caught else "SURVIVED", one.how) for one in tested]
    report.show(("mutant", "", "noticed as"), rows)
    return sum(not one.caught for one in tested)


def run_power(extent: Extent) -> int:
    """Power cuts, in the product and in the naive order."""
    if skipped(tracing.missing() or power.missing()):
        return 0
    extent = replace(extent, points=min(extent.points, POWER_POINTS))
    return compare(power, extent)


def run_crowd(extent: Extent) -> int:
    """Eight processes at once."""
    gathered = crowd.run(extent.offset)
    counts = Counter(one.kind for one in gathered.told if one.counts)
    print(f"{crowd.MEMBERS} processes, stopped {gathered.stops} times, done: {dict(counts)}")
    for problem in gathered.problems:
        print(problem, file=sys.stderr)
    print(f"{len(gathered.problems)} things wrong")
    return len(gathered.problems)


def run_long_plan(extent: Extent) -> int:
    """Fifty steps, killed thirty times."""
    lived = long_plan.run(extent.offset)
    print(f"{long_plan.STEPS} steps, killed {lived.kills} times, {lived.refusals} effects repeated")
    for problem in lived.problems:
        print(problem, file=sys.stderr)
    print(f"{len(lived.problems)} things wrong")
    return len(lived.problems)


def run_damage(extent: Extent) -> int:
    """A damaged store."""
    met = damage.run(replace(extent, points=min(extent.points, DAMAGE_POINTS)))
    report.show(damage.HEADINGS, damage.rows(met))
    return report.complain(met)


def run_chat(extent: Extent) -> int:
    """Undo where you chat: faults, power cuts, damage, and a user who saves meanwhile."""
    if skipped(tracing.missing()):
        return 0
    tried = chat.run_faults(extent)
    tried += chat.run_damages(replace(extent, points=min(extent.points, CHAT_DAMAGE_POINTS)))
    tried += chat_saves.run_saves(replace(extent, points=min(extent.points, SAVE_POINTS)))
    report.show(report.HEADINGS, report.table(tried))
    return report.complain(tried)


def run_chat_power(extent: Extent) -> int:
    """Power cuts at system calls of an undo, a redo, and of what records events."""
    if skipped(tracing.missing() or power.missing()):
        return 0
    tried = chat.run_power(replace(extent, points=min(extent.points, CHAT_POWER_POINTS)))
    report.show(report.HEADINGS, report.table(tried))
    return report.complain(tried)


def compare(suite: Compared, extent: Extent) -> int:
    """Prints the product beside the naive order; returns how many faults had a problem."""
    tried = suite.run(extent)
    naive = [] if extent.names or extent.some else suite.run_naive(extent)
    report.show(report.HEADINGS, report.table([*tried, *naive]))
    blind = bool(naive) and not any(one.problems for one in naive)
    if blind:
        print("The judge found nothing wrong with the naive order: it cannot see.")
    return report.complain(tried) + blind


def skipped(reason: str | None) -> bool:
    """Says why a suite cannot run here."""
    if reason is not None:
        print(f"skipped: {reason}")
    return reason is not None


SUITES: dict[str, Callable[[Extent], int]] = {
    "kills": run_kills,
    "signals": run_signals,
    "errors": run_errors,
    "lies": run_lies,
    "order": run_order,
    "power": run_power,
    "crowd": run_crowd,
    "long-plan": run_long_plan,
    "damage": run_damage,
    "chat": run_chat,
    "chat-power": run_chat_power,
    "mutants": run_mutants,
}

if __name__ == "__main__":
    sys.exit(main())
