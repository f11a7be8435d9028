"""Tells what is known of the chats of a directory; stores and changes nothing, needs no lock."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from cleveragents.chats.chat import Chat, ChatRepository
from cleveragents.chats.moment_rows import MomentRepository
from cleveragents.chats.turns import Call, open_calls
from cleveragents.engine.chat.choice import choose
from cleveragents.engine.chat.leftovers import above, is_gone, process_name
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.place import LivePlaces
from cleveragents.engine.chat.protection import Protection
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.chat.taken import Undo
from cleveragents.engine.chat.timeline import Timeline, TurnStory, timeline
from cleveragents.errors import NotFound
from cleveragents.ids import PlanId
from cleveragents.operations.kind import Status
from cleveragents.records import frozen
from cleveragents.sandbox.project import Project
from cleveragents.storage.database import Database


@frozen
class LatestTurn:
    """The turn whose turn it is to be taken back or done again, and since when it is."""

    at: datetime
    chat: PlanId
    turn: int


@frozen
class ChatStatus:
    """Everything worth knowing about a chat."""

    chat: Chat
    story: Sequence[TurnStory]
    standing: Sequence[str]  # paths that its calls changed and that no undo has taken back
    checkpoints: int
    under_way: Sequence[Call]
    unfinished: Sequence[Undo]


class ChatReader:
    """Reads them anew each time it is asked."""

    def __init__(
        self, database: Database, places: LivePlaces, project: Project, protection: Protection
    ) -> None:
        self._database = database
        self._places = places
        self._project = project
        self._protection = protection

    def past(self) -> Past | None:
        """Returns all that happened in chats here; None: nothing ever did."""
        place = self._places.known(self._project)
        past = None if place is None else Past(self._database, place)
        return past if past is not None and past.chats else None

    def chats(self) -> Sequence[Chat]:
        """Returns the chats here, the one that was heard of last at the end."""
        place = self._places.known(self._project)
        if place is None:
            return []
        with self._database.reading() as connection:
            return ChatRepository(connection).of_project(place.project_id)

    def moved_from(self) -> Path | None:
        """Returns where the directory was when anything was recorded of it, if it was moved."""
        from cleveragents.chats.moved import moved_from  # noqa: PLC0415 - only who finds nothing asks

        with self._database.reading() as connection:
            return moved_from(connection, self._project)

    def nothing(self) -> NotFound:
        """The error where nothing ever did."""
        from cleveragents.chats.moved import no_chat  # noqa: PLC0415 - only who finds nothing asks

        with self._database.reading() as connection:
            return no_chat(connection, self._project, is_protected=self.is_protected)

    @property
    def is_protected(self) -> bool:
        """Whether hooks act in this directory."""
        return self._protection.root_above(self._project.path) is not None

    def refuse_moved(self, project: Project) -> None:
        """Refuses a directory of which something was recorded at another place."""
        from cleveragents.chats.moved import refuse_moved  # noqa: PLC0415 - only who finds nothing asks

        with self._database.reading() as connection:
            refuse_moved(connection, project)

    def latest(self, *, is_redo: bool = False) -> LatestTurn | None:
        """Returns what an undo or a redo in a chat would take back; None: there is nothing.

        An undo that was begun and waits to be finished comes first if it came later.
        """
        past = self.past()
        if past is None:
            return None
        begun = [one for one in past.operations if one.status is Status.OPEN]
        known = [*begun, *(past.standing_undos if is_redo else ())]
        found = [LatestTurn(one.opened_at, one.plan_id, one.intent.turn) for one in known]
        found += [] if is_redo else _standing(past)
        return max(found, key=lambda one: one.at, default=None)

    def unfinished(self, chat: PlanId | None = None) -> Sequence[Undo]:
        """Returns undos and redos that were begun and wait to be finished."""
        past = self.past()
        begun: Sequence[Undo] = () if past is None else past.operations
        return [one for one in begun if one.status is Status.OPEN and chat in (None, one.plan_id)]

    def under_way(self) -> Sequence[Call]:
        """Returns the calls that are under way, of clients that still run, the oldest first."""
        return [call for call, client in self._open_calls() if not is_gone(client)]

    def is_inside_call(self) -> bool:
        """Whether a call that is under way, wherever that is, has started this very process."""
        callers = {process_name(pid) for pid in above(os.getpid())} - {""}
        with self._database.reading() as connection:
            known = ChatRepository(connection)
            chats = {chat.plan_id: chat for pid in callers for chat in known.of_process(pid)}
            projects = {chat.project_id for chat in chats.values()}
            moments = MomentRepository(connection)
            begun = [call for one in projects for call in open_calls(moments.of_project(one))]
        return any(call.name.chat in chats for call in begun)

    def _open_calls(self) -> list[tuple[Call, str]]:
        """The calls that have begun and not ended, each with the process of its client."""
        past = self.past()
        if past is None:
            return []
        return [(one, past.chat(one.name.chat).pid) for one in open_calls(past.moments)]

    def status(self, chat: PlanId) -> ChatStatus:
        """Tells where a chat stands, wherever its directory is."""
        past = Past(self._database, self._places.of_chat(chat))
        stories = timeline(past, chat).chats
        turns = [turn for story in stories for turn in story.turns]
        standing = (path for turn in turns for path in turn.standing)
        begun = [one for one in past.operations if one.status is Status.OPEN]
        client = past.chat(chat).pid
        calls = [one for one in open_calls(past.moments) if one.name.chat == chat]
        return ChatStatus(
            past.chat(chat),
            turns,
            list(dict.fromkeys(standing)),
            len(past.checkpoints(chat)),
            [] if is_gone(client) else calls,
            [one for one in begun if one.plan_id == chat],
        )

    def timeline(self, chat: PlanId | None = None, limit: int | None = None) -> Timeline:
        """Tells what every turn and call changed, the newest first."""
        past = self.past()
        return Timeline(()) if past is None else timeline(past, chat, limit)


def _standing(past: Past) -> list[LatestTurn]:
    """The turn that the next undo would take back, with each time at which it changed something."""
    choice = choose(past, UndoRequest())
    if choice is None:
        return []
    shares = [share for share in (*choice.shares, *choice.unclear) if past.standing(share)]
    return [
        LatestTurn(share.difference.after.at, choice.chat.plan_id, choice.turn) for share in shares
    ]
