"""Steps about which checkpoints are made by themselves, which are kept, and the space they take."""

import json
import random

from behave import then, when
from checkpoints import checkpoints, packs

from cleveragents.checkpoints.retention import DEFAULT_LIMIT
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType


@then("the checkpoints are kept because")
def check_kept(context):
    found = [
        {"seq": str(row["seq"]), "kept": row["kept"]}
        for row in context.world.agents("plan", "checkpoint", "list", "@", "--format=json").data[
            "checkpoints"
        ]
    ]
    assert found == [row.as_dict() for row in context.table], found


@then('the triggers that made checkpoints are "{triggers}"')
@then('the triggers that made checkpoints are ""')
def check_triggers(context, triggers=""):
    found = [row.metadata.get("trigger") for row in checkpoints(context)]
    assert " ".join(filter(None, found)) == triggers, found


@then('the checkpoints that "{trigger}" made are "{reasons}", and no other trigger made one')
def check_made_by(context, trigger, reasons):
    by = [row for row in checkpoints(context) if row.metadata.get("trigger")]
    assert {row.metadata["trigger"] for row in by} == {trigger}, by
    assert "; ".join(row.reason for row in by) == reasons, [row.reason for row in by]


@when('the plan counts as "{stage}"')
def set_stage(context, stage):
    phase, state = stage.split("/")
    context.world.sql("UPDATE plans SET phase = ?, state = ?", phase, state)


@then('it would keep the checkpoints "{kept}" of "{all_of_them}"')
def check_would_keep(context, kept, all_of_them):
    app = context.world.app()
    verdicts = app.checkpoints.retention(app.plans.find("@").plan_id)
    found = [str(verdict.checkpoint.seq) for verdict in verdicts]
    assert " ".join(found) == all_of_them, found
    found = [str(verdict.checkpoint.seq) for verdict in verdicts if verdict.stays]
    assert " ".join(found) == kept, [verdict.why for verdict in verdicts]


@when("{count:d} checkpoints of a changing file of {size:d} bytes are made in one go")
def make_in_one_go(context, count, size):
    """As a plan does that runs: the one who owns it all the time makes them."""
    app = context.world.app()
    plan_id = app.plans.find("@").plan_id
    path = context.world.sandbox / "big"
    service = app.checkpoints
    context.stored = []
    with app.ownership.hold(plan_id, "making many"):
        for number in range(count):
            path.write_bytes(random.Random(number).randbytes(size))
            service.create_checkpoint(
                plan_id, CheckpointRequest(CheckpointType.STEP, f"number {number}")
            )
            needed = sum(row.size_bytes for row in service.list_checkpoints(plan_id))
            context.stored.append((sum(pack.stat().st_size for pack in packs(context)), needed))
    service.tidy(plan_id)


@then("the store was never larger than twice what its checkpoints need")
def check_never_larger(context):
    full = context.stored[DEFAULT_LIMIT:]
    worst = max(stored / needed for stored, needed in full)
    assert worst < 2, worst
    stored, needed = sum(pack.stat().st_size for pack in packs(context)), full[-1][1]
    assert stored < needed * 1.1, (stored, needed)  # at the end all of it is freed


@then("the space was freed in few sweeps, not in one for each checkpoint")
def check_sweeps(context):
    rows = context.world.sql("SELECT status FROM operations WHERE kind = 'prune'")
    assert {status for (status,) in rows} == {"done"}, rows
    assert 2 <= len(rows) <= 12, len(rows)


@then('it is told that "{told}" on that day, and "{near}"')
def check_gone(context, told, near):
    query = "SELECT DISTINCT substr(opened_at, 1, 10) FROM operations WHERE kind = 'prune'"
    days = [f"{told} on {day}; {near}" for (day,) in context.world.sql(query)]
    assert any(day in context.world.done.err for day in days), context.world.done.err


@when('the checkpoint that was made as "{name}" is asked for by its id')
def ask_by_id(context, name):
    made = context.world.sql(
        "SELECT ref_id, detail_json FROM journal WHERE kind = 'checkpoint' ORDER BY seq"
    )
    (found,) = [ref for ref, text in made if json.loads(text)["name"] == name]
    context.world.agents("plan", "checkpoint", "show", "@", found)
