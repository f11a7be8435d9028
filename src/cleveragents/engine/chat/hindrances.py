"""What else keeps an undo in the user's directory from being done: calls that are under way."""

from collections.abc import Iterator, Sequence

from cleveragents.chats.turns import open_calls
from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.chat.choice import UndoRequest
from cleveragents.engine.chat.leftovers import is_gone
from cleveragents.engine.chat.past import Past, Share
from cleveragents.engine.chat.place import LivePlace

ANYWAY = "wait for it, or do it all the same: --anyway"


class ChatHindrances:
    """Finds them; changes nothing."""

    def find(
        self,
        place: LivePlace,  # noqa: ARG002
        past: Past,
        shares: Sequence[Share],  # noqa: ARG002
        wanted: UndoRequest,
    ) -> Sequence[Obstacle]:
        """Lists everything but what a user says to pass over."""
        return [] if wanted.anyway else list(_under_way(past))


def _under_way(past: Past) -> Iterator[Obstacle]:
    """Calls that have begun and not ended, of clients that still run."""
    for one in open_calls(past.moments):
        chat = past.chat(one.name.chat)
        if not is_gone(chat.pid):
            name = f"t{one.name.turn}.{one.name.number}"
            why = f"a call of {chat.client} is under way: {one.tool} {one.text}".strip()
            yield Obstacle(name, why, ANYWAY)
