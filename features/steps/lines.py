"""Steps about the line of checkpoints."""

import json
import os

from behave import given, then
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from line_machine import LineMachine

from cleveragents.ids import new_id


@then("{examples:d} random lives of checkpoints have the line that the model says")
def live(context, examples):
    """Always the same lives, or others where a longer run is asked for."""
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))
    run_state_machine_as_test(
        LineMachine,
        settings=settings(
            max_examples=examples * factor,
            stateful_step_count=8,
            derandomize=factor == 1,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@given('an older version has pruned the checkpoints "{numbers}" in one act')
def prune_as_before(context, numbers):
    """As versions did that linked children to what a row had said before the act."""
    sql = context.world.sql
    query = "SELECT checkpoint_id, parent_id, sandbox_ref FROM checkpoints WHERE seq = ?"
    stale = [sql(query, int(number))[0] for number in numbers.split()]
    names = [f"cp{number}" for number in numbers.split()]
    sql(
        "INSERT INTO operations (operation_id, plan_id, kind, status, intent_json, opened_at)"
        " VALUES (?, ?, 'prune', 'done', ?, '2026-01-02 03:04:05.000000')",
        new_id(),
        context.world.plan.plan_id,
        json.dumps({"refs": [ref for _, _, ref in stale], "names": names, "bytes": 0}),
    )
    for gone, parent, _ in stale:
        sql("UPDATE checkpoints SET parent_id = ? WHERE parent_id = ?", parent, gone)
        sql("UPDATE decisions SET checkpoint_id = NULL WHERE checkpoint_id = ?", gone)
        sql("UPDATE step_runs SET checkpoint_id = NULL WHERE checkpoint_id = ?", gone)
        sql("DELETE FROM checkpoints WHERE checkpoint_id = ?", gone)


@given('the journal "tells all"')
def leave_journal(context):
    """As it was written."""


@given('the journal "knows no names"')
def empty_journal(context):
    """As one that was begun with rows of an older version."""
    context.world.sql("UPDATE journal SET detail_json = '{}' WHERE kind = 'checkpoint'")


@given('the journal "knows no decisions"')
def empty_of_decisions(context):
    """As an older version kept it: that something was decided, and not what."""
    context.world.sql("UPDATE journal SET detail_json = '{}' WHERE kind = 'decided'")


@then('the decision "{name}" can be corrected')
def check_correctable(context, name):
    app = context.world.app()
    plan = app.plans.find("@")
    root = app.tree.read(plan)[0]
    decision = next(node.decision for node in root.children)
    impact = app.corrections.preview(plan.plan_id, decision)
    assert name in impact.target.reason, impact.target


@then("checkpoint {number:d} goes on from {parent}")
def check_parent(context, number, parent):
    found = context.world.sql(
        "SELECT parent.seq FROM checkpoints AS child LEFT JOIN checkpoints AS parent"
        " ON parent.checkpoint_id = child.parent_id WHERE child.seq = ?",
        number,
    )
    assert found == [(None if parent == "none" else int(parent.split()[1]),)], found
