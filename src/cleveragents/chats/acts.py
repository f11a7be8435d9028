"""Acts of ours in a directory with chats, noted among their moments: what they change is ours."""

from typing import Literal

from cleveragents.chats.chat import ChatRepository
from cleveragents.chats.moment import Moment, MomentKind
from cleveragents.chats.moment_rows import MomentRepository
from cleveragents.ids import CheckpointId, OperationId, PlanId, ProjectId, now
from cleveragents.storage.connection import Connection

End = Literal["begin", "end"]


def act_moment(
    chat: PlanId,
    turn: int,
    operation_id: OperationId,
    named: str,
    end: End,
    checkpoint_id: CheckpointId | None = None,
) -> Moment:
    """One of the two moments around an act of ours."""
    return Moment(
        number=0,
        plan_id=chat,
        kind=MomentKind.ACT,
        turn=turn,
        client_turn="",
        call="",
        agent="",
        tool=named,
        text="",
        paths=(),
        may_write=False,
        failed=False,
        at=now(),
        key=f"act:{operation_id}:{end}",
        state=None,
        checkpoint_id=checkpoint_id,
        is_late=False,
        left_running=False,
        operation_id=operation_id,
    )


def note_act(
    connection: Connection, project_id: ProjectId, operation_id: OperationId, named: str, end: End
) -> None:
    """Notes that an act on a plan changes a directory, in the chat that was heard of last.

    Nobody looks at the files for it: the operation knows what it changes. Without a chat nobody
    asks whose a change is.
    """
    chats = ChatRepository(connection).of_project(project_id)
    if chats:
        moments, chat = MomentRepository(connection), chats[-1].plan_id
        turn = moments.last_turn(chat)
        moments.add(act_moment(chat, turn, operation_id, named, end))
