"""Steps about what is kept of chats."""

import itertools
from datetime import UTC, datetime, timedelta

from behave import given, then, when
from chat_undo import chats
from hooked import told_to
from keepers import start_keeper
from losing import found_in
from played_chat import PlayedChats
from world import wait_until

from cleveragents.chats.event import EventKind
from cleveragents.engine.chat.retention import ChatRetentionPolicy, doomed_turns
from cleveragents.hooks.recorder import ChatRecorder
from cleveragents.storage.lock import Locks

TURN = """
prompt turn {number}
call c{number} Bash: echo only-{number}-here > file-{number}
stop
"""


@given("a chat keeps {turns:d} turns and what is younger than {days:d} days")
def keeps(context, turns, days):
    context.world.variables["CLEVERAGENTS_CHAT_KEEP_TURNS"] = str(turns)
    context.world.variables["CLEVERAGENTS_CHAT_KEEP_DAYS"] = str(days)
    context.played = 0


@given("{count:d} turns that each change a file")
@when("{count:d} more turns come")
def play(context, count):
    for _ in range(count):
        context.played += 1
        chats(context).play(TURN.format(number=context.played))


@when("one more turn comes")
def one_more(context):
    play(context, 1)


@when("one more turn comes while somebody else holds the chat")
def one_more_beside(context):
    """Somebody who comes once the event is recorded."""
    recording = context.chats.app.chats._recording  # noqa: SLF001 - between two acts of one event
    record, ((plan_id,),) = recording.known, context.world.sql("SELECT plan_id FROM chats")
    held = []

    def known(event):
        held.append(Locks(context.world.data_dir / "locks", "plan").own(plan_id, "testing"))
        held[-1].__enter__()
        return record(event)

    recording.known = known
    one_more(context)
    recording.known = record
    held[-1].__exit__(None, None, None)


@given("all of it was {days:d} days ago")
@when("all of it was {days:d} days ago")
def long_ago(context, days):
    then_ = datetime.now(UTC) - timedelta(days=days)
    written = then_.strftime("%Y-%m-%d %H:%M:%S.%f")
    context.world.sql("UPDATE moments SET happened_at = ?", written)


@then("the turns {numbers} are kept")
def kept(context, numbers):
    rows = context.world.sql("SELECT DISTINCT turn FROM moments ORDER BY turn")
    assert [str(row[0]) for row in rows] == numbers.split(", "), rows


@then("the rows that are left are those of kept moments")
def rows_left(context):
    left = {row[0] for row in context.world.sql("SELECT checkpoint_id FROM checkpoints")}
    needed = {row[0] for row in context.world.sql("SELECT checkpoint_id FROM moments")}
    assert left == needed - {None}, (left, needed)


@then("what only old turns had is freed as soon as a keeper has time")
def freed(context):
    world = context.world
    recorder = ChatRecorder(lambda _: context.chats.app, world.data_dir)
    recorder.patience(told_to(world.project))
    for asked in range(3):  # somebody comes at once, and at the first and second file
        answers = itertools.chain(itertools.repeat(False, asked), itertools.repeat(True))
        recorder.tidy(lambda answers=answers: next(answers))
        begun = context.world.sql("SELECT status FROM operations WHERE kind = 'prune'")
        assert begun == [("open",)], (asked, begun)
    recorder.tidy(lambda: False)
    rows = context.world.sql("SELECT status FROM operations WHERE kind = 'prune'")
    assert rows == [("done",)], rows
    assert found_in(context.world.data_dir, b"only-6-here")


@given("checkpoint {number:d} of the chat is pinned")
def pin(context, number):
    done = context.world.agents("plan", "checkpoint", "pin", "@chat", str(number))
    assert done.code == 0, done.err


@then("checkpoint {number:d} of the chat is there")
def is_there(context, number):
    assert context.world.sql("SELECT pinned FROM checkpoints WHERE seq = ?", number) == [(1,)]


@given("a chat of which nothing was recorded")
def nothing_recorded(context):
    context.chats = PlayedChats(context.world)
    context.chats.event(EventKind.TURN_END)
    context.world.sql("DELETE FROM moments")


@then("nothing of it goes")
def nothing_goes(context):
    context.chats.app.chats.tidy()
    retention = context.chats.app.chats._retention  # noqa: SLF001 - as an event that failed half-way
    (chat,) = context.chats.app.chats.undos.past().chats
    assert retention.run(chat) == 0


@then("of turns that ended {ended} days ago, {count:d} and {days:d} days being kept, {gone} go")
def judged(context, ended, count, days, gone):
    now = datetime.now(UTC)
    ends = {
        number: now - timedelta(days=int(ago), minutes=1)
        for number, ago in enumerate(ended.split(), 1)
    }
    found = doomed_turns(ends, ChatRetentionPolicy(count, days), now)
    assert found == ({int(one) for one in gone.split()} if gone != "none" else set()), found


@then("no row of a chat is left")
def no_rows(context):
    for table in ("plans", "chats", "moments", "checkpoints", "operations"):
        assert context.world.sql(f"SELECT count(*) FROM {table}") == [(0,)], table


@then("what the chats had is stored nowhere")
def stored_nowhere(context):
    packs = list(context.world.data_dir.glob("projects/*/store/packs/*"))
    assert not packs, packs


@when('on a terminal I am asked by "agents {line}" and answer "{answer}"')
def typed(context, line, answer):
    terminal = context.world.agents_on_terminal(*line.split())
    terminal.expect("for ever")
    terminal.sendline(answer)
    terminal.read()
    terminal.close()


@given("the chat was silent for {days:d} days")
def silent(context, days):
    then_ = datetime.now(UTC) - timedelta(days=days)
    context.world.sql("UPDATE chats SET last_event_at = ?", then_.strftime("%Y-%m-%d %H:%M:%S.%f"))


@given("the latest chat is another one")
def another(context):
    context.chats.play("chat B\nprompt hello\nstop")


@then('the only chat is "{session}"')
def only(context, session):
    assert context.world.sql("SELECT client_session FROM chats") == [(session,)]


@when("a keeper starts that is quiet after {seconds:g} seconds")
def start_quiet(context, seconds):
    start_keeper(context, quiet=seconds)
    wait_until(lambda: context.keeper.asked("status"), "the keeper")


@then("the keeper has tried to tidy up")
def tidied(context):
    wait_until((context.world.home / "tidy").exists, "tidying up")


@then("the keeper has recorded {count:d} events")
def recorded(context, count):
    wait_until(lambda: len(context.recorder.lines) == count, "the events")
