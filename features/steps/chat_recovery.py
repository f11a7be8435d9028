"""Steps that kill an undo in the user's directory, and look at what the next ones make of it."""

import contextlib
import os
import signal

from behave import given, then, when
from chat_undo import undertaking
from forked import die, forked, watch
from ordinary import hand_over, ordinary_user
from played_chat import PlayedChats, state_of

from cleveragents.chats.event import EventKind
from cleveragents.engine.chat.undo import ChatUndoFinished
from cleveragents.errors import CleverAgentsError, Refused
from cleveragents.snapshots.write import exchange

MOST = 120
STRIDE = 13  # the suite of faults tries each system call
HALF = 6  # calls that change files: something is placed by then, and not everything
OURS = ".cleveragents-"


@given("the project is mine")
def mine(context):
    context.verdicts = []


@given("the project is an ordinary user's")
def ordinary(context):
    hand_over(context.world.home)
    context.enter_context = contextlib.ExitStack()
    context.enter_context.enter_context(ordinary_user())
    context.add_cleanup(context.enter_context.close)
    context.verdicts = []


def _killed(context, text, number, *, is_redo=False):
    """Lets an act die at a call that changes files; tells whether it came so far."""

    def act():
        points = iter(range(number))
        watch(exchange, lambda _: die() if next(points, None) is None else None)
        context.chats = PlayedChats(context.world)
        undertaking(context, text, is_redo=is_redo).act(None)

    code = forked(act)
    assert code in (0, -signal.SIGKILL), code
    context.chats = PlayedChats(context.world)
    return code != 0


@when(
    "an {verb} here is killed at each of its steps, a prompt comes and the next {same} finishes it"
)
@when(
    "a {verb} here is killed at each of its steps, a prompt comes and the next {same} finishes it"
)
def everywhere(context, verb, same):
    assert verb == same
    is_redo = verb == "redo"
    before = state_of(context.world.project)
    after = None
    for number in range(0, MOST, STRIDE):
        killed = _killed(context, "", number, is_redo=is_redo)
        left = state_of(context.world.project)
        if killed:
            recorded = context.chats.event(EventKind.TURN_END)
            asked = context.chats.event(EventKind.PROMPT, turn=f"{verb}-{number}", text="go on")
            context.verdicts.append((left, state_of(context.world.project), recorded, asked))
            undertaking(context, "", is_redo=is_redo).finish()
        after = after or state_of(context.world.project)
        assert state_of(context.world.project) == after, (number, state_of(context.world.project))
        assert after != before
        if not killed:
            return
        undertaking(context, "", is_redo=not is_redo).act(None)
        assert state_of(context.world.project) == before, (number, left)
    raise AssertionError("it never came to its end")


@then("no prompt changed a file, and each was told")
def told(context):
    assert len(context.verdicts) > 1
    for left, found, recorded, asked in context.verdicts:
        assert left == found
        assert recorded.answer == ""
        assert "was interrupted and some files may be half-way" in asked.answer, asked


@then("nothing of ours is left in the directory")
def nothing_left(context):
    names = [
        name for _, folders, files in os.walk(context.world.project) for name in [*folders, *files]
    ]
    assert not [name for name in names if name.startswith(OURS)], names


@given('undoing "{text}" was killed half-way')
@given("undoing was killed half-way")
@when("undoing is killed half-way")
def half_way(context, text=""):
    before = state_of(context.world.project)
    assert _killed(context, text, HALF)
    assert state_of(context.world.project) != before


@given("undoing was killed as soon as it began")
def begun(context):
    assert _killed(context, "", 0)


@given("undoing was killed before it placed anything")
def never_placed(context):
    assert _killed(context, "", 2)
    names = os.listdir(context.world.project)
    assert [name for name in names if name.startswith(OURS)], names


@when('I ask what undo "{text}" would do and it is refused')
def asked(context, text):
    try:
        undertaking(context, text).preview()
    except Refused as error:
        context.error = error
    else:
        raise AssertionError("it was not refused")


@when("I undo here and it is taken back first")
def taken_back(context):
    """What was interrupted cannot be finished; what is to be taken back then is another thing."""
    undertaking(context, "").finish()
    rows = context.world.sql("SELECT status FROM operations WHERE kind = 'undo'")
    assert rows == [("aborted",)], rows
    with contextlib.suppress(CleverAgentsError):
        undertaking(context, "").act(None)


@then("the interrupted {kind} of t{turn:d} was finished, and nothing else was done")
def finished(context, kind, turn):
    assert isinstance(context.result, ChatUndoFinished), context.result
    done = context.result.done
    assert (done.kind, done.intent.turn) == (kind, turn), done
    rows = context.world.sql("SELECT operation_id, status FROM operations ORDER BY operation_id")
    assert rows[-1] == (done.operation_id, "done"), rows


@then('the user\'s "{name}" stays')
def stays(context, name):
    assert (context.world.project / name).read_text() == "mine\n"


@given("nobody can read any more what it was to do")
def unreadable(context):
    context.world.sql("UPDATE operations SET intent_json = '{}' WHERE status = 'open'")


@given("the undo is marked as one that cannot be finished")
def stuck(context):
    context.world.sql(
        "UPDATE operations SET status = 'stuck', outcome_json = '{\"reason\": \"a test\"}'"
        " WHERE status = 'open'"
    )


@when("a prompt of the chat comes")
def prompted(context):
    context.prompts = getattr(context, "prompts", 0) + 1
    context.chats.event(EventKind.PROMPT, turn=f"later-{context.prompts}", text="and now")
