"""Doubts: times in which something of an agent's may have written without a call to show for it.

Each rule gives stretches of time, from one moment to another, with the turn that is to blame.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from cleveragents.chats.moment import Moment, MomentKind
from cleveragents.chats.turns import (
    CLOSING,
    Call,
    ends_turn,
    is_prompt,
    unannounced,
)
from cleveragents.ids import PlanId

# Events at which nobody looks for processes.
UNSEEN = (MomentKind.START, MomentKind.AGENT_START, MomentKind.ACT)
_TurnName: TypeAlias = tuple[PlanId, int]
_Placed: TypeAlias = tuple[int, Moment]  # a moment and its place among those of all chats


class _Stretch(NamedTuple):
    """A time of doubt, from the moment at one place to that at another."""

    first: int
    end: int
    turn: _TurnName


def doubts(moments: Sequence[Moment], made: Sequence[Call]) -> dict[int, _TurnName]:
    """The places of the moments after which there is doubt, and the turn that is to blame."""
    found = {place: turns[0] for place, turns in left_running(moments, made).items()}
    for stretch in _stretches(moments, made):
        for place in range(stretch.first, stretch.end):
            found.setdefault(place, stretch.turn)
    return found


def _stretches(moments: Sequence[Moment], made: Sequence[Call]) -> Iterator[_Stretch]:
    chats: dict[PlanId, list[_Placed]] = {}
    for place, moment in enumerate(moments):
        if moment.kind is not MomentKind.ACT:
            chats.setdefault(moment.plan_id, []).append((place, moment))
    unseen = {moment.number for moment in unannounced(moments)}
    called = unseen.union(call.before.number for call in made)
    yield from _lost_calls(moments, made)
    yield from _unseen_calls(moments, unseen)
    for own in chats.values():
        yield from _between_calls(own, called, len(moments))
        yield from _subagents(own, called, len(moments))


def _lost_calls(moments: Sequence[Moment], made: Sequence[Call]) -> Iterator[_Stretch]:
    """Calls without an end: refused, interrupted, or still under way."""
    places = {moment.number: place for place, moment in enumerate(moments)}
    for call in made:
        if call.after is None:
            end = places[call.closed.number] if call.closed else len(moments)
            yield _Stretch(places[call.before.number], end, (call.name.chat, call.name.turn))


def _unseen_calls(moments: Sequence[Moment], unseen: Container[int]) -> Iterator[_Stretch]:
    """Calls that began when nobody looked: at any time since the chat was heard of last."""
    heard: dict[PlanId, int] = {}
    for place, moment in enumerate(moments):
        if moment.number in unseen:
            since = heard.get(moment.plan_id, max(0, place - 1))
            yield _Stretch(since, place, (moment.plan_id, moment.turn))
        if moment.kind is not MomentKind.ACT:
            heard[moment.plan_id] = place


def _between_calls(own: Iterable[_Placed], called: Container[int], end: int) -> Iterator[_Stretch]:
    """From the first call of a turn to its end: a call may have left something running."""
    since: _Stretch | None = None
    turn: int | None = None
    is_over = False
    for place, moment in own:
        if is_prompt(moment) or ends_turn(moment):
            if since:
                yield since._replace(end=place)
            since, turn, is_over = None, moment.turn, not is_prompt(moment)
        elif moment.number in called and turn in (None, moment.turn):
            is_over = is_over and bool(moment.agent)  # a call of its own: it goes on
            if not is_over:
                turn = moment.turn
                since = since or _Stretch(place, end, (moment.plan_id, turn))
    if since:
        yield since


def _subagents(own: Sequence[_Placed], called: Container[int], end: int) -> Iterator[_Stretch]:
    """From the first call of a subagent's turn to the subagent's end, also after the turn's."""
    ends = _ends_of_subagents(own, end)
    first: dict[int, int] = {}  # the first call of each turn
    for place, moment in own:
        if moment.number in called:
            first.setdefault(moment.turn, place)
    for place, moment in own:
        if moment.kind is MomentKind.AGENT_START and moment.turn in first:
            since = max(place, first[moment.turn])
            yield _Stretch(since, ends[place], (moment.plan_id, moment.turn))


def _ends_of_subagents(own: Sequence[_Placed], end: int) -> dict[int, int]:
    """Where each subagent that was started has ended: as it said, else as a lost call does."""
    found: dict[int, int] = {}
    told: dict[str, int] = {}
    closing = end
    for place, moment in reversed(own):
        if moment.kind is MomentKind.AGENT_END:
            told[moment.agent] = place
        elif moment.kind is MomentKind.AGENT_START:
            found[place] = told.pop(moment.agent, closing)
        elif moment.kind in CLOSING and not moment.agent:
            closing = place
    return found


def left_running(moments: Sequence[Moment], made: Sequence[Call]) -> dict[int, list[_TurnName]]:
    """The places of the moments after which something runs on that a call of an ended turn began.

    Each with the turns of those calls; there is none once a look has found nothing of it.
    """
    called = {moment.number for moment in unannounced(moments)}
    called.update(call.before.number for call in made)
    found: dict[int, list[_TurnName]] = {}
    for chat in dict.fromkeys(moment.plan_id for moment in moments):
        for stretch in _left_running(moments, chat, called):
            for place in range(stretch.first, stretch.end):
                found.setdefault(place, []).append(stretch.turn)
    return found


def _left_running(
    moments: Sequence[Moment], chat: PlanId, called: Container[int]
) -> Iterator[_Stretch]:
    """From when something was seen to run on after a turn's end to the next prompt, or its end."""
    since: _Stretch | None = None
    turn: int | None = None
    is_over = False
    for place, moment in enumerate(moments):
        is_own = moment.plan_id == chat
        if since and (is_prompt(moment) if is_own else _has_none_left(moment)):
            yield since._replace(end=place)
            since = None
        if is_own and (is_prompt(moment) or ends_turn(moment)):
            turn, is_over = moment.turn, not is_prompt(moment)
        elif is_own and moment.number in called and (turn, "") == (moment.turn, moment.agent):
            is_over = False  # it goes on
        if is_own and is_over and moment.left_running and since is None:
            since = _Stretch(place, len(moments), (chat, moment.turn))
    if since:
        yield since


def _has_none_left(moment: Moment) -> bool:
    """Whether somebody looked, at an event of another chat, for what calls had left running."""
    return moment.kind not in UNSEEN and not moment.is_late and not moment.left_running
