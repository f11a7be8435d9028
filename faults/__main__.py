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
from collections.abc import Callable
from dataclasses import replace

from faults import errors, kills, report, tracing
from faults.campaign import Extent, Tried

ALL = 10**6
ERROR_POINTS = 12  # per operation and error; a call fails in the same few ways


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m faults")
    parser.add_argument("suites", nargs="*", help=f"default: all of {', '.join(SUITES)}")
    parser.add_argument("--points", type=int, default=ALL, help="per operation, at most")
    parser.add_argument("--offset", type=int, default=0, help="takes other points")
    parser.add_argument("--workers", type=int, default=2, help="rooms to work in at once")
    parser.add_argument("--operation", action="append", default=[], help="only this one")
    options = parser.parse_args()
    names = tuple(options.operation)
    extent = Extent(options.points, options.offset, names, options.workers)
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
    tried, naive = kills.run(extent), kills.run_naive(extent)
    report.show(report.HEADINGS, report.table([*tried, *naive]))
    blind = not any(one.problems for one in naive)
    if blind:
        print("The judge found nothing wrong with the naive order: it cannot see.")
    return report.complain(tried) + blind


def run_errors(extent: Extent) -> int:
    """Failing system calls."""
    if skipped(tracing.missing()):
        return 0
    tried = errors.run(replace(extent, points=min(extent.points, ERROR_POINTS)))
    return tell(tried)


def tell(tried: list[Tried]) -> int:
    """Prints the table and the problems; returns how many faults had one."""
    report.show(report.HEADINGS, report.table(tried))
    return report.complain(tried)


def skipped(reason: str | None) -> bool:
    """Says why a suite cannot run here."""
    if reason is not None:
        print(f"skipped: {reason}")
    return reason is not None


SUITES: dict[str, Callable[[Extent], int]] = {
    "kills": run_kills,
    "errors": run_errors,
}

if __name__ == "__main__":
    sys.exit(main())
