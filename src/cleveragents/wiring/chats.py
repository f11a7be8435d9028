"""The services of chats, each made when it is asked for."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from cleveragents.config.environment import home
from cleveragents.foundations import Foundations
from cleveragents.once import once
from cleveragents.storage.held import Hold
from cleveragents.wiring.acts import ActsOfPlans

if TYPE_CHECKING:
    from cleveragents.chats.event import HookEvent
    from cleveragents.clients.installation import Installation
    from cleveragents.clients.launcher import Launcher
    from cleveragents.engine.chat.comparing import ChatComparisons
    from cleveragents.engine.chat.conversations import Conversations
    from cleveragents.engine.chat.coverage import Coverage
    from cleveragents.engine.chat.forking import ChatForks
    from cleveragents.engine.chat.keeping import ChatKeeping
    from cleveragents.engine.chat.probe import Probe
    from cleveragents.engine.chat.protection import Protection
    from cleveragents.engine.chat.reading import ChatReader
    from cleveragents.engine.chat.recording import Recorded, Recording
    from cleveragents.engine.chat.retention import ChatRetention
    from cleveragents.engine.chat.undo import ChatUndos
    from cleveragents.engine.hold.ownership import Ownership
    from cleveragents.sandbox.project import Project


HOOK_SECONDS = 5  # more than the longest wait of a hook, after which a client ends it

FIRST_LOOK_PATIENCE = 30.0  # seconds: somebody else may be making it just now


class ChatServices:
    """What agents did in the user's directory: recording it, telling it, taking it back."""

    def __init__(
        self,
        base: Foundations,
        project: "Project",
        acts: ActsOfPlans,
        ownership: "Ownership",
        hold: Hold,
        follow: Callable[["Project"], object],
    ) -> None:
        self._base = base
        self.project = project  # the directory that they are in
        self._acts = acts
        self._ownership = ownership
        self._hold = hold
        self._follow = follow  # lets what was recorded follow a directory that was moved

    def has_looked(self, event: "HookEvent") -> bool:
        """Tells whether the files were ever looked at for the chat of an event."""
        return self._recording.has_looked(event)

    def record(
        self, event: "HookEvent", *, until: float | None = None, is_late: bool = False
    ) -> "Recorded":
        """Records an event of a client, with the files as they are; `until` is when it goes on."""
        self._recognise()
        recorded = self._recording.record(event, until=until, is_late=is_late)
        if event.kind == "turn-end":
            self._let_go(event)
        return recorded

    def _recognise(self) -> None:
        """Takes a protected directory for what it was before it was moved: it is the same one."""
        if self._acts.places.known(self.project) is None and self.reads.moved_from() is not None:
            self._follow(self.project)
            self.protection.add(self.project)

    def tidy(self) -> None:
        """Frees the space of what is no longer kept of chats here, when nobody waits."""
        past = self.reads.past()
        for chat in past.chats if past is not None else ():
            self._retention.free(chat.plan_id)

    def _let_go(self, event: "HookEvent") -> None:
        """Lets turns go that are no longer kept; what fails here has no part in the event."""
        from cleveragents.errors import Busy

        chat = self._recording.known(event)
        if chat is not None:
            with suppress(Busy):
                self._retention.run(chat)

    @once
    def _retention(self) -> "ChatRetention":
        from cleveragents.engine.chat.retention import ChatRetention, ChatRetentionPolicy

        base, settings = self._base, self._base.settings
        policy = ChatRetentionPolicy(
            settings.number("chat.keep-turns"), settings.number("chat.keep-days")
        )
        return ChatRetention(base.database, self._ownership, self._acts.pruning, policy)

    def coverage_of(self, project: "Project") -> "Coverage":
        """Tells how much of a directory is covered, and what is left out by name."""
        return self._acts.places.foreseen(project)

    @property
    def launcher(self) -> "Launcher":
        """The program that coding agents call."""
        return self._base.launcher

    @once
    def reads(self) -> "ChatReader":
        """What is known of chats here."""
        from cleveragents.engine.chat.reading import ChatReader

        return ChatReader(self._base.database, self._acts.places, self.project, self.protection)

    @once
    def keeping(self) -> "ChatKeeping":
        """Saves the directory under a name."""
        from cleveragents.engine.chat.keeping import ChatKeeping

        return ChatKeeping(self._base.database, self._ownership, self._acts.places)

    @once
    def comparisons(self) -> "ChatComparisons":
        """Compares the directory with checkpoints."""
        from cleveragents.engine.chat.comparing import ChatComparisons

        return ChatComparisons(self._acts.places)

    @once
    def forks(self) -> "ChatForks":
        """Makes plans from checkpoints of chats."""
        from cleveragents.engine.chat.forking import ChatForks

        return ChatForks(self._base.database, self._base.sandboxes, self._hold)

    @once
    def _recording(self) -> "Recording":
        from cleveragents.engine.chat.recording import Recording, RecordingPolicy

        base, settings = self._base, self._base.settings
        policy = RecordingPolicy(
            settings.number("chat.hook-budget"),
            settings.number("chat.first-look"),
            settings.text("chat.texts") == "keep",
            settings.flag("chat.strict"),
        )
        return Recording(
            base.database,
            self._ownership,
            self._acts.places,
            self.project,
            policy,
            base.masking.text,
            base.data / "hook",
        )

    @once
    def undos(self) -> "ChatUndos":
        """Takes back what agents did, and takes that back."""
        from cleveragents.engine.chat.hindrances import ChatHindrances
        from cleveragents.engine.chat.undo import ChatUndos

        return ChatUndos(
            self._base.database,
            self._acts.places,
            self.project,
            self._acts.taking_back,
            ChatHindrances(),
            self._hold,
            self.reads.nothing,
        )

    @once
    def conversations(self) -> "Conversations":
        """Conversations in their clients, which are taken back if the user says so."""
        from cleveragents.engine.chat.conversations import Conversations

        return Conversations(self.reads, home(self._base.caller), self._base.caller)

    def look_first(self, project: "Project", *, anew: bool = False) -> None:
        """Makes the first look at a directory, so that no call has to wait for it."""
        place = self._acts.places.of(project)
        with self._acts.places.owned(place, "looking at it", FIRST_LOOK_PATIENCE):
            place.look_first(anew=anew)

    @once
    def protection(self) -> "Protection":
        """The directories that hooks act in."""
        from cleveragents.engine.chat.protection import Protection

        return Protection(self._base.data)

    @property
    def installation(self) -> "Installation":
        """Hooks in the settings of coding agents."""
        return self.installation_at(self.project)

    def installation_at(self, project: "Project") -> "Installation":
        """The same, as seen from another directory."""
        from cleveragents.clients.installation import Installation

        caller = self._base.caller
        return Installation(self._base.data, home(caller), project.path, caller, self._hook_seconds)

    @once
    def probe(self) -> "Probe":
        """Proves that hooks work."""
        from cleveragents.engine.chat.probe import Probe, ProbePolicy

        patience = self._base.settings.number("chat.first-look")
        return Probe(
            self._base.database,
            self.installation,
            self.protection,
            self.project,
            self._base.data,
            ProbePolicy(self._base.caller, self._hook_seconds, patience),
        )

    @property
    def _hook_seconds(self) -> int:
        """The limit that clients are told: a hook keeps to a shorter one by itself."""
        return self._base.settings.number("chat.first-look") + HOOK_SECONDS
