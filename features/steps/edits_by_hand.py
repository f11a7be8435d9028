"""Steps about edits made by hand before each act; the long run is the nox session `machine`."""

import os
from random import Random

from behave import then
from hand_edits import ACTS, WAY, live
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FIRST = 20260102  # the life of the default tests


@then("nothing is lost in {lives:d} life of {acts} with edits by hand")
def check_nothing_lost(context, lives, acts):
    """Every act has to work where it can; of random ones some do."""
    if acts == "all acts":
        worked = set()
        _many(lives, lambda chance: worked.update(live(chance, WAY)))
        assert worked == set(ACTS), f"never worked: {sorted(set(ACTS) - worked)}"
    else:
        count = int(acts.removesuffix(" random acts"))
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
