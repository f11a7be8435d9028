"""The timeline of chats, and their turns among the acts here."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from cleveragents.chats.chat import Chat
from cleveragents.engine.chat.timeline import CallStory, ChatStory, Timeline, TurnStory
from cleveragents.engine.undo.deeds import Fate
from cleveragents.ids import OperationId, PlanId
from cleveragents.shapes.act import OpRow
from cleveragents.shapes.chat import CHAT, call_named, turn_named


class ChatCall(TypedDict):
    """A call of a turn."""

    call: str  # t4.2
    tool: str
    text: str  # the beginning of a command, or the path of an edit
    agent: str | None  # the subagent whose call it is
    changed: Sequence[str]
    joint_with: Sequence[str]  # calls that ran side by side with it: what changed is of all of them


class PartlyTakenBack(TypedDict):
    """An undo that took some of a turn back, as with --path or of one call."""

    operation: OperationId
    kept: Sequence[str]  # paths of the turn that stand


class ChatTurn(TypedDict):
    """A prompt and what followed from it."""

    turn: str  # t4
    prompt: str
    started_at: str
    calls: Sequence[ChatCall]
    external: Sequence[str]  # paths that the user changed
    unclear: Sequence[str]  # paths that may be the user's
    not_covered: Sequence[str]  # paths that its calls changed, and that no undo brings back
    taken_back_by: OperationId | PartlyTakenBack | None  # the last undo of all or some of it


class ChatWithTurns(TypedDict):
    """A chat, with its turns, the newest first."""

    id: PlanId
    client: str
    session: str  # the client's own id of the conversation
    turns: Sequence[ChatTurn]


class ChatTimeline(TypedDict):
    """The chats of a directory, the newest first."""

    chats: Sequence[ChatWithTurns]


def turn_id(chat: PlanId, turn: int) -> str:
    """A turn among everything that was done here."""
    return f"{chat}/{turn_named(turn)}"


def turn_act_of(chat: Chat, story: TurnStory, at: datetime) -> OpRow:
    """A turn as one of the acts here."""
    by = story.taken_back_by
    return {
        "id": turn_id(chat.plan_id, story.turn.number),
        "type": "turn",
        "at": at.isoformat(),
        "text": story.turn.prompt,
        "files": len(story.changed),
        "kind": CHAT,
        "plan": chat.plan_id,
        "name": chat.client,
        "stands": not story.is_taken_back,
        "state": Fate.UNDONE if story.is_taken_back else Fate.STANDS,
        "taken_back_by": None if by is None else by.operation_id,
    }


def timeline_of(found: Timeline) -> ChatTimeline:
    """The chats of a directory, the newest first."""
    return {"chats": [_chat(story) for story in found.chats]}


def _chat(story: ChatStory) -> ChatWithTurns:
    chat = story.chat
    return {
        "id": chat.plan_id,
        "client": chat.client,
        "session": chat.client_session,
        "turns": [_turn(turn) for turn in story.turns],
    }


def _turn(story: TurnStory) -> ChatTurn:
    return {
        "turn": turn_named(story.turn.number),
        "prompt": story.turn.prompt,
        "started_at": story.turn.started_at.isoformat(),
        "calls": [_call(call) for call in story.calls],
        "external": list(story.external),
        "unclear": list(story.unclear),
        "not_covered": list(story.not_covered),
        "taken_back_by": _taken_back(story),
    }


def _taken_back(story: TurnStory) -> OperationId | PartlyTakenBack | None:
    by = story.taken_back_by
    if by is None or story.is_taken_back:
        return None if by is None else by.operation_id
    return {"operation": by.operation_id, "kept": list(story.standing)}


def _call(story: CallStory) -> ChatCall:
    call = story.call
    return {
        "call": call_named(call.name, call.name.chat),
        "tool": call.tool,
        "text": call.text,
        "agent": call.agent or None,
        "changed": list(story.changed),
        "joint_with": [call_named(name, call.name.chat) for name in story.joint_with],
    }
