"""The past of a directory's chats: whose each difference of its files is, and what still stands."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import cast

from cleveragents.chats.attribution import Difference, Whose, differences
from cleveragents.chats.chat import Chat, ChatRepository
from cleveragents.chats.doubts import doubts
from cleveragents.chats.moment import Moment, MomentKind
from cleveragents.chats.moment_rows import MomentRepository
from cleveragents.chats.turns import Call, calls
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.engine.chat.parting import Pair, Placed, Share, parted, touched
from cleveragents.engine.chat.place import LivePlace
from cleveragents.engine.chat.taken import NOW, Taken, Undo, of_acts, since_begun
from cleveragents.errors import Damaged
from cleveragents.ids import OperationId, PlanId, SnapshotId
from cleveragents.operations.in_project import TakeBack
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.records import frozen, replace
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.picking import is_excluded
from cleveragents.snapshots.tree.diff import Load, alike, compare
from cleveragents.snapshots.tree.lookup import Lookup
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database

PRESENT = SnapshotId("present")  # the state of a directory as it is: it need not be stored


@frozen
class Present:
    """A directory as it is."""

    snapshot: Snapshot
    read: Load


class Past:
    """Everything that happened in the chats of one directory, the oldest first.

    What changed since the last event belongs to it if somebody has looked: a process that a call
    left running writes whenever it likes.
    """

    def __init__(
        self, database: Database, place: LivePlace, present: Present | None = None
    ) -> None:
        self._place = place
        self._present = present
        self._known: dict[Pair, Sequence[Share]] = {}
        with database.reading() as connection:
            self.chats = ChatRepository(connection).of_project(place.project_id)
            self.moments = MomentRepository(connection).of_project(place.project_id)
            self._rows = {chat.plan_id: _rows(connection, chat) for chat in self.chats}
            self.of_acts = of_acts(self.moments)
            find = OperationRepository(connection).find
            self._acts = {act: find(act) for act in self.of_acts}
            self.operations: Sequence[Undo] = [
                since_begun(one, self.of_acts)
                for chat in self.chats
                for one in _undos(connection, chat.plan_id)
            ]
        self.taken = Taken(self.operations, self.of_acts, self.act_paths)

    def chat(self, plan_id: PlanId) -> Chat:
        """Returns a chat by its id."""
        return next(chat for chat in self.chats if chat.plan_id == plan_id)

    def checkpoints(self, plan_id: PlanId) -> Mapping[str, Checkpoint]:
        """The checkpoints of a chat, by id."""
        return self._rows[plan_id]

    @cached_property
    def differences(self) -> Sequence[Difference]:
        """What changed from look to look, the oldest first."""
        if self._present is None or not self.moments:
            return differences(self.moments)
        return differences([*self.moments, _now(self.moments[-1])])

    @cached_property
    def is_in_doubt(self) -> bool:
        """Whether something of an agent's may have written since the last event."""
        return len(self.moments) - 1 in doubts(self.moments, self.calls)

    @property
    def read(self) -> Load:
        """Reads whatever is stored, and what is there as it is."""
        return self._place.archive.read if self._present is None else self._present.read

    @cached_property
    def calls(self) -> Sequence[Call]:
        """The calls of all chats here, in the order in which they began."""
        return calls(self.moments)

    @cached_property
    def late(self) -> Sequence[Call]:
        """The calls that began before anybody had looked at the files for them."""
        return [call for call in self.calls if call.before.state is None]

    @cached_property
    def ended_late(self) -> Sequence[Call]:
        """The calls for whose end nobody had looked at the files in time."""
        return [call for call in self.calls if call.after and call.after.is_late]

    @cached_property
    def unseen(self) -> Sequence[Call]:
        """Those of them before which nobody had ever looked: what they met is not known."""
        looks = [one.number for one in self.moments if one.state is not None]
        return [call for call in self.late if not looks or call.before.number < looks[0]]

    def load(self, state: SnapshotId) -> Snapshot:
        """Returns a state of the directory, as it is or as it was."""
        if state == PRESENT and self._present is not None:
            return self._present.snapshot
        return self._place.archive.load(state)

    def shares(self, difference: Difference) -> Sequence[Share]:
        """A difference, parted by whose its paths are; only then are its states read."""
        pair = difference.before.number, difference.after.number
        if pair not in self._known:
            self._known[pair] = list(self._shares(difference))
        return self._known[pair]

    def shares_of(self, is_meant: Callable[[Difference], bool]) -> list[Share]:
        """The shares of chosen differences, the oldest first."""
        return [share for one in self.differences if is_meant(one) for share in self.shares(one)]

    @property
    def unfinished(self) -> Sequence[Undo]:
        """The undos and redos that were begun and not ended: files may be half-way."""
        return [one for one in self.operations if one.status in (Status.OPEN, Status.STUCK)]

    @property
    def standing_undos(self) -> Sequence[Undo]:
        """The undos of which something was not brought again, in order."""
        return self.taken.undos

    def standing(self, share: Share) -> list[Change]:
        """The changes of a share that no undo has taken back."""
        return self.taken.standing(share)

    def due(self, share: Share, *, with_unclear: bool) -> list[Change]:
        """What the next undo may take of a share: what stands, and nobody chose to keep."""
        if share.whose is not Whose.AGENT:
            may_be = share.whose is Whose.UNCLEAR and with_unclear
            if not may_be or self.taken.has_passed(share):
                return []
        kept = self.taken.kept(share)
        return [change for change in self.standing(share) if change.path not in kept]

    def act_of(self, share: Share) -> AnyOperation | None:
        """The act of ours that made a share; None: nobody knows any more."""
        if not share.difference.acts:  # it was looked at before and after it
            return self._acts.get(share.difference.before.operation_id or OperationId(""))
        acts = (self._acts[act.operation_id] for act in share.difference.acts)
        known = (act for act in acts if act is not None)
        return next((act for act in known if act.intent.placed == (share.was, share.became)), None)

    def act_paths(self, act: Undo) -> Collection[bytes] | None:
        """The paths that an undo or a redo has changed; None: nobody knows any more."""
        placed = self._placed(act.operation_id)
        return None if placed is None else placed.changes.keys()

    def _shares(self, difference: Difference) -> Iterator[Share]:
        was, became = difference.before.state, difference.after.state
        if was is not None and became is not None:  # there is no other difference
            acts = [(act, self._placed(act.operation_id)) for act in difference.acts]
            changes = self._changes(was, became)
            if acts:
                changes += self._unchanged(was, became, touched(acts, changes))
                changes.sort(key=lambda change: change.path)
            yield from parted(difference, was, became, changes, acts)

    def _placed(self, operation_id: OperationId) -> Placed | None:
        """An act of ours with what it changed; None: nobody knows any more."""
        act = self._acts[operation_id]
        if act is None or not act.intent.placed:
            return None
        old, new = act.intent.placed
        try:
            changes = {change.path: change for change in self._changes(old, new)}
        except Damaged:
            return None
        return Placed(old, new, changes, act.status is Status.DONE)

    def _unchanged(
        self, was: SnapshotId, became: SnapshotId, paths: Collection[bytes]
    ) -> list[Change]:
        """Paths that are the same in two states, and may have been another in between."""
        old, new = self.load(was), self.load(became)
        lookup = Lookup(old.roots[MAIN], self.read)
        covered = (path for path in sorted(paths) if old.covers(path) and new.covers(path))
        return [Change(path, lookup.find(path), lookup.find(path)) for path in covered]

    def _changes(self, was: SnapshotId, became: SnapshotId) -> list[Change]:
        """What differs between two states and was covered at both; times play no part."""
        old, new = self.load(was), self.load(became)
        return [
            change
            for change in compare(old.roots[MAIN], new.roots[MAIN], self.read)
            if change.path
            and not alike(change.before, change.after)
            and not is_excluded(old.filter, change.path)
            and not is_excluded(new.filter, change.path)
        ]


def _now(last: Moment) -> Moment:
    """The moment in which somebody looks at a directory, after the last one that was recorded."""
    return replace(
        last,
        number=NOW,
        kind=MomentKind.ACT,
        call="",
        agent="",
        state=PRESENT,
        checkpoint_id=None,
        is_late=False,
        left_running=False,
        operation_id=None,
    )


def _rows(connection: Connection, chat: Chat) -> Mapping[str, Checkpoint]:
    return {
        row.checkpoint_id: row for row in CheckpointRepository(connection).of_plan(chat.plan_id)
    }


def _undos(connection: Connection, plan_id: PlanId) -> Iterator[Undo]:
    for one in OperationRepository(connection).of_plan(plan_id):
        if isinstance(one.intent, TakeBack):
            yield cast("Undo", one)
