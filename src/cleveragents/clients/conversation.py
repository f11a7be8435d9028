"""Conversations as clients keep them: how each is taken back, and what people do by hand."""

from collections.abc import Mapping
from pathlib import Path

from cleveragents.quoting import quoted
from cleveragents.records import frozen

SECONDS = 60  # that a client may take: some unpack themselves first


@frozen
class Conversation:
    """A conversation that is to end before one of its turns."""

    session: str  # the client's id of it
    turn: str  # the client's id of the turn; empty: it has none
    root: Path  # the directory that it is about


@frozen
class ConversationFate:
    """What becomes, or became, of a conversation."""

    is_taken_back: bool
    how: str
    command: str  # that goes on with it, or that takes it back where we cannot
    is_ours: bool = False  # whether it is for us to take it back


@frozen
class ConversationWay:
    """How the conversations of a client are taken back."""

    opened: str  # the command that goes on with one; {} is its id
    by_hand: str  # what to type there
    done: str = ""  # what becomes of it if we do it; empty: nobody else can
    is_kept: bool = False  # whether it stays as it was, and another one goes on

    def command(self, session: str, directory: Path) -> str:
        """The command line that goes on with a conversation, wherever it is typed."""
        opened = self.opened.replace("{}", quoted(session))
        return f"cd {quoted(str(directory))} && {opened}"


# Seen in the programs themselves, with the versions that `clients_lab` plays with.
WAYS: Mapping[str, ConversationWay] = {
    "claude": ConversationWay(
        "claude --resume {}",
        "type /rewind, choose the prompt, and restore the conversation alone",
        "a fork of it ends before {turn}; the old one stays as it is",
        is_kept=True,
    ),
    "codex": ConversationWay(
        "codex resume {}",
        "press Esc twice, and go back to the prompt",
        "{turn} and all that was said since go from it, and no redo brings that back",
    ),
    "gemini": ConversationWay(
        "gemini --resume {}",
        "type /rewind, choose the prompt, and rewind the conversation alone",
    ),
    "qwen": ConversationWay("qwen --resume {}", "type /rewind, and choose the prompt"),
    "copilot": ConversationWay(
        "copilot --resume={}",
        "type /rewind once for each prompt that is to go; it puts files back as well, as far as it"
        " knows them: agents timeline tells what changed",
    ),
    "opencode": ConversationWay(
        "opencode --session {}",
        "type /undo once for each prompt that is to go; it puts files back as well, as far as it"
        " knows them: agents timeline tells what changed",
    ),
}
