"""Signals that ask a process to end: it stops where it is safe, or comes to its end."""

from collections.abc import Iterator, Sequence

from faults.campaign import Campaign, Extent, Trial
from faults.judge import TORN, Problem
from faults.product import Product
from faults.tracing import ASKING, Injection, SystemCall

INTERRUPTED = 130


def run(extent: Extent) -> list[Trial]:
    """Asks operations to end wherever they change something, with one signal after the other."""

    def choose(calls: Sequence[SystemCall]) -> list[Injection]:
        changing = [call for call in calls if call.changes]
        return [
            Injection(call, f"signal={ASKING[turn % len(ASKING)]}")
            for turn, call in enumerate(extent.of(changing))
        ]

    return Campaign(Product(), choose, extent, ended=_ended).run(extent.operations())


def _ended(code: int, said: str) -> Iterator[Problem]:
    if code not in (0, INTERRUPTED):
        yield Problem(TORN, f"it ended with {code}: {said}")
    if "Traceback" in said or "should not have" in said:
        yield Problem(TORN, f"it said {said}")
