"""The conversation that a turn belongs to, taken back in its client: only if the user says so."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.chats.chat import Chat
from cleveragents.chats.moment import Moment
from cleveragents.chats.turns import is_prompt
from cleveragents.clients.claude_fork import fork
from cleveragents.clients.client import CLIENTS, Client
from cleveragents.clients.codex_revert import revert
from cleveragents.clients.conversation import WAYS, Conversation, ConversationFate, ConversationWay
from cleveragents.engine.chat.leftovers import is_gone
from cleveragents.engine.chat.reading import ChatReader
from cleveragents.errors import Failed
from cleveragents.quoting import quoted
from cleveragents.records import replace


class Conversations:
    """Takes conversations back where their client can, and tells what to do where it cannot.

    Nothing is recorded: whether a conversation still has a turn, its client knows.
    """

    def __init__(self, reads: ChatReader, home: Path, caller: Mapping[str, str]) -> None:
        self._reads = reads
        self._home = home
        self._caller = caller

    def foreseen(self, chat: Chat, turn: int) -> ConversationFate:
        """Tells what would become of it; starts nothing."""
        later = self._later(chat, turn)
        along = f"; not in it then either: {', '.join(later)} (their files stay)" if later else ""
        return self._foreseen(chat, turn, along)

    def take_back(self, chat: Chat, turn: int) -> ConversationFate:
        """Lets a conversation end before a turn; whatever is in the way, what to do is told."""
        foreseen = self._foreseen(chat, turn, "")
        if not foreseen.is_ours:
            return foreseen
        try:
            return self._taken_back(chat, turn)
        except Failed as error:
            return self._by_hand(chat, turn, f"it stays as it is ({error}); ")

    def _foreseen(self, chat: Chat, turn: int, along: str) -> ConversationFate:
        way, client = WAYS[chat.client], CLIENTS[chat.client]
        if not way.done:
            return self._by_hand(chat, turn, "")
        if client.found(self._caller) is None:
            return self._by_hand(chat, turn, f"it stays as it is ({client.program} is not here); ")
        if self._runs(chat) and not way.is_kept:
            return ConversationFate(
                is_taken_back=False,
                how=f"it stays as it is while {client.title} runs: leave it, then type this",
                command=f"agents undo t{turn} --chat {chat.plan_id} --with-chat",
            )
        return ConversationFate(
            is_taken_back=False,
            how=way.done.format(turn=f"t{turn}") + along,
            command="",
            is_ours=True,
        )

    def _taken_back(self, chat: Chat, turn: int) -> ConversationFate:
        """Lets the client do it; fails if it does not."""
        client, way, session = CLIENTS[chat.client], WAYS[chat.client], chat.client_session
        program = client.found(self._caller) or client.program
        talk = Conversation(session, self._client_turn(chat, turn), Path(chat.root))
        if not way.is_kept:
            revert(program, talk, self._caller)
            return _done(way, turn, way.command(session, talk.root))
        made = fork(program, talk, client.directory(self._home, self._caller), self._caller)
        if made is None:
            return _begun_anew(client, turn, talk.root)
        done = _done(way, turn, way.command(made.session, made.directory))
        goes_on = f"{done.how}; {client.title} still runs, with the old one"
        return replace(done, how=goes_on) if self._runs(chat) else done

    def _by_hand(self, chat: Chat, turn: int, why: str) -> ConversationFate:
        way = WAYS[chat.client]
        return ConversationFate(
            is_taken_back=False,
            how=f"{why}to end it before t{turn} go on with it, and {way.by_hand}",
            command=way.command(chat.client_session, Path(chat.root)),
        )

    def _runs(self, chat: Chat) -> bool:
        return bool(chat.pid) and not is_gone(chat.pid)

    def _client_turn(self, chat: Chat, turn: int) -> str:
        """What the client calls a turn: the prompt has that, or what followed if nobody saw it."""
        of_turn = [one for one in self._moments(chat) if one.turn == turn and not one.agent]
        of_turn.sort(key=lambda one: not is_prompt(one))
        return next((one.client_turn for one in of_turn if one.client_turn), "")

    def _later(self, chat: Chat, turn: int) -> list[str]:
        """The turns of a chat after one of them."""
        numbers = {one.turn for one in self._moments(chat) if one.turn > turn and is_prompt(one)}
        return [f"t{number}" for number in sorted(numbers)]

    def _moments(self, chat: Chat) -> Sequence[Moment]:
        past = self._reads.past()
        found = () if past is None else past.moments
        return [one for one in found if one.plan_id == chat.plan_id]


def _done(way: ConversationWay, turn: int, command: str) -> ConversationFate:
    return ConversationFate(
        is_taken_back=True, how=way.done.format(turn=f"t{turn}"), command=command
    )


def _begun_anew(client: Client, turn: int, root: Path) -> ConversationFate:
    """The fate of a conversation of which nothing would be left."""
    return ConversationFate(
        is_taken_back=False,
        how=f"nothing was said before t{turn}: begin a new one",
        command=f"cd {quoted(str(root))} && {client.program}",
    )
