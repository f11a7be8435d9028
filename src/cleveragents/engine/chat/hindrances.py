"""What else keeps an undo in the user's directory from being done: calls under way, and git."""

from collections.abc import Collection, Iterator, Sequence

from cleveragents.chats.turns import open_calls
from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.chat.deed import Deed
from cleveragents.engine.chat.in_git import in_git
from cleveragents.engine.chat.leftovers import is_gone
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.place import LivePlace
from cleveragents.engine.chat.request import UndoRequest

ANYWAY = "wait for it, or do it all the same: --anyway"
WRITTEN = "--unclear take for what it has written"  # which a redo has no part in


class ChatHindrances:
    """Finds them; changes nothing."""

    def find(
        self,
        place: LivePlace,
        past: Past,
        deeds: Sequence[Deed],
        paths: Collection[bytes],
        wanted: UndoRequest,
        *,
        is_redo: bool,
    ) -> Sequence[Obstacle]:
        """Lists everything but what a user says to pass over; only these paths would change."""
        if wanted.anyway:
            return []
        way = ANYWAY if is_redo else f"{ANYWAY}, with {WRITTEN}"
        return [*_under_way(past, way), *in_git(place, deeds, paths)]


def _under_way(past: Past, way: str) -> Iterator[Obstacle]:
    """Calls that have begun and not ended, of clients that still run."""
    for one in open_calls(past.moments):
        chat = past.chat(one.name.chat)
        if not is_gone(chat.pid):
            name = f"t{one.name.turn}.{one.name.number}"
            why = f"a call of {chat.client} is under way: {one.tool} {one.text}".strip()
            yield Obstacle(name, why, way)
