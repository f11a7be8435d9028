"""Steps about random lives: state machines of trees, of decisions and of checkpoints."""

import os
import sys

from behave import then
from decision_machine import DecisionMachine
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from line_machine import LineMachine
from tree_machine import TreeMachine
from undo_machine import TrailMachine, UndoMachine

from cleveragents.snapshots.tree.tracking import Tracking

MACHINES = {
    "a tree of decisions": (DecisionMachine, 5),
    "checkpoints": (LineMachine, 8),
    "a trail": (TrailMachine, 40),
    "undo and redo": (UndoMachine, 14),
}


def _run(machine, examples, steps):
    """Always the same lives, or others where a longer run is asked for."""
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples * factor,
            stateful_step_count=steps,
            derandomize=factor == 1,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@then("{examples:d} random lives of {what} go as the model says")
def live_as_the_model(context, examples, what):
    machine, steps = MACHINES[what]
    _run(machine, examples, steps)


@then('{examples:d} random lives of a tree of {user} found by "{tracking}" are restored exactly')
def live(context, examples, user, tracking):
    ordinary = user == "an ordinary user"
    if not ordinary and os.geteuid() != 0:
        context.scenario.skip("somebody else than root runs this")
        return
    kind = {"tracking": Tracking(tracking), "by_ordinary_user": ordinary}
    found_by = type("TrackedTree", (TreeMachine,), kind)
    _run(found_by, examples, 30)
    done = f"{found_by.restores} restores, {found_by.sandboxes} sandboxes"
    told = f"{found_by.lives} lives of {user}, {done}, by {tracking}\n"
    sys.stdout.write(told)
    assert min(found_by.restores, found_by.sandboxes) > examples // 20, told
