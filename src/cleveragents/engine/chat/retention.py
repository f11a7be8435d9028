"""What is kept of chats: the last turns and the young ones; of older ones everything goes at once.

Rows go when a turn has ended, some turns at a time; the content that only they needed goes later,
when nobody waits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import cast

from cleveragents.chats.chat import Chat, ChatRepository
from cleveragents.chats.moment_rows import MomentRepository
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.needs import open_targets
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.pruning import Prunes
from cleveragents.engine.hold.ownership import Ownership
from cleveragents.ids import PlanId, now
from cleveragents.operations.in_project import TakeBack
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database


@frozen
class ChatRetentionPolicy:
    """How much is kept of a chat."""

    turns: int  # the last ones, whatever their age
    days: int  # whatever is younger

    @property
    def slack(self) -> int:
        """Turns that may be there beyond these: to look each time would not be worth it."""
        return self.turns // 10


def doomed_turns(
    ended: Mapping[int, datetime],
    policy: ChatRetentionPolicy,
    at: datetime,
    needed: Iterable[int] = (),
) -> set[int]:
    """Returns the turns that go, given when each was last heard of; the newest ones stay."""
    older = sorted(ended)[: -policy.turns]
    limit = at - timedelta(days=policy.days)
    return {turn for turn in older if ended[turn] < limit} - set(needed)


class ChatRetention:
    """Lets turns of chats go."""

    def __init__(
        self,
        database: Database,
        ownership: Ownership,
        pruning: Prunes,
        policy: ChatRetentionPolicy,
    ) -> None:
        self._database = database
        self._ownership = ownership
        self._pruning = pruning
        self._policy = policy

    def run(self, chat: Chat) -> int:
        """Lets the rows of turns go that are beyond the policy; returns how many turns went."""
        with self._database.reading() as connection:
            if not self._is_due(MomentRepository(connection), chat.plan_id):
                return 0
        with (
            self._ownership.note(chat.plan_id, "letting old turns go") as held,
            self._database.writing(held) as connection,
        ):
            return self._let_go(connection, chat)

    def free(self, plan_id: PlanId) -> None:
        """Frees the space of what went, if it is worth it."""
        with self._pruning.afterwards(plan_id, "freeing space"):
            self._pruning.free(plan_id)

    def _is_due(self, moments: MomentRepository, plan_id: PlanId) -> bool:
        """Whether there are more turns than there may be, and the first of them is old."""
        first = moments.first(plan_id)
        if first is None:
            return False
        many = moments.last_turn(plan_id) - first.turn >= self._policy.turns + self._policy.slack
        return many and first.happened_at < now() - timedelta(days=self._policy.days)

    def _let_go(self, connection: Connection, chat: Chat) -> int:
        moments = MomentRepository(connection)
        traces, acts = moments.traces(chat.plan_id), _acts(connection, chat)
        taken = {number for act in acts if _stands(act, acts) for number in _around(act)}
        needed = {one.turn for one in traces if one.number in taken}
        ended: dict[int, datetime] = {}
        for one in traces:
            ended[one.turn] = max(one.happened_at, ended.get(one.turn, one.happened_at))
        doomed = doomed_turns(ended, self._policy, now(), needed)
        moments.delete(chat.plan_id, doomed)
        going = {one.checkpoint_id for one in traces if one.turn in doomed}
        going -= {one.checkpoint_id for one in traces if one.turn not in doomed}
        going -= open_targets(connection, chat.plan_id)
        rows = CheckpointRepository(connection).of_plan(chat.plan_id)
        gone = [row for row in rows[:-1] if row.checkpoint_id in going and not _is_chosen(row)]
        self._pruning.let_go(connection, chat.plan_id, gone)
        over = [act for act in acts if act.intent.turn in doomed and act.plan_id == chat.plan_id]
        OperationRepository(connection).delete(one for one in over if not _stands(one, acts))
        return len(doomed)


def _acts(connection: Connection, chat: Chat) -> Sequence[Operation[TakeBack]]:
    """The undos and redos of all chats of a directory: they may take back what several did."""
    chats = ChatRepository(connection).of_project(chat.project_id)
    operations = OperationRepository(connection)
    found = [one for each in chats for one in operations.of_plan(each.plan_id)]
    return [cast("Operation[TakeBack]", one) for one in found if isinstance(one.intent, TakeBack)]


def _stands(act: Operation[TakeBack], acts: Sequence[Operation[TakeBack]]) -> bool:
    """Whether an act can be taken back, or has yet to be finished."""
    redos = [one.intent for one in acts if one.status is Status.DONE and not one.intent.parts]
    redone = {one.undoes for one in redos}
    is_undo = act.kind is Kind.UNDO and act.operation_id not in redone
    return act.status in (Status.OPEN, Status.STUCK) or (act.status is Status.DONE and is_undo)


def _around(act: Operation[TakeBack]) -> Iterator[int]:
    """The numbers of the moments around what an act takes back."""
    for pair in (*act.intent.takes, *act.intent.unclear):
        yield from pair


def _is_chosen(row: Checkpoint) -> bool:
    """Whether somebody wants to keep a checkpoint."""
    return row.pinned or row.label is not None or row.checkpoint_type is CheckpointType.MANUAL
