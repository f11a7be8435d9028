"""A chat: one conversation of one coding agent in one directory; the rest of it is a plan's."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from cleveragents.ids import PlanId, ProjectId, new_id, now
from cleveragents.plans.cursor import FIRST
from cleveragents.plans.journal import Happening, record
from cleveragents.plans.lifecycle import Phase, Stage, State
from cleveragents.plans.plan import CHAT
from cleveragents.records import frozen
from cleveragents.sandbox.project import is_gone
from cleveragents.storage.connection import Connection, Row

AT_REST: Stage = (Phase.EXECUTE, State.QUEUED)
IN_TURN: Stage = (Phase.EXECUTE, State.PROCESSING)

_OF_PROJECT = """SELECT chats.*, plans.name, plans.project_id FROM chats
    JOIN plans ON plans.plan_id = chats.plan_id
    WHERE plans.project_id = :project_id ORDER BY chats.last_event_at, chats.plan_id"""
_OF_SESSION = """SELECT chats.*, plans.name, plans.project_id FROM chats
    JOIN plans ON plans.plan_id = chats.plan_id WHERE plans.project_id = :project_id
    AND chats.client = :client AND chats.client_session = :session
    AND coalesce(:inode, chats.root_inode) = chats.root_inode
    ORDER BY chats.last_event_at DESC LIMIT 1"""
_IN_TURN = """SELECT chats.*, plans.name, plans.project_id FROM chats
    JOIN plans ON plans.plan_id = chats.plan_id
    WHERE plans.project_id = :project_id AND plans.state = :state AND chats.pid != ''"""
_OF_PROCESS = """SELECT chats.*, plans.name, plans.project_id FROM chats
    JOIN plans ON plans.plan_id = chats.plan_id WHERE chats.pid = :pid"""
_ROOTS = "SELECT DISTINCT root FROM chats WHERE root_inode = :inode"
_NEWEST_NUMBER = "SELECT max(number) FROM plans WHERE project_id = :project_id"


@frozen
class Chat:
    """One row of chats."""

    plan_id: PlanId
    project_id: ProjectId
    name: str
    client: str
    client_session: str
    root: str
    root_inode: str
    pid: str  # the client's process and when it began; empty: unknown
    last_event_at: datetime


class ChatRepository:
    """The rows of chats, each with the plan that it is."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_project(self, project_id: ProjectId | None) -> Sequence[Chat]:
        """Returns the chats of a project; the newest is the one with the latest event, at last."""
        return [_chat(row) for row in self._connection.rows(_OF_PROJECT, project_id=project_id)]

    def of_session(
        self, project_id: ProjectId, client: str, session: str, inode: str | None = None
    ) -> Chat | None:
        """Returns the chat that a client's conversation is, in that very directory if one is named.

        Where another directory took the place of the first, it goes on there as another chat.
        """
        row = self._connection.row(
            _OF_SESSION, project_id=project_id, client=client, session=session, inode=inode
        )
        return None if row is None else _chat(row)

    def in_turn(self, project_id: ProjectId) -> Sequence[Chat]:
        """Returns the chats whose turn has not ended, as far as anybody told, and their process."""
        rows = self._connection.rows(_IN_TURN, project_id=project_id, state=IN_TURN[1])
        return [_chat(row) for row in rows]

    def of_process(self, pid: str) -> Sequence[Chat]:
        """Returns the chats of a client's process, whatever directory they are in."""
        return [_chat(row) for row in self._connection.rows(_OF_PROCESS, pid=pid)]

    def gone_root(self, inode: str) -> str | None:
        """Returns the path of a directory that is no longer there and was this one."""
        paths = self._connection.column(_ROOTS, inode=inode)
        return next((path for path in paths if is_gone(Path(path))), None)

    def add(
        self,
        project_id: ProjectId,
        client: str,
        session: str,
        root: str,
        inode: str,
        known: PlanId | None = None,
    ) -> Chat:
        """Records a new chat, or one again whose id is known."""
        plan_id, moment = known or PlanId(new_id()), now()
        newest = self._connection.value(_NEWEST_NUMBER, project_id=project_id)
        self._connection.insert(
            "plans",
            plan_id=plan_id,
            project_id=project_id,
            number=(newest or 0) + 1,
            name=client,
            phase=AT_REST[0],
            state=AT_REST[1],
            attempt=0,
            cursor=FIRST,
            definition_json=json.dumps(
                {"name": client, "steps": [], "rollback": {"enabled": True}}
            ),
            kind=CHAT,
            created_at=moment,
            updated_at=moment,
        )
        self._connection.insert(
            "chats",
            plan_id=plan_id,
            client=client,
            client_session=session,
            root=root,
            root_inode=inode,
            pid="",
            last_event_at=moment,
        )
        record(self._connection, plan_id, Happening.MADE, plan_id)
        return Chat(plan_id, project_id, client, client, session, root, inode, "", moment)

    def heard_of(self, chat: Chat, pid: str, stage: Stage) -> None:
        """Notes that an event came: the newest chat is the one that was heard of last."""
        moment, where = now(), {"plan_id": chat.plan_id}
        self._connection.update("chats", where, last_event_at=moment, pid=pid or chat.pid)
        self._connection.update("plans", where, phase=stage[0], state=stage[1], updated_at=moment)


def _chat(row: Row) -> Chat:
    return Chat(**row)
