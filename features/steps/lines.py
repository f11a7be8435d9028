"""Steps about the line of checkpoints."""

import json

from behave import given, then

from cleveragents.ids import new_id


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


@given('the journal "{tells}"')
def change_journal(context, tells):
    """As it was written, or as an older version kept it."""
    if tells != "tells all":
        kind = {"knows no names": "checkpoint", "knows no decisions": "decided"}[tells]
        context.world.sql("UPDATE journal SET detail_json = '{}' WHERE kind = ?", kind)
