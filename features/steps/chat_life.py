"""Steps about random lives of agents and a user in one directory."""

import os
import sys
from collections import Counter
from random import randrange

from behave import given, then, when
from crashes import crash
from lives_in_place import Life, life, lived, owner, shortened

from cleveragents.chats.event import EventKind
from cleveragents.chats.turns import calls
from cleveragents.engine.chat.request import UndoRequest


@then(
    "{examples:d} random lives of agents and a user end with the user's files,"
    " and with all of them after redo"
)
def live(context, examples):
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))
    first = 0 if factor == 1 else randrange(2**32)  # always the same lives, or others each time
    found = Counter()
    for seed in range(first, first + examples * factor):
        try:
            found.update(lived(life(seed)))
        except Exception:
            sys.stdout.write(f"life {seed}: {shortened(life(seed))}\n")
            raise
    sys.stdout.write(f"{found}\n")
    assert found["undone"] > examples, found
    assert found["redone"] > examples, found


@given("a directory in which an agent has written in a call")
def begin(context):
    context.life = Life()
    context.add_cleanup(context.life.remove)
    context.life.call("A", 1)
    context.life.stop("A", 0)


@when("the user touches every file")
def touch(context):
    for folder, _, files in os.walk(context.life.root):
        for name in files:
            os.utime(os.path.join(folder, name), follow_symlinks=False)


@then("all is taken back, and done again")
def check_both_ways(context):
    context.life.check_both_ways()


@when("the user takes back paths that nobody changed, and there is nothing to do")
def take_back_nothing(context):
    assert not context.life.act(UndoRequest(paths=("user/*",)))
    assert context.life.seen["nothing"] == 1


@given('a directory in which a client without ids has begun "{command}", and the user cancelled it')
def begin_without_ids(context, command):
    context.life = Life()
    context.add_cleanup(context.life.remove)
    context.life.prompt("A", 0)
    context.life.event("A", EventKind.BEFORE, **_call(command))


@when('the user writes, and prompts, and the client runs "{command}" from end to end')
def run_again(context, command):
    one = context.life
    one.put("user", "user/saved", ("file", "by the user", 0o644))
    one.prompt("A", 0)
    one.event("A", EventKind.BEFORE, **_call(command))
    one.put("A", "A/made", ("file", "by the agent", 0o644))
    one.event("A", EventKind.AFTER, **_call(command))
    one.stop("A", 0)


def _call(command):
    return {"tool": "shell", "text": command, "input": command, "may_write": True}


@then('only what the second "{command}" did is taken back')
def check_taken_back(context, command):
    one = context.life
    assert one.act(UndoRequest(takes_unclear=False))
    one.check("the second is taken back", one.kept)


@then("the first one has no end")
def check_no_end(context):
    found = calls(context.life.app.chats.undos.past().moments)
    assert [call.after is None for call in found] == [True, False], found


@given("a directory in which two agents have written")
def begin_two(context):
    begin(context)
    context.life.call("B", 2)
    context.life.stop("B", 0)


@given("the undo of what the second did is cut off after its {moment}")
def cut_off(context, moment):
    one = context.life
    wanted = UndoRequest(chat=one.named("B"))

    def take_back():
        one.again("", 0)
        one.app.undertakings.undo_chat(wanted).carry_out()

    crash(f"after its {moment}", "undo", take_back)
    assert one.app.chats.reads.unfinished()


@when("the first one's work is taken back")
def take_back_first(context):
    one = context.life
    one.again("", 0)
    was = one.there()
    wanted = UndoRequest(chat=one.named("A"))
    assert one.act(wanted)  # it finishes the one that was cut off, and that is all
    assert not one.app.chats.reads.unfinished()
    assert {place: one.there().get(place) for place in was if owner(place) == "A"} == {
        place: value for place, value in was.items() if owner(place) == "A"
    }
    assert one.act(wanted)
    one.check("both are taken back", one.kept)


@when("the user takes the last undo back")
def redo_cut_off(context):
    one = context.life
    one.again("", 0)
    one.taken_back += 1  # the one that was cut off
    assert one.act(UndoRequest(), is_redo=True)


@then("everything is as the agents left it")
def check_all(context):
    context.life.check("nothing is taken back", context.life.all)
