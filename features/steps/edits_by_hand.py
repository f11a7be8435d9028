"""Steps about edits made by hand before each act; the long run is the nox session `machine`."""

import os
from random import Random

from behave import then
from hand_edits import ACTS, WAY, live
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FIRST = 20260102  # the life of the default tests


@then("in {lives:d} life with edits by hand every act works and nothing is lost")
def every_act(context, lives):
    worked = set()
    _many(lives, lambda chance: worked.update(live(chance, WAY)))
    assert worked == set(ACTS), f"never worked: {sorted(set(ACTS) - worked)}"


@then("in {lives:d} life of {count:d} random acts with edits by hand nothing is lost")
def any_order(context, lives, count):
    _many(lives, lambda chance: live(chance, chance.choices(ACTS, k=count)))


def _many(lives, lead):
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))

    @settings(
        max_examples=lives if factor == 1 else lives * factor * 4,
        derandomize=factor == 1,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 1 << 32))
    def many(number):
        lead(Random(FIRST + number))

    many()
