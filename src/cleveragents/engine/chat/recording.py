"""Records what a coding agent tells of itself, each event with the files as they were then."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

from cleveragents.chats.chat import AT_REST, IN_TURN, Chat, ChatRepository
from cleveragents.chats.event import EventKind, HookEvent
from cleveragents.chats.moment import Moment, MomentKind
from cleveragents.chats.moment_rows import LeftRunning, MomentRepository
from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.chat import answers, leftovers, saving
from cleveragents.engine.chat.place import LivePlace, LivePlaces
from cleveragents.engine.chat.saving import SavedState, saved
from cleveragents.engine.hold.ownership import Ownership
from cleveragents.errors import Busy
from cleveragents.ids import PlanId, now
from cleveragents.records import frozen, replace
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held
from cleveragents.typed_secrets import without_typed_secrets

# Kinds of events at which the files are looked at, and of what type the checkpoint is then.
LOOKED_AT: dict[EventKind, CheckpointType] = {
    EventKind.PROMPT: CheckpointType.PROMPT,
    EventKind.BEFORE: CheckpointType.CALL,
    EventKind.AFTER: CheckpointType.CALL,
    EventKind.BATCH: CheckpointType.CALL,
    EventKind.TURN_END: CheckpointType.TURN,
    EventKind.AGENT_END: CheckpointType.CALL,
    EventKind.INTERRUPT: CheckpointType.TURN,
    EventKind.END: CheckpointType.TURN,
}
OF_CALLS = (EventKind.BEFORE, EventKind.AFTER)
# What was to be the state before something is none if that has begun.
BEGINNINGS = (EventKind.PROMPT, EventKind.BEFORE)
RESTS = (EventKind.TURN_END, EventKind.INTERRUPT, EventKind.END, EventKind.START)
MOST_PROMPT, MOST_COMMAND = 500, 200  # characters that are kept
Masked = Callable[[str], str]


@frozen
class RecordingPolicy:
    """How patient recording is, and how much of texts it keeps."""

    budget: float  # seconds that a hook may take
    first_look: float  # seconds that the first call of all may wait for the first look
    keeps_texts: bool
    is_strict: bool  # whether a call that could not be captured before is blocked


@frozen
class Recorded:
    """The result of an event."""

    answer: str = ""  # for the client, in its own JSON
    is_late: bool = False  # the files were not looked at in time


class Recording:
    """Writes down moments of chats; recovers nothing and frees nothing."""

    def __init__(
        self,
        database: Database,
        ownership: Ownership,
        places: LivePlaces,
        project: Project,
        policy: RecordingPolicy,
        masked: Masked,
        hook: Path,
    ) -> None:
        self._database = database
        self._ownership = ownership
        self._places = places
        self._project = project
        self._policy = policy
        self._masked = masked
        self._hook = hook

    def has_looked(self, event: HookEvent) -> bool:
        """Tells whether the files were ever looked at for the chat of an event."""
        chat = self.known(event)
        return chat is not None and not self._is_first_look(chat)

    def known(self, event: HookEvent) -> Chat | None:
        """Returns the chat of an event, if anything was ever recorded of it."""
        place = self._places.known(self._project)
        if place is None:
            return None
        with self._database.reading() as connection:
            return ChatRepository(connection).of_session(
                place.project_id, event.client, event.session, projects.inode_of(place.project)
            )

    def record(
        self, event: HookEvent, *, until: float | None = None, is_late: bool = False
    ) -> Recorded:
        """Records one event; the same one again is nothing new.

        `until` is when the client goes on, by `monotonic`; by default as the settings say, from
        now. One that comes late has no state: what it was to be the state before has happened
        since. So it is where the client has gone on before all files were looked at; only an end
        keeps what was seen then, which may be of any time until the next event.
        """
        if event.kind in OF_CALLS and not event.may_write:
            return Recorded()
        place = self._places.of(self._project)
        self._end_gone(place)
        chat = self._chat(place, event)
        if until is None:
            is_first = self._is_first_look(chat)
            until = monotonic() + (self._policy.first_look if is_first else self._policy.budget)
        patience = max(0.0, until - monotonic())
        try:
            with (
                self._places.owned(place, "recording a chat", patience),
                self._ownership.note(chat.plan_id, "recording it") as held,
            ):
                return self._write(held, place, chat, event, None if is_late else until)
        except Busy:
            return self._without_files(chat, event)

    def _end_gone(self, place: LivePlace) -> None:
        """Ends the chats whose client has died: else all that changes later might be theirs.

        One whose directory was replaced by another has ended as well.
        """
        with self._database.reading() as connection:
            begun = ChatRepository(connection).in_turn(place.project_id)
        inode = projects.inode_of(place.project)
        for chat in begun:
            if leftovers.is_gone(chat.pid) or chat.root_inode != inode:
                ended = HookEvent(
                    client=chat.client,
                    session=chat.client_session,
                    kind=EventKind.END,
                    cwd=chat.root,
                    digest=f"gone:{chat.pid}",
                )
                with self._ownership.note(chat.plan_id, "recording its end") as held:
                    self._note(held, chat, ended, None, is_late=False)

    def _chat(self, place: LivePlace, event: HookEvent) -> Chat:
        inode = projects.inode_of(place.project)
        with self._database.reading() as connection:
            found = ChatRepository(connection).of_session(
                place.project_id, event.client, event.session, inode
            )
        if found is not None:
            return found
        with self._database.registering() as connection:
            chats = ChatRepository(connection)
            found = chats.of_session(place.project_id, event.client, event.session, inode)
            return found or chats.add(
                place.project_id, event.client, event.session, str(place.root), inode
            )

    def _is_first_look(self, chat: Chat) -> bool:
        with self._database.reading() as connection:
            return CheckpointRepository(connection).latest(chat.plan_id) is None

    def _write(
        self, held: Held, place: LivePlace, chat: Chat, event: HookEvent, until: float | None
    ) -> Recorded:
        if until is None or event.kind not in LOOKED_AT:
            return self._note(held, chat, event, None, is_late=until is None)
        with place.capture() as capture:
            with self._database.reading() as connection:
                latest = CheckpointRepository(connection).latest(chat.plan_id)
                turn = _turn(MomentRepository(connection), chat.plan_id, event)
            kind, reason = LOOKED_AT[event.kind], _reason(event)
            state = saved(place, chat, capture, latest, kind, reason, turn)
            # Who waits no longer goes on: what was seen is of a later moment than the event.
            return self._note(held, chat, event, state, is_late=monotonic() > until)

    def _note(
        self,
        held: Held,
        chat: Chat,
        event: HookEvent,
        state: SavedState | None,
        *,
        is_late: bool,
    ) -> Recorded:
        """Writes the moment, with the checkpoint that was made for it, in one transaction."""
        with self._database.writing(held) as connection:
            moments = MomentRepository(connection)
            moment = self._moment(moments, chat, event, is_late=is_late)
            if moments.is_known(chat.plan_id, moment.key):
                return Recorded(is_late=is_late)
            told = answers.taken_back(connection, chat, event)
            if state is not None:
                saving.record(connection, state)
            if state is not None and not (is_late and event.kind in BEGINNINGS):
                moment = replace(moment, checkpoint_id=state.checkpoint.checkpoint_id)
            moments.add(moment, event.input)
            stage = AT_REST if event.kind in RESTS else IN_TURN
            ChatRepository(connection).heard_of(chat, leftovers.process_name(event.pid), stage)
        blocked = is_late and self._policy.is_strict and event.kind is EventKind.BEFORE
        return Recorded(answers.blocking(event.client) if blocked else told, is_late=is_late)

    def _without_files(self, chat: Chat, event: HookEvent) -> Recorded:
        """Notes an event while somebody else is at work on the directory."""
        with self._ownership.note(chat.plan_id, "recording it", self._policy.budget) as held:
            return self._note(held, chat, event, None, is_late=True)

    def _moment(
        self, moments: MomentRepository, chat: Chat, event: HookEvent, *, is_late: bool
    ) -> Moment:
        turn = _turn(moments, chat.plan_id, event)
        call = _call(moments, chat.plan_id, event)
        return Moment(
            0,
            chat.plan_id,
            MomentKind(event.kind),
            turn,
            event.turn,
            call,
            event.agent,
            event.tool,
            self._kept(event) if self._policy.keeps_texts else "",
            _below(chat.root, event),
            event.may_write,
            event.failed,
            now(),
            _key(event, call),
            None,
            None,
            is_late,
            self._left_running(moments, chat, event, turn),
            None,
        )

    def _kept(self, event: HookEvent) -> str:
        """The beginning of a text, cut when it is masked: half a secret does not look like one."""
        is_command = event.kind in OF_CALLS and not event.paths
        most = MOST_COMMAND if is_command else MOST_PROMPT
        return self._masked(without_typed_secrets(event.text))[:most]

    def _left_running(
        self, moments: MomentRepository, chat: Chat, event: HookEvent, turn: int
    ) -> bool:
        """Whether something still runs that a call of the turn began, if that ends, or of others.

        Others are chats of the directory whose turn has ended and left something.
        """
        if event.kind not in LOOKED_AT:
            return False
        found = [*moments.left_running(chat.project_id, chat.plan_id)]
        if event.kind in (EventKind.TURN_END, EventKind.END, EventKind.INTERRUPT):
            client = leftovers.process_name(event.pid) or chat.pid
            found.append(LeftRunning(chat.plan_id, turn, client))
        return any(
            leftovers.any_of(calls, chat.root, one.pid, self._hook)
            for one in found
            if (calls := moments.call_times(one.plan_id, one.turn))
        )


def _turn(moments: MomentRepository, plan_id: PlanId, event: HookEvent) -> int:
    """The turn of an event: a subagent's is the one in which it was first heard of."""
    last = moments.last_turn(plan_id)
    if event.agent:
        return moments.turn_of_agent(plan_id, event.agent) or max(last, 1)
    if event.kind is EventKind.PROMPT:
        return last + 1
    return last if event.kind is EventKind.START else max(last, 1)


def _call(moments: MomentRepository, plan_id: PlanId, event: HookEvent) -> str:
    """The name of a call: the client's, else that of the oldest open one with the same input."""
    if event.call or event.kind not in OF_CALLS:
        return event.call
    if event.kind is EventKind.AFTER:
        found = moments.unanswered(plan_id, event.tool, event.input)
        return found or f"~{event.digest}"
    return f"~{event.digest}"


def _key(event: HookEvent, call: str) -> str:
    if event.kind in OF_CALLS:
        return f"{event.kind}:{event.agent}:{call}"
    if event.kind is EventKind.PROMPT and event.turn:
        return f"{event.kind}:{event.agent}:{event.turn}"
    return f"{event.kind}:{event.digest}"


def _below(root: str, event: HookEvent) -> tuple[str, ...]:
    """The paths that a call says it writes, as seen from the root; others are not of our concern.

    A call that names paths, and none of them here, still says that it writes no other here.
    """
    base = os.path.realpath(root)
    places = (each for path in event.paths for each in _meant(os.path.join(event.cwd, path), base))
    return tuple(os.path.relpath(each, base) for each in dict.fromkeys(places))


def _meant(path: str, base: str) -> Iterator[str]:
    """What a path names: the very entry, be it a link, and what an edit through it writes below."""
    target = os.path.realpath(path)
    folder, name = os.path.split(path)
    if name in ("", os.curdir, os.pardir):
        yield target
        return
    entry = os.path.join(os.path.realpath(folder), name)
    yield entry
    if entry != target and os.path.commonpath([target, base]) == base:
        yield target


def _reason(event: HookEvent) -> str:
    told = {
        EventKind.PROMPT: "prompt",
        EventKind.BEFORE: f"before {event.tool}",
        EventKind.AFTER: f"after {event.tool}",
    }
    return told.get(event.kind, str(event.kind))
