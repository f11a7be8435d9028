"""Steps about the state machine of trees."""

import os
import sys

from behave import then
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from tree_machine import TreeMachine

from cleveragents.snapshots.tree.tracker import Tracking


@then('{examples:d} random lives of a tree of {user} found by "{tracking}" are restored exactly')
def live(context, examples, user, tracking):
    """Runs the machine: always the same lives, or others where a longer run is asked for."""
    ordinary = user == "an ordinary user"
    if not ordinary and os.geteuid() != 0:
        context.scenario.skip("somebody else than root runs this")
        return
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))
    kind = {"tracking": Tracking(tracking), "by_ordinary_user": ordinary}
    found_by = type("TrackedTree", (TreeMachine,), kind)
    run_state_machine_as_test(
        found_by,
        settings=settings(
            max_examples=examples * factor,
            stateful_step_count=30,
            derandomize=factor == 1,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    told = f"{found_by.lives} lives of {user}, {found_by.restores} restores, by {tracking}\n"
    sys.stdout.write(told)
    assert found_by.restores > examples // 20, told
