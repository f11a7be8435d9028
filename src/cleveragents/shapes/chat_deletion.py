"""Chats that go."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from cleveragents.chats.chat import Chat
from cleveragents.engine.care.deletion import PlanDeletion
from cleveragents.ids import PlanId


class DeletedChat(TypedDict):
    """A chat, and what goes along."""

    chat: PlanId
    client: str
    session: str  # the client's id of it
    last_event_at: str
    checkpoints: int
    stored_bytes: int  # what those added to the store; what others need of it stays


class ChatDeletions(TypedDict):
    """Chats that are gone."""

    deleted_chats: Sequence[DeletedChat]


class ChatDeletionPreview(TypedDict):
    """Chats that would be gone."""

    would_delete_chats: Sequence[DeletedChat]


def deleted_chats_of(done: Mapping[PlanId, tuple[Chat, PlanDeletion]]) -> ChatDeletions:
    """Chats that are gone."""
    return {"deleted_chats": [_chat(*one) for one in done.values()]}


def chat_deletion_preview_of(
    would: Mapping[PlanId, tuple[Chat, PlanDeletion]],
) -> ChatDeletionPreview:
    """Chats that would be gone."""
    return {"would_delete_chats": [_chat(*one) for one in would.values()]}


def _chat(chat: Chat, one: PlanDeletion) -> DeletedChat:
    return {
        "chat": chat.plan_id,
        "client": chat.client,
        "session": chat.client_session,
        "last_event_at": chat.last_event_at.isoformat(),
        "checkpoints": one.checkpoints,
        "stored_bytes": one.stored_bytes,
    }
