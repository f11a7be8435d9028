"""Steps about looking after what is kept of chats."""

from behave import given, then, when
from damage import damage
from played_chat import PlayedChats

from cleveragents.engine.chat.protection import Protection
from cleveragents.sandbox.project import Project
from cleveragents.snapshots.tree.manifest import object_id


@given('what the chat has stored of "{name}" is damaged')
def damage_stored(context, name):
    world = context.world
    path = world.project / name
    data = path.read_bytes() if path.exists() else context.states["start"][name][1]
    damage(context, object_id(data))


@given("the first state that the chat has stored is damaged")
def damage_first_state(context):
    rows = context.world.sql("SELECT sandbox_ref FROM checkpoints ORDER BY seq LIMIT 1")
    damage(context, bytes.fromhex(rows[0][0]))


@given("the directory of the chat is protected")
def protect_directory(context):
    Protection(context.world.data_dir).add(Project(context.world.project))


@then("the chats have {count:d} checkpoints")
def count_checkpoints(context, count):
    found = context.world.sql(
        "SELECT count(*) FROM checkpoints JOIN chats ON chats.plan_id = checkpoints.plan_id"
    )
    assert found == [(count,)], found


@given("this chat goes on with nothing known of it")
@when("this chat goes on with nothing known of it")
def go_on_anew(context):
    context.chats = PlayedChats(context.world)
    context.chats.play(context.text)


@given("the rows of chats are lost")
def lose_chats(context):
    world = context.world
    for table in ("moments", "chats", "checkpoints", "journal", "operations", "plans"):
        world.sql(f"DELETE FROM {table}")


@then("there are {count:d} chats, one of them rebuilt")
def rebuilt(context, count):
    rows = [row[0] for row in context.world.sql("SELECT client_session FROM chats ORDER BY 1")]
    assert len(rows) == count, rows
    assert rows[-1].endswith(" (rebuilt)"), rows


@when('the chat goes on in "{name}"')
def goes_on_in(context, name):
    world = context.world
    world.project = world.home / name
    context.chats = PlayedChats(world)
