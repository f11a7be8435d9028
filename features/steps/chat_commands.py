"""Steps about the commands of chats."""

import os

from behave import given, then, when
from chat_undo import chats


@given("the client of this chat has started us")
def be_started(context):
    """Whoever started the tests is taken for the client."""
    chats(context).pid = os.getppid()


@when("the process dies before it has closed that")
def die(context):
    """As if it had been killed with all files in place and nothing of that recorded."""
    world = context.world
    ((operation, record),) = world.sql(
        "SELECT operation_id, json_extract(intent_json, '$.record') FROM operations"
        " ORDER BY operation_id DESC LIMIT 1"
    )
    world.sql("DELETE FROM moments WHERE key = ?", f"act:{operation}:end")
    world.sql("DELETE FROM checkpoints WHERE checkpoint_id = ?", record)
    world.sql(
        "UPDATE operations SET status = 'open', closed_at = NULL, outcome_json = NULL"
        " WHERE operation_id = ?",
        operation,
    )


@when("I undo each chat here by its id and the beginning of it")
def undo_by_id(context):
    ids = [one for (one,) in context.world.sql("SELECT plan_id FROM chats")]
    names = [*ids, *(f"{one[:-1]}".lower() for one in ids)]
    context.found = [
        context.world.agents("undo", "--chat", name, "--dry-run", "--format", "json").data["chat"]
        for name in names
    ]
    context.wanted = [*ids, *ids]


@then("each is found")
def check_found(context):
    assert context.found == context.wanted, context.found


@then("what would be undone next is the first of the acts")
def check_next(context):
    data = context.world.done.data
    assert data["next_undo"] == data["acts"][0]["id"], data
