"""A moment: one event of a chat, with what the files of its directory were then."""

from datetime import datetime
from enum import StrEnum

from cleveragents.ids import CheckpointId, OperationId, PlanId, SnapshotId
from cleveragents.records import frozen


class MomentKind(StrEnum):
    """The event that a moment is of."""

    START = "start"
    PROMPT = "prompt"
    BEFORE = "before"
    AFTER = "after"
    BATCH = "batch"
    TURN_END = "turn-end"
    AGENT_START = "agent-start"
    AGENT_END = "agent-end"
    INTERRUPT = "interrupt"
    END = "end"
    ACT = "act"  # of our own: two of them stand around an undo or a redo


@frozen
class Moment:
    """One row of moments."""

    number: int  # its place among the moments of all chats
    plan_id: PlanId  # the chat
    kind: MomentKind
    turn: int  # the turn it belongs to; of a subagent, the one that started it
    client_turn: str
    call: str  # the same for the before and the after of a call; unique in the chat
    agent: str
    tool: str
    text: str
    paths: tuple[str, ...]  # those that a call says it writes, below the root; none: it may be any
    may_write: bool
    failed: bool
    at: datetime
    key: str  # of the event: the same one twice is one moment
    state: SnapshotId | None  # of the files; None: nobody looked in time
    checkpoint_id: CheckpointId | None
    is_late: bool
    left_running: bool  # something that a call started still ran then
    operation_id: OperationId | None  # of an act
