"""Answers to a client's events, each in the JSON that the client understands."""

import json
from collections.abc import Iterator, Mapping

from cleveragents.chats.chat import Chat, ChatRepository
from cleveragents.chats.event import EventKind, HookEvent
from cleveragents.chats.moment_rows import MomentRepository
from cleveragents.counting import counted
from cleveragents.engine.hold.stuck import REPAIR
from cleveragents.ids import OperationId
from cleveragents.operations.in_project import TakeBack
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.storage.connection import Connection

NAMED = 10  # paths
LATE = "the files could not be saved before this call in time, and chat.strict is set"
# The event under whose name a client takes what is told to its model at a prompt.
_PROMPT_EVENTS: Mapping[str, str] = {
    "claude": "UserPromptSubmit",
    "codex": "UserPromptSubmit",
    "qwen": "UserPromptSubmit",
    "gemini": "BeforeAgent",
}
_DENIAL = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": LATE,
    }
}
_DENIALS: Mapping[str, Mapping[str, object]] = {
    "claude": _DENIAL,
    "codex": _DENIAL,
    "qwen": _DENIAL,
    "gemini": {"decision": "deny", "reason": LATE},
}


def taken_back(connection: Connection, chat: Chat, event: HookEvent) -> str:
    """Tells the agent at a prompt what the user took back since the last one; empty: nothing."""
    if event.kind is not EventKind.PROMPT or event.client not in _PROMPT_EVENTS:
        return ""
    since = MomentRepository(connection).acts_since_prompt(chat.plan_id)
    found = [
        one
        for one in OperationRepository(connection).of_plan(chat.plan_id)
        if one.operation_id in since and one.status is Status.DONE
    ]
    intents = {one.operation_id: one.intent for one in found if isinstance(one.intent, TakeBack)}
    told = [_told(one.kind, one) for one in _netted(intents) if one.paths]
    told += [_begun(one) for one in _unfinished(connection, chat)]
    if not told:
        return ""
    context = {"hookEventName": _PROMPT_EVENTS[event.client], "additionalContext": "; ".join(told)}
    return json.dumps({"hookSpecificOutput": context})


def _netted(intents: Mapping[OperationId, TakeBack]) -> list[TakeBack]:
    """Leaves out every undo that was done again whole, with its redo: nothing came of them."""
    whole = {
        one.undoes: act
        for act, one in intents.items()
        if one.undoes and one.takes and not one.parts
    }
    nothing = {each for undo, redo in whole.items() if undo in intents for each in (undo, redo)}
    return [one for act, one in intents.items() if act not in nothing]


def _told(kind: Kind, intent: TakeBack) -> str:
    did = "took back" if kind is Kind.UNDO else "brought back"
    named = ", ".join(intent.paths[:NAMED]) + (" and more" if len(intent.paths) > NAMED else "")
    files = counted(len(intent.paths), "path")
    return f"the user {did} changes of turn {intent.turn} to {files}: {named}"


def _unfinished(connection: Connection, chat: Chat) -> Iterator[AnyOperation]:
    """Acts of ours in this directory that were interrupted: its files are half-way."""
    operations = OperationRepository(connection)
    for one in ChatRepository(connection).of_project(chat.project_id):
        yield from (begun for begun in operations.unfinished(one.plan_id) if begun.holds_files)


def _begun(operation: AnyOperation) -> str:
    named = "a redo" if operation.kind is Kind.REDO else "an undo"
    way = REPAIR if operation.is_stuck else f"agents {operation.kind}"
    return (
        f"{named} of the user's was interrupted and some files may be half-way;"
        f" only the user finishes it, in a terminal: {way}"
    )


def blocking(client: str) -> str:
    """Keeps a call from being made, where the client can be told so."""
    return json.dumps(_DENIALS[client]) if client in _DENIALS else ""
