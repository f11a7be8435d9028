"""Undo and redo in the user's directory: what the agent changed goes, what the user did stays."""

from collections.abc import Collection, Sequence
from typing import Protocol

from cleveragents.chats.attribution import Whose
from cleveragents.chats.chat import Chat
from cleveragents.chats.moment import MomentKind
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.counting import counted
from cleveragents.engine.bring.obstacles import Obstacle, hindering
from cleveragents.engine.chat.choice import Choice, UndoRequest, choose, is_meant
from cleveragents.engine.chat.foresight import (
    ChatForesight,
    Conflict,
    conflicts_of,
    unclear_paths,
)
from cleveragents.engine.chat.past import Past, Present, Share, Undo
from cleveragents.engine.chat.place import LivePlace, LivePlaces
from cleveragents.engine.chat.saving import SavedState, saved
from cleveragents.engine.chat.taking_back import TakeBackOutcome, TakingBack, record_id
from cleveragents.engine.chat.unmerging import Step, Unmerged, step_of, unmerge
from cleveragents.errors import Damaged, NotFound, Refused
from cleveragents.ids import PlanId, SnapshotId
from cleveragents.operations.in_project import TakeBack, TakeBackAgain
from cleveragents.records import frozen
from cleveragents.sandbox.project import Project, inode_of
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.capture import Capture
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.tree.diff import Load, compare
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.tree.scan import shown
from cleveragents.storage.database import Database
from cleveragents.storage.held import Hold

NO_CHAT = "no chat was recorded here"
PROTECT = "protect this directory: agents protect"


class Hindrances(Protocol):
    """Tells what else keeps an undo from being done: git, calls under way."""

    def find(
        self,
        place: LivePlace,
        past: Past,
        shares: Sequence[Share],
        paths: Collection[bytes],
        wanted: UndoRequest,
    ) -> Sequence[Obstacle]: ...


@frozen
class ChatUndoResult:
    """The result of an undo or a redo."""

    foresight: ChatForesight
    outcome: TakeBackOutcome
    can_redo: bool
    can_undo: bool


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
    ) -> None:
        self._database = database
        self._places = places
        self._project = project
        self._acts = acts
        self._hindrances = hindrances
        self._hold = hold

    def past(self, present: Present | None = None) -> Past:
        """Reads what happened here; refuses where nothing did."""
        place = self._places.known(self._project)
        past = None if place is None else Past(self._database, place, present)
        if past is None or not past.chats:
            raise NotFound(NO_CHAT, hints=[PROTECT])
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

    def unfinished(self) -> Sequence[PlanId]:
        """The chats here of which an undo or a redo was interrupted."""
        return list(dict.fromkeys(one.plan_id for one in self.past().unfinished))

    def preview(self, wanted: UndoRequest, *, is_redo: bool = False) -> ChatForesight:
        """Tells what would be done; owns nothing, stores and changes nothing."""
        place = self._places.of(self._project)
        live = place.look()
        return self._foresee(place, live.snapshot, live.through.read, wanted, is_redo=is_redo)

    def run(
        self, wanted: UndoRequest, *, is_redo: bool = False, shown_digest: str | None = None
    ) -> ChatUndoResult:
        """Does it, whole or not at all; with a digest, only if it is what was shown."""
        owner = self.owner(wanted, is_redo=is_redo)
        if owner is None:
            raise Refused("there is nothing to take back any more")
        word = "redo" if is_redo else "undo"
        place = self._places.of(self._project)
        with (
            self._hold(owner, f"doing an {word}") as held,
            self._places.owned(place, f"doing an {word}", patience=5.0),
            place.capture(full=True) as capture,
        ):
            seen = place.archive.seen(capture)
            would = self._foresee(place, seen.snapshot, seen.through.read, wanted, is_redo=is_redo)
            refuse_other(shown_digest, would.digest, f"agents {word}")
            refuse(would)
            safety = self._safety(place, would, capture, f"before an {word}")
            intent = self._intent(place, safety.checkpoint, would, wanted)
            operation = self._acts.open(held, safety, intent)
            outcome = self._acts.carry_out(held, operation)
        if outcome.error is not None:
            raise outcome.error
        after = self.past()
        can_redo = _last_undo(after, wanted.chat) is not None
        return ChatUndoResult(would, outcome, can_redo, _can_undo(after, wanted.chat))

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
            takes=would.takes,
            unclear=would.unclear_pairs if would.takes_unclear else (),
            passes=() if would.takes_unclear else would.unclear_pairs,
            within=tuple(each.file.rstrip("/") for each in would.files) if wanted.paths else (),
            undoes=would.undoes,
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
        if is_redo:
            found = _last_undo(past, wanted.chat)
            if found is None:
                raise Refused("there is nothing to do again")
            return self._redo(place, past, found, now, read, wanted)
        choice = choose(past, wanted)
        if choice is None:
            raise Refused("there is nothing to take back")
        return self._undo(place, past, choice, now, read, wanted)

    def _undo(
        self,
        place: LivePlace,
        past: Past,
        choice: Choice,
        now: Snapshot,
        read: Load,
        wanted: UndoRequest,
    ) -> ChatForesight:
        takes_unclear = bool(wanted.takes_unclear)
        shares = [*choice.shares, *(choice.unclear if takes_unclear else ())]
        shares.sort(key=lambda share: share.pair, reverse=True)
        steps = [step_of(past, share, _chosen(past, share, wanted)) for share in shares]
        if wanted.is_everything:
            steps = self._everything(place, past, choice, now, read)
        fixed = _fixed(place, steps, wanted)
        unmerged = unmerge(now, read, steps, fixed)
        return ChatForesight(
            kind="undo",
            chat=choice.chat,
            turn=choice.turn,
            call=choice.call,
            title=choice.title,
            prompt=_prompt(past, choice.chat, choice.turn),
            takes=tuple(share.pair for share in choice.shares),
            unclear_pairs=tuple(share.pair for share in choice.unclear),
            unmerged=unmerged,
            conflicts=[
                each
                for each in conflicts_of(past, choice, unmerged)
                if not is_meant(each.file.encode(), wanted.mine)
            ],
            obstacles=self._obstacles(place, past, shares, unmerged, wanted),
            questions=_late(shares),
            unclear=unclear_paths(choice.unclear),
            takes_unclear=takes_unclear,
            users=_users(past, choice) if wanted.is_everything else (),
            not_covered=[shown(path) for path in sorted(unmerged.not_covered)],
            mine=_mine(past, shares, wanted),
            joint=_joint(choice),
        )

    def _redo(
        self,
        place: LivePlace,
        past: Past,
        found: Undo,
        now: Snapshot,
        read: Load,
        wanted: UndoRequest,
    ) -> ChatForesight:
        intent = found.intent
        was, became = place.archive.load(intent.place.old), place.archive.load(intent.place.new)
        changed = compare(was.roots[MAIN], became.roots[MAIN], place.archive.read)
        paths = frozenset(change.path for change in changed if change.path)
        steps = [Step(became, was, paths)]
        unmerged = unmerge(now, read, steps, _fixed(place, steps, wanted))
        chat = past.chat(found.plan_id)
        return ChatForesight(
            kind="redo",
            chat=chat,
            turn=intent.turn,
            call=intent.call,
            title=f"t{intent.turn}" + (f".{intent.call}" if intent.call else ""),
            prompt=_prompt(past, chat, intent.turn),
            takes=(),
            unclear_pairs=(),
            undoes=found.operation_id,
            unmerged=unmerged,
            conflicts=[
                Conflict(shown(path), "it was changed since the undo")
                for path in unmerged.conflicts
                if not is_meant(path, wanted.mine)
            ],
            obstacles=self._obstacles(place, past, (), unmerged, wanted),
            questions=(),
            unclear=(),
            takes_unclear=False,
            users=(),
            not_covered=[shown(path) for path in sorted(unmerged.not_covered)],
            joint=(),
        )

    def _everything(
        self, place: LivePlace, past: Past, choice: Choice, now: Snapshot, read: Load
    ) -> list[Step]:
        """One step from what is there to what was there when the turn began, whoever changed it."""
        began = _beginning(past, choice)
        if began is None:
            raise Refused("nobody knows what was there when the turn began: it was not looked at")
        was = place.archive.load(began)
        changed = compare(now.roots[MAIN], was.roots[MAIN], read)
        return [Step(now, was, frozenset(change.path for change in changed if change.path))]

    def _obstacles(
        self,
        place: LivePlace,
        past: Past,
        shares: Sequence[Share],
        unmerged: Unmerged,
        wanted: UndoRequest,
    ) -> list[Obstacle]:
        changes = unmerged.merge.changes
        with beneath.root_directory(place.root) as root:
            found = hindering(root, changes, changes)
        chats = {chat.root_inode for chat in past.chats}
        if chats and inode_of(place.project) not in chats:
            why = "it is another directory than the one the chats were recorded in"
            found.append(Obstacle(str(place.root), why, "move the right one back"))
        paths = {change.path for change in changes} | unmerged.conflicts.keys()
        return [*found, *self._hindrances.find(place, past, shares, paths, wanted)]


def refuse(would: ChatForesight) -> None:
    """Refuses what something stands in the way of, with the ways out."""
    if not would.is_refused:
        return
    ways = [way for each in would.conflicts for way in each.ways]
    if would.conflicts:
        first = would.conflicts[0].file
        ways += [f"keep yours: --mine {first}", f"or what was there before: --before {first}"]
    ways += [each.remedy for each in would.obstacles if isinstance(each.remedy, str)]
    told = [f"{each.file}: {each.reason}" for each in would.conflicts]
    count = len(would.conflicts) + len(would.obstacles)
    raise Refused(
        f"{counted(count, 'thing stands', 'things stand')} in the way; nothing was changed",
        detail=[*told, *map(str, would.obstacles)],
        hints=list(dict.fromkeys(ways)),
    )


def _can_undo(past: Past, chat: PlanId | None) -> bool:
    """Whether something is left that stands."""
    try:
        return choose(past, UndoRequest(chat=chat)) is not None
    except Damaged:  # what was asked for is done; who asks for the next is told what is damaged
        return True


def _last_undo(past: Past, chat: PlanId | None) -> Undo | None:
    found = [one for one in past.standing_undos if chat in (None, one.plan_id)]
    return max(found, key=lambda one: one.operation_id) if found else None


def _chosen(past: Past, share: Share, wanted: UndoRequest) -> frozenset[bytes]:
    """The paths of a share that are meant and stand."""
    return frozenset(
        change.path
        for change in past.standing(share)
        if (not wanted.paths or is_meant(change.path, wanted.paths))
        and not is_meant(change.path, wanted.mine)
    )


def _mine(past: Past, shares: Sequence[Share], wanted: UndoRequest) -> list[str]:
    """The paths that would go if the user did not keep them."""
    changes = (change for share in shares for change in past.standing(share))
    kept = (change.path for change in changes if is_meant(change.path, wanted.mine))
    return sorted({shown(path) for path in kept})


def _fixed(
    place: LivePlace, steps: Sequence[Step], wanted: UndoRequest
) -> dict[bytes, Entry | None]:
    """The paths that shall be what they were, whatever is there: as the oldest step had them."""
    found: dict[bytes, Entry | None] = {}
    for step in steps:  # the newest first, so that the oldest is what stays
        lookup = place.archive.lookup(step.was)
        for path in step.paths:
            if is_meant(path, wanted.before):
                found[path] = lookup.find(path)
    return found


def _beginning(past: Past, choice: Choice) -> SnapshotId | None:
    """The state at the beginning of a turn."""
    for one in past.moments:
        if one.plan_id == choice.chat.plan_id and one.turn == choice.turn and one.state:
            return one.state
    return None


def _prompt(past: Past, chat: Chat, turn: int) -> str:
    for one in past.moments:
        if one.plan_id == chat.plan_id and one.turn == turn and one.kind is MomentKind.PROMPT:
            return one.text
    return ""


def _late(shares: Sequence[Share]) -> list[str]:
    late = [share for share in shares if share.difference.is_late]
    paths = unclear_paths(late)
    told = "the files were not looked at in time before a call, so these may hold changes of yours"
    return [f"{told}: {', '.join(paths[:10])}"] if paths else []


def _users(past: Past, choice: Choice) -> list[str]:
    first = next(
        (
            one.number
            for one in past.moments
            if one.plan_id == choice.chat.plan_id and one.turn == choice.turn
        ),
        0,
    )
    later = past.shares_of(lambda one: one.before.number >= first)
    return unclear_paths(share for share in later if share.whose is Whose.USER)


def _joint(choice: Choice) -> list[str]:
    """Calls of other turns or chats that did some of it together with what is taken back."""
    found = {
        f"{'' if call.chat == choice.chat.plan_id else 'another chat '}t{call.turn}.{call.number}"
        for share in choice.shares
        for call in share.difference.calls
        if (call.chat, call.turn) != (choice.chat.plan_id, choice.turn)
        or choice.call not in (0, call.number)
    }
    return sorted(found)
