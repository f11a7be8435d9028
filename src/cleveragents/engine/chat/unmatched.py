"""Paths that a user typed and that what is taken back has nothing to do with."""

import os
from collections.abc import Collection

from cleveragents.chats.attribution import Whose
from cleveragents.engine.chat.conflicts import typed_turn
from cleveragents.engine.chat.foresight import ChatForesight, Unmatched
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.request import UndoRequest, spelled
from cleveragents.nearest import asking
from cleveragents.quoting import quoted
from cleveragents.snapshots.tree.scan import shown

ELSEWHERE = 3  # turns that are named where a path was not changed


def unmatched(past: Past, paths: Collection[bytes], would: ChatForesight) -> list[Unmatched]:
    """The typed paths at which nothing was changed, each with how to take back what others did."""
    wanted = would.wanted
    changed = {*paths} | {os.fsencode(gap.path) for gap in would.not_covered}
    missed = [
        Unmatched(typed, _elsewhere(past, wanted, typed))
        for typed in dict.fromkeys(wanted.paths)
        if not any(wanted.names(path, [typed]) for path in changed)
    ]
    return [*missed, *misnamed(wanted, changed)]


def misnamed(wanted: UndoRequest, paths: Collection[bytes]) -> list[Unmatched]:
    """What was said to stay or to be as before, and is none of the paths that it is about."""
    return [
        Unmatched(typed, (), asking(typed, [spelled(shown(path), wanted.here) for path in paths]))
        for typed in dict.fromkeys((*wanted.mine, *wanted.before))
        if not any(wanted.names(path, [typed]) for path in paths)
    ]


def _elsewhere(past: Past, wanted: UndoRequest, typed: str) -> list[str]:
    """How to take back what the newest turns that changed something at a path changed there."""
    found = [
        (call.chat, call.turn)
        for share in reversed(past.shares_of(lambda one: bool(one.calls)))
        if share.whose is Whose.AGENT
        and any(wanted.names(change.path, [typed]) for change in past.standing(share))
        for call in share.difference.calls[:1]
    ]
    turns = list(dict.fromkeys(found))[:ELSEWHERE]
    return [
        f"agents undo {typed_turn(past, chat, f't{turn}')} --path {quoted(typed)}"
        for chat, turn in turns
    ]
