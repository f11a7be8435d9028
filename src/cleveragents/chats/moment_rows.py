"""The rows of moments."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeAlias

from cleveragents.chats.moment import Moment, MomentKind
from cleveragents.ids import CheckpointId, PlanId, ProjectId
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection, Row

_OF_PROJECT = """SELECT moments.number, moments.plan_id, moments.kind, moments.turn,
    moments.client_turn, moments.call, moments.agent, moments.tool, moments.text,
    moments.paths_json, moments.may_write, moments.failed, moments.happened_at, moments.key,
    moments.checkpoint_id, moments.is_late, moments.left_running, moments.operation_id,
    checkpoints.sandbox_ref AS state FROM moments
    JOIN plans ON plans.plan_id = moments.plan_id
    LEFT JOIN checkpoints ON checkpoints.checkpoint_id = moments.checkpoint_id
    WHERE plans.project_id = :project_id ORDER BY moments.number"""
_KNOWN = "SELECT 1 FROM moments WHERE plan_id = :plan_id AND key = :key"
_LAST_TURN = "SELECT max(turn) FROM moments WHERE plan_id = :plan_id"
_OF_AGENT = "SELECT min(turn) FROM moments WHERE plan_id = :plan_id AND agent = :agent"
_UNANSWERED = """SELECT call FROM moments AS opened
    WHERE plan_id = :plan_id AND kind = 'before' AND tool = :tool AND input = :input
    AND NOT EXISTS (SELECT 1 FROM moments AS closed WHERE closed.plan_id = opened.plan_id
        AND closed.kind = 'after' AND closed.call = opened.call)
    AND number > (SELECT coalesce(max(number), 0) FROM moments
        WHERE plan_id = :plan_id AND kind IN ('prompt', 'interrupt', 'end') AND agent = '')
    ORDER BY number LIMIT 1"""
_CALL_TIMES = """SELECT kind, call, happened_at, is_late FROM moments
    WHERE plan_id = :plan_id AND turn = :turn AND kind IN ('prompt', 'before', 'after')
    ORDER BY number"""
# Turns of other chats that had left something running, and none of it was seen to be gone since.
_LEFT_RUNNING = """SELECT moments.plan_id, moments.turn, chats.pid FROM chats
    JOIN plans ON plans.plan_id = chats.plan_id
    JOIN moments ON moments.plan_id = chats.plan_id AND moments.left_running
        AND moments.agent = '' AND moments.kind IN ('turn-end', 'interrupt', 'end')
    WHERE plans.project_id = :project_id AND chats.plan_id != :plan_id AND NOT EXISTS
        (SELECT 1 FROM moments AS later JOIN plans AS its ON its.plan_id = later.plan_id
        WHERE its.project_id = :project_id AND later.number > moments.number AND CASE
            WHEN later.plan_id = moments.plan_id THEN later.kind = 'prompt' AND later.agent = ''
            ELSE later.kind NOT IN ('start', 'agent-start', 'act')
                AND NOT later.is_late AND NOT later.left_running END)"""
_ACTS = """SELECT operation_id FROM moments WHERE plan_id = :plan_id AND kind = 'act'
    AND number > (SELECT coalesce(max(number), 0) FROM moments
        WHERE plan_id = :plan_id AND kind = 'prompt')"""
_TRACES = """SELECT number, turn, happened_at, checkpoint_id FROM moments
    WHERE plan_id = :plan_id ORDER BY number"""
_FIRST = f"{_TRACES} LIMIT 1"
_BORDER = "SELECT min(turn) FROM moments WHERE checkpoint_id = :checkpoint_id"
_DELETE = "DELETE FROM moments WHERE plan_id = :plan_id AND turn = :turn"
_FLAGS = ("may_write", "failed", "is_late", "left_running")


CallTime: TypeAlias = tuple[datetime, datetime | None]  # None: its end was not told


@frozen
class LeftRunning:
    """A turn at whose end something still ran that its calls had begun."""

    plan_id: PlanId
    turn: int
    pid: str  # the client's process, as the chat has it


@frozen
class Trace:
    """As much of a moment as tells whether it is still needed."""

    number: int
    turn: int
    happened_at: datetime
    checkpoint_id: CheckpointId | None


class MomentRepository:
    """What happened in chats, in the order of all of them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_project(self, project_id: ProjectId | None) -> Sequence[Moment]:
        """Returns the moments of all chats in a directory."""
        return [_moment(row) for row in self._connection.rows(_OF_PROJECT, project_id=project_id)]

    def add(self, moment: Moment, input_: str = "") -> None:
        """Records a moment; its number is given to it here."""
        self._connection.insert(
            "moments",
            plan_id=moment.plan_id,
            kind=moment.kind,
            turn=moment.turn,
            client_turn=moment.client_turn,
            call=moment.call,
            agent=moment.agent,
            tool=moment.tool,
            text=moment.text,
            paths_json=json.dumps(moment.paths),
            may_write=moment.may_write,
            failed=moment.failed,
            happened_at=moment.at,
            key=moment.key,
            input=input_,
            checkpoint_id=moment.checkpoint_id,
            is_late=moment.is_late,
            left_running=moment.left_running,
            operation_id=moment.operation_id,
        )

    def is_known(self, plan_id: PlanId, key: str) -> bool:
        """Tells whether an event was recorded already."""
        return self._connection.value(_KNOWN, plan_id=plan_id, key=key) is not None

    def first(self, plan_id: PlanId) -> Trace | None:
        """Returns the oldest moment of a chat."""
        row = self._connection.row(_FIRST, plan_id=plan_id)
        return None if row is None else Trace(**row)

    def traces(self, plan_id: PlanId) -> Sequence[Trace]:
        """Returns the moments of a chat, the oldest first."""
        return [Trace(**row) for row in self._connection.rows(_TRACES, plan_id=plan_id)]

    def delete(self, plan_id: PlanId, turns: Iterable[int]) -> None:
        """Deletes the moments of turns."""
        for turn in turns:
            self._connection.execute(_DELETE, plan_id=plan_id, turn=turn)

    def turn_told_by(self, checkpoint_id: CheckpointId) -> int | None:
        """Returns the first turn of which a checkpoint tells what was changed."""
        return self._connection.value(_BORDER, checkpoint_id=checkpoint_id)

    def last_turn(self, plan_id: PlanId) -> int:
        """Returns the number of the newest turn; 0: there is none yet."""
        return self._connection.value(_LAST_TURN, plan_id=plan_id) or 0

    def turn_of_agent(self, plan_id: PlanId, agent: str) -> int | None:
        """Returns the turn in which a subagent was first heard of."""
        return self._connection.value(_OF_AGENT, plan_id=plan_id, agent=agent)

    def unanswered(self, plan_id: PlanId, tool: str, input_: str) -> str | None:
        """Returns the oldest open call of a tool with an input; a prompt ends those before it."""
        return self._connection.value(_UNANSWERED, plan_id=plan_id, tool=tool, input=input_)

    def call_times(self, plan_id: PlanId, turn: int) -> Sequence[CallTime]:
        """Returns from when to when each call of a turn ran; at most, where an event came late."""
        begun: dict[str, datetime] = {}
        found: list[CallTime] = []
        heard: datetime | None = None
        for row in self._connection.rows(_CALL_TIMES, plan_id=plan_id, turn=turn):
            call, at = row["call"], row["happened_at"]
            if row["kind"] == "before":
                begun[call] = heard or at if row["is_late"] else at
            elif row["kind"] == "after":
                found.append((begun.pop(call, heard or at), at))
            heard = at
        return [*found, *((at, None) for at in begun.values())]

    def left_running(self, project_id: ProjectId, plan_id: PlanId) -> Sequence[LeftRunning]:
        """Returns the turns of other chats in a directory that may have something running."""
        rows = self._connection.rows(_LEFT_RUNNING, project_id=project_id, plan_id=plan_id)
        return [LeftRunning(**row) for row in rows]

    def acts_since_prompt(self, plan_id: PlanId) -> set[str]:
        """Returns the operations of ours since the newest prompt."""
        return set(self._connection.column(_ACTS, plan_id=plan_id))


def _moment(fields: Row) -> Moment:
    paths = tuple(json.loads(fields.pop("paths_json")))
    kind, at = MomentKind(fields.pop("kind")), fields.pop("happened_at")
    flags: Row = {name: bool(fields[name]) for name in _FLAGS}
    return Moment(**{**fields, **flags}, kind=kind, at=at, paths=paths)
