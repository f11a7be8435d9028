"""Steps about the state machine of trees."""

import os

from behave import then
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from tree_machine import TreeMachine

from cleveragents.snapshots.tracker import Tracking


@then('{examples:d} random lives of a tree found by "{tracking}" are restored exactly')
def live(context, examples, tracking):
    """Runs the machine: always the same lives, or others where a longer run is asked for."""
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))
    found_by = type("TrackedTree", (TreeMachine,), {"tracking": Tracking(tracking)})
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
