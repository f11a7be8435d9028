"""SIGKILL at system calls: what a process that dies there leaves to the next one."""

from collections.abc import Sequence

from faults import naive
from faults.campaign import Campaign, Extent, Trial
from faults.operations import Operation
from faults.product import Product
from faults.room import Program
from faults.tracing import Injection, SystemCall


def run(extent: Extent) -> list[Trial]:
    """Kills operations wherever they change something."""
    return _run(Product(), extent.operations(), extent)


def run_naive(extent: Extent) -> list[Trial]:
    """The same done to the naive order."""
    return _run(naive.Naive(), naive.OPERATIONS, extent)


def _run(program: Program, operations: Sequence[Operation], extent: Extent) -> list[Trial]:
    def choose(calls: Sequence[SystemCall]) -> list[Injection]:
        changing = [call for call in calls if call.changes]
        return [Injection(call, "signal=SIGKILL") for call in extent.of(changing)]

    return Campaign(program, choose, extent).run(operations)
