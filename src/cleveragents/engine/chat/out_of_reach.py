"""Turns of which nothing can be taken back, because what they did is covered by nothing here."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from cleveragents.chats.turns import Call, Turn, turns
from cleveragents.engine.chat.foresight import ChatForesight, PassedOver
from cleveragents.engine.chat.lost import NOT_KEPT, still_lost
from cleveragents.engine.chat.past import Past
from cleveragents.ids import PlanId

NAMED = 3  # paths


def out_of_reach(past: Past, root: Path, chat: PlanId | None) -> list[PassedOver]:
    """The turns of all chats or of one, the newest first."""
    return [told for _, told in _all(past, root) if chat in (None, told.chat.plan_id)]


def newer_than(would: ChatForesight, past: Past, root: Path) -> list[PassedOver]:
    """Those that came after what would be taken back."""
    chat, since = would.wanted.chat, None if would.is_passed_over else would.changed_at
    return [
        told
        for at, told in _all(past, root)
        if chat in (None, told.chat.plan_id)
        and (since is None or at > since)
        and (told.chat.plan_id, told.turn) != (would.chat.plan_id, would.turn)
    ]


def _all(past: Past, root: Path) -> Iterator[tuple[datetime, PassedOver]]:
    lost = still_lost(past, root)
    for turn in reversed(turns(past.moments)):
        chat, name = past.chat(turn.chat), f"t{turn.number}"
        gone = [call for call in turn.calls if lost is not None and call.name in lost.calls]
        if gone and lost is not None:
            why = f".git is gone since {name}.{gone[0].name.number}: {NOT_KEPT}"
            yield lost.at, PassedOver(chat, turn.number, why)
        elif paths := _outside(turn, root):
            more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
            why = f"{name} wrote {', '.join(paths[:NAMED])}{more}, outside of this directory"
            yield turn.calls[-1].started_at, PassedOver(chat, turn.number, why)


def _outside(turn: Turn, root: Path) -> list[str]:
    """The paths that a turn wrote, if all of its calls say that they wrote elsewhere alone."""
    if not all(map(_is_outside, turn.calls)):
        return []
    found = (path for call in turn.calls for path in call.before.paths)
    return list(dict.fromkeys(os.path.normpath(root / path) for path in found))


def _is_outside(call: Call) -> bool:
    paths = call.before.paths
    return bool(paths) and all(path.split(os.sep)[0] == os.pardir for path in paths)
