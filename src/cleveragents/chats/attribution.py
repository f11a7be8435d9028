"""Whose change a change is: the agents', the user's, our own, or not to be told.

Between two looks at a directory lies one difference. Whose it is follows from what was under way
in that time in all chats of the directory. What a user wrote while no call ran is never an
agent's; where it could be either's, it is said to be unclear.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import TypeAlias

from cleveragents.chats.doubts import doubts, left_running
from cleveragents.chats.moment import Moment
from cleveragents.chats.turns import Call, CallName, calls, is_call, is_prompt
from cleveragents.ids import OperationId, PlanId
from cleveragents.records import frozen

_Span: TypeAlias = tuple[int, int]  # from the place of one moment to that of another


class Whose(StrEnum):
    """Who made a change."""

    AGENT = "agent"
    USER = "user"
    UNCLEAR = "unclear"
    OURS = "ours"


@frozen
class Act:
    """An act of ours of which nobody looked at the files before and after, as an apply."""

    operation_id: OperationId
    has_ended: bool  # within the time of a difference


@frozen
class Difference:
    """The change from one look at the files to the next."""

    before: Moment
    after: Moment
    whose: Whose
    calls: tuple[CallName, ...]  # all that were open; several made it jointly, if it is theirs
    only: (
        tuple[str, ...] | None
    )  # the agent's: it wrote these alone, whatever else changed is unclear
    turn: tuple[PlanId, int] | None  # the turn it is shown with
    is_late: bool  # the files were not looked at when they should have been
    acts: tuple[Act, ...] = ()  # of ours, under way meanwhile: what they did is not of `whose`


def differences(moments: Sequence[Moment]) -> list[Difference]:
    """What changed between the moments of all chats of one directory, in order, and whose it is."""
    parts = _parts(moments)
    acts = _spans(moments)
    known = [place for place, moment in enumerate(moments) if moment.state is not None]
    return [
        _difference(moments, parts, acts, first, last)
        for first, last in pairwise(known)
        if moments[first].state != moments[last].state
    ]


@frozen
class _Part:
    """What was under way from one moment to the next."""

    whose: Whose
    calls: tuple[Call, ...]  # those open that have an end
    turn: tuple[PlanId, int] | None


def _difference(
    moments: Sequence[Moment],
    parts: Sequence[_Part],
    acts: Mapping[OperationId, _Span],
    first: int,
    last: int,
) -> Difference:
    before, after = moments[first], moments[last]
    covered = parts[first : _looked_by(moments, last)]
    is_late = any(moment.is_late for moment in moments[first : last + 1])
    whose = _of_act(moments, acts, first, last) or _of_all(covered)
    if whose is Whose.OURS:
        return Difference(before, after, whose, (), None, None, is_late)
    turn, ours = _shown_with(whose, covered, after), _under_way(acts, first, last)
    if whose is Whose.USER:
        return Difference(before, after, whose, (), None, turn, is_late, ours)
    theirs = {call.name: call for part in covered for call in part.calls}
    only = _named(theirs.values()) if whose is Whose.AGENT else None
    return Difference(before, after, whose, tuple(theirs), only, turn, is_late, ours)


def _looked_by(moments: Sequence[Moment], place: int) -> int:
    """The moment by which the files had been looked at; late, that was at any time until then."""
    while place < len(moments) and moments[place].is_late:
        place += 1
    return place


def _of_all(parts: Sequence[_Part]) -> Whose:
    """Whose a change is that was made somewhere in these parts."""
    found = {part.whose for part in parts}
    return found.pop() if len(found) == 1 else Whose.UNCLEAR


def _shown_with(whose: Whose, parts: Sequence[_Part], after: Moment) -> tuple[PlanId, int] | None:
    """A user's change goes with the prompt that follows, any other with the turn it began in."""
    if whose is Whose.USER:
        return (after.plan_id, after.turn) if is_prompt(after) else parts[-1].turn
    of_agents = [part for part in parts if part.whose is not Whose.USER]
    return (of_agents or parts)[0].turn


def _named(theirs: Iterable[Call]) -> tuple[str, ...] | None:
    """The paths that calls write, if each of them names its own."""
    named = [call.before.paths for call in theirs]
    return tuple(sorted({path for paths in named for path in paths})) if all(named) else None


def _spans(moments: Sequence[Moment]) -> dict[OperationId, _Span]:
    """The places of the first and the last moment of each act of ours."""
    found: dict[OperationId, _Span] = {}
    for place, moment in enumerate(moments):
        if moment.operation_id is not None:
            first, _ = found.get(moment.operation_id, (place, place))
            found[moment.operation_id] = (first, place)
    return found


def _of_act(
    moments: Sequence[Moment], acts: Mapping[OperationId, _Span], first: int, last: int
) -> Whose | None:
    """Whose a change beside an act of ours is; None: the files were looked at in none.

    What else happened from a crash of ours to the end of the act cannot be told from what it did.
    """
    act, next_act = moments[first].operation_id, moments[last].operation_id
    if act is not None and act == next_act:
        return Whose.OURS
    is_cut_off = act is not None and acts[act][0] == first
    is_finished = next_act is not None and acts[next_act][0] != last
    return Whose.UNCLEAR if is_cut_off or is_finished else None


def _under_way(acts: Mapping[OperationId, _Span], first: int, last: int) -> tuple[Act, ...]:
    """The acts of ours that were under way meanwhile, in the order in which they ended."""
    found = [(span, act) for act, span in acts.items() if span[0] < last and span[1] > first]
    found.sort(key=lambda each: each[0][1])
    return tuple(Act(act, has_ended=span[1] <= last) for span, act in found)


def _parts(moments: Sequence[Moment]) -> list[_Part]:
    """What is under way after each moment."""
    made = calls(moments)
    running = _running(moments, made)
    doubtful, left = doubts(moments, made), left_running(moments, made)
    latest: tuple[PlanId, int] | None = None
    parts: list[_Part] = []
    for place, moment in enumerate(moments):
        if is_prompt(moment) or is_call(moment):
            latest = (moment.plan_id, moment.turn)
        if running[place]:
            parts.append(_of_calls(running[place], left.get(place, ())))
        elif place in doubtful:
            parts.append(_Part(Whose.UNCLEAR, (), doubtful[place]))
        else:
            parts.append(_Part(Whose.USER, (), latest))
    return parts


def _of_calls(running: Sequence[Call], left: Sequence[tuple[PlanId, int]]) -> _Part:
    """Theirs, unless something of another chat runs on: only what they name is surely theirs."""
    chats = {call.name.chat for call in running}
    others = [turn for turn in left if turn[0] not in chats]
    if others and _named(running) is None:
        return _Part(Whose.UNCLEAR, tuple(running), others[0])
    name = running[0].name
    return _Part(Whose.AGENT, tuple(running), (name.chat, name.turn))


def _running(moments: Sequence[Moment], made: Iterable[Call]) -> list[list[Call]]:
    """The calls that ran after each moment and of which an end is known."""
    places = {moment.number: place for place, moment in enumerate(moments)}
    found: list[list[Call]] = [[] for _ in moments]
    for call in made:
        if call.after:
            for place in range(places[call.before.number], places[call.after.number]):
                found[place].append(call)
    return found
