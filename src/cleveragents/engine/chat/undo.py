"""Undo and redo in the user's directory: what the agent changed goes, what the user did stays."""

from collections.abc import Callable, Iterable, Sequence

from cleveragents.chats.chat import Chat
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.counting import counted
from cleveragents.engine.chat.choice import choices, choose
from cleveragents.engine.chat.foreseeing import Foreseeing, Hindrances
from cleveragents.engine.chat.foresight import ChatForesight, PassedOver
from cleveragents.engine.chat.out_of_reach import newer_than, out_of_reach
from cleveragents.engine.chat.past import Past, Present
from cleveragents.engine.chat.place import LivePlace, LivePlaces
from cleveragents.engine.chat.reading import LatestTurn
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.chat.saving import SavedState, saved
from cleveragents.engine.chat.taken import Undo
from cleveragents.engine.chat.taking_back import TakeBackOutcome, TakingBack, record_id
from cleveragents.errors import Damaged, InvalidInput, NotFound, Refused
from cleveragents.ids import PlanId
from cleveragents.operations.in_project import TakeBack, TakeBackAgain
from cleveragents.operations.kind import Kind, Status
from cleveragents.records import frozen, replace
from cleveragents.sandbox.project import Project
from cleveragents.snapshots.capture import Capture
from cleveragents.snapshots.tree.diff import Load
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.storage.database import Database
from cleveragents.storage.held import Hold


@frozen
class ChatUndoResult:
    """The result of an undo or a redo."""

    foresight: ChatForesight
    outcome: TakeBackOutcome | None  # None: there was nothing to change, and nothing was recorded
    can_redo: bool
    following: str  # what the next undo takes back, in words; empty: there is nothing left


@frozen
class ChatUndoFinished:
    """An undo or a redo that was interrupted, and that was finished instead of another one."""

    done: Undo
    chat: Chat
    can_redo: bool


class ChatUndos:
    """Takes back what agents did here, and takes that back."""

    def __init__(
        self,
        database: Database,
        places: LivePlaces,
        project: Project,
        acts: TakingBack,
        hindrances: Hindrances,
        hold: Hold,
        nothing: Callable[[], NotFound],
    ) -> None:
        self._database = database
        self._places = places
        self._project = project
        self._acts = acts
        self._hindrances = hindrances
        self._hold = hold
        self._nothing = nothing  # the error where no chat was recorded

    def past(self, present: Present | None = None) -> Past:
        """Reads what happened here; refuses where nothing did."""
        place = self._places.known(self._project)
        past = None if place is None else Past(self._database, place, present)
        if past is None or not past.chats:
            raise self._nothing()
        return past

    def owner(self, wanted: UndoRequest, *, is_redo: bool = False) -> PlanId | None:
        """Whose turn it is; None: there is nothing to do."""
        past = self.past()
        if is_redo:
            found = _last_undo(past, wanted.chat)
            return None if found is None else found.plan_id
        choice = choose(past, wanted)
        if choice is None and past.is_in_doubt:
            live = self._places.of(self._project).look()
            choice = choose(self.past(Present(live.snapshot, live.through.read)), wanted)
        return None if choice is None else choice.chat.plan_id

    def out_of_reach(self, chat: PlanId | None) -> Sequence[PassedOver]:
        """The turns of which nothing can be taken back, because it is covered by nothing here."""
        return out_of_reach(self.past(), self._project.path, chat)

    def unfinished(self) -> Sequence[Undo]:
        """The undos and redos of chats here that were interrupted."""
        return self.past().unfinished

    def latest(self) -> LatestTurn | None:
        """Returns the turn that the next undo takes back, by what is there; None: there is none."""
        would = None if self.owner(UndoRequest()) is None else self.preview(UndoRequest())
        if would is None or would.is_settled or would.changed_at is None:
            return None
        return LatestTurn(would.changed_at, would.chat.plan_id, would.turn)

    def preview(self, wanted: UndoRequest, *, is_redo: bool = False) -> ChatForesight:
        """Tells what would be done; owns nothing, stores and changes nothing."""
        place = self._places.of(self._project)
        live = place.look()
        return self._foresee(place, live.snapshot, live.through.read, wanted, is_redo=is_redo)

    def finished(self, begun: Sequence[Undo], *, is_redo: bool = False) -> ChatUndoFinished | None:
        """Tells of the first of those that were interrupted and came to their end just now.

        None: what was asked for is still to be done. One that was taken back was not finished.
        """
        kind = Kind.REDO if is_redo else Kind.UNDO
        ours = {one.operation_id for one in begun if one.kind is kind}
        past = self.past()
        for one in past.operations if ours else ():
            if one.operation_id in ours and one.status is Status.DONE:
                return ChatUndoFinished(one, past.chat(one.plan_id), bool(past.standing_undos))
        return None

    def run(
        self, wanted: UndoRequest, *, is_redo: bool = False, shown_digest: str | None = None
    ) -> ChatUndoResult:
        """Does it, whole or not at all; with a digest, only if it is what was shown."""
        owner = self.owner(wanted, is_redo=is_redo)
        if owner is None:
            raise Refused("there is nothing to take back any more")
        while True:
            done = self._run(owner, wanted, is_redo=is_redo, shown_digest=shown_digest)
            if isinstance(done, ChatUndoResult):
                return done
            owner = done

    def _run(
        self, owner: PlanId, wanted: UndoRequest, *, is_redo: bool, shown_digest: str | None
    ) -> ChatUndoResult | PlanId:
        """Does it if it is to be done in a chat; else tells of the chat in which it is."""
        word, named = ("redo", "a redo") if is_redo else ("undo", "an undo")
        place = self._places.of(self._project)
        with (
            self._hold(owner, f"doing {named}") as held,
            self._places.owned(place, f"doing {named}", patience=5.0),
            place.capture(full=True) as capture,
        ):
            seen = place.archive.seen(capture)
            would = self._foresee(place, seen.snapshot, seen.through.read, wanted, is_redo=is_redo)
            if would.chat.plan_id != owner:
                return would.chat.plan_id
            refuse_other(shown_digest, would.digest, f"agents {word}")
            refuse(would)
            if would.is_empty and not (
                is_redo or would.is_only_kept
            ):  # recorded, it would stand for the whole turn
                return self._result(would, None, wanted)
            safety = self._safety(place, would, capture, f"before {named}")
            intent = self._intent(place, safety.checkpoint, would, wanted)
            operation = self._acts.open(held, safety, intent)
            outcome = self._acts.carry_out(held, operation)
        if outcome.error is not None:
            raise outcome.error
        return self._result(would, outcome, wanted)

    def _result(
        self, would: ChatForesight, outcome: TakeBackOutcome | None, wanted: UndoRequest
    ) -> ChatUndoResult:
        past = self.past()
        can_redo = _last_undo(past, wanted.chat) is not None
        return ChatUndoResult(would, outcome, can_redo, _following(past, wanted.chat, would))

    def _safety(
        self, place: LivePlace, would: ChatForesight, capture: Capture, reason: str
    ) -> SavedState:
        """Stores what is there, to come back to."""
        with self._database.reading() as connection:
            latest = CheckpointRepository(connection).latest(would.chat.plan_id)
        kind = CheckpointType.SAFETY
        return saved(place, would.chat, capture, latest, kind, reason, would.turn)

    def _intent(
        self, place: LivePlace, safety: Checkpoint, would: ChatForesight, wanted: UndoRequest
    ) -> TakeBack:
        kind = TakeBackAgain if would.kind == "redo" else TakeBack
        files = self._acts.place_of(
            place, safety, would.unmerged.merge, keeps_times=wanted.keeps_times
        )
        return kind(
            safety=safety.checkpoint_id,
            record=record_id(),
            place=files,
            paths=tuple(each.file for each in would.files),
            turn=would.turn,
            call=would.call,
            takes=would.taking.takes,
            parts=would.taking.parts,
            mine=would.taking.mine,
            passes=would.taking.passes,
            undoes=would.undoes,
            is_since=would.is_since,
            keeps=(files.old, files.new),
        )

    def _foresee(
        self,
        place: LivePlace,
        now: Snapshot,
        read: Load,
        wanted: UndoRequest,
        *,
        is_redo: bool,
    ) -> ChatForesight:
        past = self.past(Present(now, read))
        foreseeing = Foreseeing(place, past, now, read, wanted, self._hindrances)
        if is_redo:
            found = _last_undo(past, wanted.chat)
            if found is None:
                raise Refused("there is nothing to do again")
            would = foreseeing.redo(found)
            refuse_misnamed(would)
            return would
        would = _first_of(map(foreseeing.undo, choices(past, wanted)), wanted)
        refuse_misnamed(would)
        if wanted.is_named:
            return would
        passed = [*newer_than(would, past, place.root), *would.passed_over]
        return replace(would, passed_over=passed)


def _first_of(found: Iterable[ChatForesight], wanted: UndoRequest) -> ChatForesight:
    """The first that would change something, with those before it that would not.

    Where none would, and where somebody has named one, it is the first of all.
    """
    passed: list[ChatForesight] = []
    for would in found:
        if wanted.is_named or not would.is_settled:
            return replace(would, passed_over=list(map(_passed, passed)))
        passed.append(would)
    if not passed:
        raise Refused("there is nothing to take back")
    return replace(passed[0], passed_over=list(map(_passed, passed)))


def _passed(would: ChatForesight) -> PassedOver:
    return PassedOver(would.chat, would.turn, would.why_empty)


def refuse_misnamed(would: ChatForesight) -> None:
    """Refuses to keep or to bring back a path that it is not about: it was mistyped."""
    wanted = would.wanted
    said = {**dict.fromkeys(wanted.before, "--before"), **dict.fromkeys(wanted.mine, "--mine")}
    for each in would.unmatched:
        if each.typed in said and not would.is_passed_over:
            raise InvalidInput(
                f"{said[each.typed]} {each.typed} names nothing that the {would.kind} of"
                f" {would.title} is about{each.nearest}",
                hints=[f"see what it is about: agents {would.kind} --dry-run"],
            )


def refuse(would: ChatForesight) -> None:
    """Refuses what something stands in the way of, with the ways out."""
    if not would.is_refused:
        return
    told = [f"{each.file}: {each.reason}" for each in would.conflicts]
    count = len(would.conflicts) + len(would.obstacles)
    raise Refused(
        f"{counted(count, 'thing stands', 'things stand')} in the way; nothing was changed",
        detail=[*told, *map(str, would.obstacles)],
        hints=would.ways_out,
    )


def _following(past: Past, chat: PlanId | None, done: ChatForesight) -> str:
    """Says what the next undo here takes back; empty: nothing is left that stands."""
    try:
        choice = choose(past, UndoRequest(chat=chat))
    except Damaged:  # what was asked for is done; who asks for the next is told what is damaged
        return "the turn before it"
    if choice is None or not (choice.shares or choice.unclear):
        return ""
    if choice.chat.plan_id != done.chat.plan_id:
        return f"{choice.title} of another chat ({choice.chat.client})"
    is_rest = done.kind == "undo" and choice.turn == done.turn
    return f"the rest of {choice.title}" if is_rest else choice.title


def _last_undo(past: Past, chat: PlanId | None) -> Undo | None:
    found = [one for one in past.standing_undos if chat in (None, one.plan_id)]
    return max(found, key=lambda one: _rank(past, one)) if found else None


def _rank(past: Past, undo: Undo) -> tuple[bool, str]:
    """Orders what may be done again: what a redo has left comes last, else the newest first."""
    return not past.taken.is_partly_redone(undo), undo.operation_id
