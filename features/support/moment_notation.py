"""Moments as scenarios write them: `prompt ~ before:x ~ after:x turn-end`.

An event is `[chat.]kind[:call][=paths][@agent][#turn][!mark…]`; a tilde changes the files. Chats
are called by letters, A if none is named; marks are `late` (nobody looked in time), `seen` (late,
but somebody looked afterwards), `blind` (nobody has to look), `running` (something of a call's
still ran) and `failed`.
"""

import re
from datetime import UTC, datetime, timedelta

from cleveragents.chats.moment import Moment, MomentKind

EVENT = re.compile(
    r"(?:(?P<chat>[A-Z])\.)?(?P<kind>[a-z-]+)(?::(?P<call>\w+))?(?:=(?P<paths>[\w.,/]+))?"
    r"(?:@(?P<agent>\w+))?(?:#(?P<turn>\d+))?(?P<marks>(?:!\w+)*)"
)
START = datetime(2026, 11, 18, tzinfo=UTC)


def moments(written):
    """The moments of a line."""
    recorder = Recorder()
    for word in written.split():
        if word == "~":
            recorder.change()
        else:
            recorder.event(**EVENT.fullmatch(word).groupdict())
    return recorder.moments


class Recorder:
    """Writes moments down as recording does: numbered, each with the state of the files."""

    def __init__(self):
        self.moments = []
        self.state = 0
        self.turns = {}

    def change(self):
        """Changes the files."""
        self.state += 1

    def event(self, kind, chat=None, call=None, paths=None, agent=None, turn=None, marks=""):
        """Adds a moment."""
        chat = chat or "A"
        marks = marks.split("!")[1:]
        reads = kind in ("read", "seen")
        kind = {"read": "before", "seen": "after"}.get(kind, kind)
        if kind == "prompt" and not agent:
            self.turns[chat] = self.turns.get(chat, 0) + 1
        number = len(self.moments) + 1
        self.moments.append(
            Moment(
                number=number,
                plan_id=chat,
                kind=MomentKind(kind),
                turn=int(turn) if turn else self.turns.get(chat, 0),
                client_turn="",
                call=call or "",
                agent=agent or "",
                tool="Edit" if paths else "Bash",
                text=f"{kind} {call or chat}",
                paths=tuple(paths.split(",")) if paths else (),
                may_write=kind in ("before", "after") and not reads,
                failed="failed" in marks,
                at=START + timedelta(seconds=number),
                key=str(number),
                state=None if {"late", "blind"} & {*marks} else f"s{self.state}",
                checkpoint_id=None,
                is_late="late" in marks or "seen" in marks,
                left_running="running" in marks,
                operation_id=call if kind == "act" else None,
            )
        )


def told(difference):
    """A difference in a few words: `agent(t1.1+B.t2.1: a.txt)`."""
    words = difference.whose.value
    if difference.calls:
        words += f"({'+'.join(map(called, difference.calls))}"
        words += f": {','.join(difference.only)})" if difference.only is not None else ")"
    ours = [act.operation_id + ("" if act.has_ended else "…") for act in difference.acts]
    words += f" beside {','.join(ours)}" if ours else ""
    return ("late " if difference.is_late else "") + words


def second(at):
    """The number of the moment that a time is of."""
    return int((at - START).total_seconds())


def called(name):
    """A call by its name, with the chat unless that is A."""
    return f"{'' if name.chat == 'A' else f'{name.chat}.'}t{name.turn}.{name.number}"
