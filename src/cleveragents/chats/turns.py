"""Turns and calls: the moments of chats, put together."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from cleveragents.chats.moment import Moment, MomentKind
from cleveragents.ids import PlanId
from cleveragents.records import frozen, replace

CLOSING = (
    MomentKind.PROMPT,
    MomentKind.INTERRUPT,
    MomentKind.END,
)  # what ends a call without after
ENDING = (MomentKind.TURN_END, MomentKind.INTERRUPT, MomentKind.END)  # what ends a turn


@frozen
class CallName:
    """A call by its place in its turn, counted over the calls that may write."""

    chat: PlanId
    turn: int
    number: int


@frozen
class Call:
    """One tool call that may write."""

    name: CallName
    before: Moment
    after: Moment | None  # None: none came, and whether the call did anything is not known
    closed: Moment | None  # the moment since which it is over: its after if there is one

    @property
    def tool(self) -> str:
        """The tool's name, as the client has it."""
        return self.before.tool

    @property
    def text(self) -> str:
        """The beginning of a command, or the path of an edit."""
        return self.before.text

    @property
    def agent(self) -> str:
        """The subagent whose call it is; empty: the chat's own."""
        return self.before.agent

    @property
    def started_at(self) -> datetime:
        """When it began."""
        return self.before.at

    @property
    def ended_at(self) -> datetime | None:
        """When it ended, if that was told."""
        return self.after.at if self.after else None

    @property
    def failed(self) -> bool:
        """Whether the client says that it failed."""
        return self.after is not None and self.after.failed


@frozen
class Turn:
    """A prompt and the calls that followed from it."""

    chat: PlanId
    number: int
    prompt: str
    started_at: datetime
    ended_at: datetime | None  # None: its end was not told, or is yet to come
    calls: tuple[Call, ...]


def turns(moments: Sequence[Moment]) -> list[Turn]:
    """The turns of all chats, in the order in which they began."""
    begun: dict[tuple[PlanId, int], Turn] = {}
    for moment in moments:
        of = (moment.plan_id, moment.turn)
        if of not in begun and (is_prompt(moment) or is_call(moment)):
            prompt = moment.text if is_prompt(moment) else ""
            begun[of] = Turn(*of, prompt, moment.at, ended_at=None, calls=())
        elif of in begun and begun[of].ended_at is None and ends_turn(moment):
            begun[of] = replace(begun[of], ended_at=moment.at)
        elif of in begun and is_call(moment) and not moment.agent:
            begun[of] = replace(begun[of], ended_at=None)  # it goes on: another hook wanted more
    made = sorted(calls(moments), key=_turn_of)
    for of, its_calls in groupby(made, key=_turn_of):
        begun[of] = replace(begun[of], calls=tuple(its_calls))
    return list(begun.values())


def _turn_of(call: Call) -> tuple[PlanId, int]:
    return call.name.chat, call.name.turn


def open_calls(moments: Sequence[Moment]) -> list[Call]:
    """The calls that are under way after the last moment, the oldest first."""
    return [call for call in calls(moments) if call.closed is None]


def calls(moments: Sequence[Moment]) -> list[Call]:
    """The calls of all chats that may write, in the order in which they began."""
    counts: Counter[tuple[PlanId, int]] = Counter()
    found: list[Call] = []
    ends = _ends(moments)
    for moment in filter(is_call, moments):
        counts[moment.plan_id, moment.turn] += 1
        number = counts[moment.plan_id, moment.turn]
        name = CallName(moment.plan_id, moment.turn, number)
        closed = ends.get(moment.number)
        after = closed if closed and closed.kind is MomentKind.AFTER else None
        found.append(Call(name, moment, after, closed))
    return found


def unannounced(moments: Sequence[Moment]) -> list[Moment]:
    """The afters of calls that may have written and whose before nobody saw."""
    announced = {end.number for end in _ends(moments).values()}
    return [
        moment
        for moment in moments
        if moment.kind is MomentKind.AFTER and moment.may_write and moment.number not in announced
    ]


def is_call(moment: Moment) -> bool:
    """Whether a call that may write begins."""
    return moment.kind is MomentKind.BEFORE and moment.may_write


def is_prompt(moment: Moment) -> bool:
    """Whether it is the user's prompt: subagents are given some as well."""
    return moment.kind is MomentKind.PROMPT and not moment.agent


def ends_turn(moment: Moment) -> bool:
    """Whether the turn is over: the end of a subagent's work is not that of the turn."""
    return moment.kind in ENDING and not moment.agent


def _ends(moments: Sequence[Moment]) -> dict[int, Moment]:
    """The moment since which each call is over, by the number of its before.

    One that the user denied has no after: it is over with its turn, unless it is a subagent's.
    """
    ends: dict[int, Moment] = {}
    afters: dict[tuple[PlanId, str], Moment] = {}
    closings: dict[tuple[PlanId, bool], Moment] = {}  # of the chat's own calls, or not
    for moment in reversed(moments):
        of = (moment.plan_id, moment.call)
        if moment.kind is MomentKind.AFTER:
            afters[of] = moment
        elif moment.kind is MomentKind.BEFORE:
            end = afters.pop(of, None) or closings.get((moment.plan_id, not moment.agent))
            ends |= {moment.number: end} if end else {}
        elif not moment.agent and moment.kind in (*CLOSING, MomentKind.TURN_END):
            closings[moment.plan_id, True] = moment
            if moment.kind in CLOSING:
                closings[moment.plan_id, False] = moment
    return ends
