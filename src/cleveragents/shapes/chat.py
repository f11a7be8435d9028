"""Undo and redo of what agents did in a chat."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from cleveragents.chats.turns import CallName
from cleveragents.engine.chat.foresight import ChatForesight
from cleveragents.engine.chat.undo import ChatUndoFinished, ChatUndoResult
from cleveragents.ids import CheckpointId, OperationId, PlanId
from cleveragents.shapes.act import REDO, ConflictingPath, KeptRow
from cleveragents.shapes.change import ChangeRow, changes_of
from cleveragents.shapes.name import file_name

if TYPE_CHECKING:
    from cleveragents.clients.conversation import ConversationFate

CHAT = "chat"
UNCLEAR = "it is unclear whose it is"
UNSEEN = "nobody looked in time before a call: what was there is not known"
LATE = "nobody looked in time before a call: it is unclear whose it is"
MINE = "left as you have it"
NOT_EMPTY = "it holds other files"


class ConversationReport(TypedDict):
    """What becomes, or became, of the conversation in the client."""

    taken_back: bool
    how: str
    command: str | None  # that goes on with it, or that takes it back by hand


class ChatUndoReport(TypedDict):
    """The result or preview of an undo or a redo in a chat; all null: there was nothing to do."""

    kind: str  # what it was done to: chat
    chat: PlanId | None
    client: str | None
    turn: str | None  # t4
    call: str | None  # t4.2; null: all that the turn did
    taken_back: Sequence[ChangeRow]  # of a redo: brought again
    kept: Sequence[KeptRow]
    conflicts: Sequence[ConflictingPath]  # what stands in the way; only a dry run tells of any
    not_covered: Sequence[KeptRow]  # paths that are left alone: nobody knows what they were
    unclear: Sequence[str]  # paths that may be the user's
    safety: CheckpointId | None  # what was there before
    operation: OperationId | None  # null: nothing was done
    redo: str | None  # the command that does it, or what was taken back before it, again
    conversation: ConversationReport | None  # null: nobody asked for it (--with-chat)


class ChatCounts(TypedDict):
    """How many there are of each."""

    files: int
    conflicts: int
    not_covered: int
    unclear: int
    users: int


class PassedTurn(TypedDict):
    """A turn that an undo passes over."""

    chat: PlanId
    turn: str  # t4
    why: str


class ChatUndoPreview(ChatUndoReport):
    """The preview of an undo or a redo in a chat."""

    prompt: str  # the beginning of what the user had asked for
    users: Sequence[str]  # changes of the user's own that would go too, with --everything
    joint_with: Sequence[str]  # calls that did some of it together with what would be taken back
    passed_over: Sequence[PassedTurn]  # newer turns of which nothing is left to take back
    questions: Sequence[str]  # what a person must know before they agree
    notes: Sequence[str]  # what is told besides
    counts: ChatCounts
    moving: bool  # another process is at work on the chat


def no_turn() -> ChatUndoReport:
    """The answer where there was nothing to do."""
    return {
        "kind": CHAT,
        "chat": None,
        "client": None,
        "turn": None,
        "call": None,
        "taken_back": [],
        "kept": [],
        "conflicts": [],
        "not_covered": [],
        "unclear": [],
        "safety": None,
        "operation": None,
        "redo": None,
        "conversation": None,
    }


def conversation_of(fate: "ConversationFate | None") -> ConversationReport | None:
    """A conversation that is taken back, or is to be."""
    if fate is None:
        return None
    return {"taken_back": fate.is_taken_back, "how": fate.how, "command": fate.command or None}


def chat_undo_of(result: ChatUndoResult, fate: "ConversationFate | None" = None) -> ChatUndoReport:
    """The result of an undo or a redo; without an operation nothing was there to be done."""
    would, outcome = result.foresight, result.outcome
    if outcome is None:
        return chat_undo_about(would)
    operation = outcome.operation
    met = [path for path in outcome.kept if path not in would.held]
    return {
        **chat_undo_about(would),
        "kept": [*_left(would), *_held(met)],
        "conflicts": [],
        "safety": operation.intent.safety,
        "operation": operation.operation_id,
        "redo": REDO if result.can_redo else None,
        "conversation": conversation_of(fate),
    }


def chat_undo_preview_of(
    would: ChatForesight, *, moving: bool, fate: "ConversationFate | None" = None
) -> ChatUndoPreview:
    """The preview of an undo or a redo."""
    about = chat_undo_about(would)
    return {
        **about,
        "conversation": conversation_of(fate),
        "prompt": would.prompt,
        "users": list(would.users),
        "joint_with": list(would.joint),
        "passed_over": [
            {"chat": each.chat.plan_id, "turn": turn_named(each.turn), "why": each.why}
            for each in would.passed_over
        ],
        "questions": list(would.questions),
        "notes": list(would.notes),
        "counts": {
            "files": len(about["taken_back"]),
            "conflicts": len(about["conflicts"]),
            "not_covered": len(about["not_covered"]),
            "unclear": len(would.unclear),
            "users": len(would.users),
        },
        "moving": moving,
    }


def chat_undo_finished_of(found: ChatUndoFinished) -> ChatUndoReport:
    """One that recovery has just finished: what became of single files is not known."""
    done = found.done
    return {
        **no_turn(),
        "chat": done.plan_id,
        "client": found.chat.client,
        "turn": turn_named(done.intent.turn),
        "call": _call_named(done.intent.turn, done.intent.call),
        "safety": done.intent.safety,
        "operation": done.operation_id,
        "redo": REDO if found.can_redo else None,
    }


def conversation_alone_of(would: ChatForesight, fate: "ConversationFate") -> ChatUndoReport:
    """The report of a conversation that is taken back where no file is any more."""
    return {**chat_undo_about(would), "conversation": conversation_of(fate)}


def turn_named(number: int) -> str:
    """A turn as people name it."""
    return f"t{number}"


def call_named(name: CallName, chat: PlanId) -> str:
    """A call as people name it who speak of a chat; one of another chat has that before it."""
    told = f"t{name.turn}.{name.number}"
    return told if name.chat == chat else f"{name.chat} {told}"


def _call_named(turn: int, call: int) -> str | None:
    return f"t{turn}.{call}" if call else None


def chat_undo_about(would: ChatForesight) -> ChatUndoReport:
    """What an undo or a redo is about of which nothing is done."""
    met: list[ConflictingPath] = [
        *({**file_name(each.file), "reason": each.reason} for each in would.conflicts),
        *({**file_name(each.path), "reason": each.why} for each in would.obstacles),
    ]
    return {
        **_whose(would),
        "taken_back": changes_of(would.files),
        "kept": _left(would),
        "conflicts": met,
        "not_covered": _not_covered(would),
        "unclear": list(would.unclear),
    }


def _whose(would: ChatForesight) -> ChatUndoReport:
    """The turn that it is about; one that is passed over is none that anybody has asked for."""
    if would.is_passed_over:
        return no_turn()
    return {
        **no_turn(),
        "chat": would.chat.plan_id,
        "client": would.chat.client,
        "turn": turn_named(would.turn),
        "call": _call_named(would.turn, would.call),
    }


def _not_covered(would: ChatForesight) -> list[KeptRow]:
    """What the turn changed and nobody knows first, then whatever else is left out here."""
    first = {gap.path: gap for gap in would.not_covered}
    gaps = [*first.values(), *(gap for gap in would.left_out if gap.path not in first)]
    rows: list[KeptRow] = [{**file_name(gap.path), "why": gap.why} for gap in gaps]
    return [*({**file_name(each), "why": UNSEEN} for each in would.not_known), *rows]


def _left(would: ChatForesight) -> list[KeptRow]:
    """The paths that stay: by the user's word, because nobody can tell whose, or for others."""
    stay = () if would.takes_unclear else would.unclear
    mine: list[KeptRow] = [{**file_name(path), "why": MINE} for path in would.mine]
    return [
        *mine,
        *({**file_name(path), "why": LATE if path in would.late else UNCLEAR} for path in stay),
        *_held(would.held),
    ]


def _held(paths: Sequence[str]) -> list[KeptRow]:
    """Directories that stay for what others have in them."""
    return [{**file_name(path), "why": NOT_EMPTY} for path in paths]
