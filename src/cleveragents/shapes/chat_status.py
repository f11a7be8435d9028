"""Where a chat stands."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.engine.chat.reading import ChatStatus
from cleveragents.ids import PlanId
from cleveragents.operations.kind import Kind
from cleveragents.plans.lifecycle import Phase, State
from cleveragents.plans.plan import CHAT, Plan
from cleveragents.shapes.chat import call_named


class ChatReport(TypedDict):
    """Everything worth knowing about a chat."""

    plan_id: PlanId
    kind: str  # chat
    client: str
    session: str  # the client's own id of the conversation
    root: str  # the directory
    phase: Phase
    state: State  # processing: in a turn
    turns: int
    calls: int  # that may have written
    files_modified: int  # how many paths its calls changed and that no undo has taken back
    checkpoints: int
    last_event_at: str
    under_way: Sequence[str]  # calls
    unfinished_operations: Sequence[Kind]


def chat_report_of(plan: Plan, found: ChatStatus) -> ChatReport:
    """Where a chat stands."""
    chat = found.chat
    return {
        "plan_id": plan.plan_id,
        "kind": CHAT,
        "client": chat.client,
        "session": chat.client_session,
        "root": chat.root,
        "phase": plan.phase,
        "state": plan.state,
        "turns": len(found.story),
        "calls": sum(len(turn.calls) for turn in found.story),
        "files_modified": len(found.standing),
        "checkpoints": found.checkpoints,
        "last_event_at": chat.last_event_at.isoformat(),
        "under_way": [call_named(call.name, chat.plan_id) for call in found.under_way],
        "unfinished_operations": [one.kind for one in found.unfinished],
    }
