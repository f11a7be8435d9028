"""Steps about the state machine of decisions."""

import os

from behave import then
from decision_machine import DecisionMachine
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test


@then("{examples:d} random lives of a tree of decisions go as the reference says")
def live(context, examples):
    """Always the same lives, or others where a longer run is asked for."""
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))
    run_state_machine_as_test(
        DecisionMachine,
        settings=settings(
            max_examples=examples * factor,
            stateful_step_count=5,
            derandomize=factor == 1,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
