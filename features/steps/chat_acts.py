"""Steps about acts of ours, and about whose the timeline says that changes are."""

from behave import then
from chat_undo import chats
from inside import Inside
from played_chat import state_of

from cleveragents.checkpoints.needs import live
from cleveragents.operations.operation import OperationRepository
from cleveragents.shapes.chat import call_named, turn_named


@then("the timeline tells")
def timeline_tells(context):
    """Of the turns of the chat that was heard of last: what each call and everybody else did."""
    (story, *_) = chats(context).app.chats.reads.timeline().chats
    found = {}
    for turn in story.turns:
        name = turn_named(turn.turn.number)
        found[name, "external"], found[name, "unclear"] = turn.external, turn.unclear
        for call in turn.calls:
            chat = story.chat.plan_id
            told = call_named(call.call.name, chat)
            found[name, told] = call.changed
            found[name, f"{told} with"] = [
                call_named(one, chat).replace(one.chat, "another") for one in call.joint_with
            ]
    for row in context.table:
        told = ", ".join(sorted(found[row["turn"], row["what"]]))
        assert told == row["paths"], (row, found)


@then("what acts have placed is kept")
def placed_is_kept(context):
    noted = {one for (one,) in context.world.sql("SELECT operation_id FROM moments")} - {None}
    inside = Inside(context.world)
    with inside.database.reading() as connection:
        acts = [OperationRepository(connection).find(one) for one in noted]
        kept = live(connection, inside.plan.project_id)
    assert len(acts) == 3, acts
    assert all(set(act.intent.placed) <= kept for act in acts)


@then("the directory holds")
def directory_holds(context):
    """Nothing but these files."""
    wanted = {
        row["file"]: f"{row['content']}\n".replace("|", "\n").encode() for row in context.table
    }
    state = state_of(context.world.project)
    found = {name: content for name, (_, content) in state.items() if content is not None}
    assert found == wanted, found
