"""Steps about whose change a change is."""

import os
import sys
from collections import Counter
from random import randrange

from behave import then, when
from moment_lives import judge, life, shortened
from moment_notation import called, moments, second, told

from cleveragents.chats.attribution import Whose, differences
from cleveragents.chats.turns import open_calls, turns


@when("this happens: {written}")
def happen(context, written):
    context.moments = moments(written)


@then("the changes are: {wanted}")
def check_changes(context, wanted):
    found = "; ".join(map(told, differences(context.moments))) or "nothing"
    assert found == wanted, found


@then("the turns are")
def check_turns(context):
    found = [tuple(map(str, shown(turn))) for turn in turns(context.moments)]
    wanted = [tuple(row) for row in context.table]
    assert found == wanted, found


def shown(turn):
    """A turn as a row."""
    name = f"{'' if turn.chat == 'A' else f'{turn.chat}.'}t{turn.number}"
    ended = second(turn.ended_at) if turn.ended_at else ""
    calls = "; ".join(map(call_shown, turn.calls))
    return name, turn.prompt, second(turn.started_at), ended, calls


def call_shown(call):
    """A call: its tool, its text, from when to when, whether it failed, beside whom."""
    ended = second(call.ended_at) if call.ended_at else "?"
    words = [call.tool, call.text.split()[-1], f"{second(call.started_at)}-{ended}"]
    words += ["failed"] if call.failed else []
    return " ".join(words)


@then("under way are: {wanted}")
def check_under_way(context, wanted):
    found = ", ".join(
        f"{called(call.name)}{f' of {call.agent}' if call.agent else ''}"
        f" since {second(call.started_at)}"
        for call in open_calls(context.moments)
    )
    assert found == wanted, found


@then("no call is under way")
def check_none_under_way(context):
    assert not open_calls(context.moments)


@then("{examples:d} random lives of chats go as a world says that knows who wrote what")
def live(context, examples):
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))
    first = 0 if factor == 1 else randrange(2**32)  # always the same lives, or others each time
    found = Counter()
    for seed in range(first, first + examples * factor):
        try:
            found.update(judge(life(seed)))
        except AssertionError:
            least = shortened(life(seed))
            sys.stdout.write(f"life {seed}: {least}\n")
            judge(least)
    assert min(found[whose] for whose in Whose) > examples // 10, found
