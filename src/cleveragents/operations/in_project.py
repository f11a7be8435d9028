"""The intents of operations on the project of the user."""

from typing import TYPE_CHECKING, ClassVar, Self, TypeAlias

from cleveragents.ids import CheckpointId, SnapshotId
from cleveragents.operations.intent import NO_RETRACE, Intent, Record, Retrace
from cleveragents.operations.kind import Kind
from cleveragents.plans.lifecycle import APPLIED, COMPLETE, Stage
from cleveragents.records import as_dict, frozen
from cleveragents.snapshots.write import owners
from cleveragents.snapshots.write.owners import Owners

if TYPE_CHECKING:
    from cleveragents.snapshots.healing import Safeguard

# Some paths of a difference, which is named by the moments around it.
Part: TypeAlias = tuple[tuple[int, int], tuple[str, ...]]


@frozen
class InFiles:
    """Into the files of the project."""

    old: "Safeguard"  # both versions of every path that changes
    new: SnapshotId
    stamp: int  # the time that new files get
    owners: Owners

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it."""
        known = owners.written(self.owners)
        return {"old": self.old, "new": self.new, "stamp": self.stamp, "owners": known}

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back; the first release wrote no owners."""
        known = owners.read(record.get("owners", {}))
        return cls(record["old"], record["new"], record["stamp"], known)


@frozen
class InBranch:
    """Into a branch of its own."""

    branch: str
    commit: str

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it."""
        return as_dict(self)

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back."""
        return cls(record["branch"], record["commit"])


@frozen(kw_only=True)
class Apply(Intent):
    """To bring a result into the project."""

    kind = Kind.APPLY
    written_as: ClassVar = {"mode": "as"}

    mode: str
    base: SnapshotId
    result: SnapshotId  # the whole sandbox
    checkpoint: CheckpointId | None  # made before it
    paths: tuple[str, ...]
    place: InFiles | InBranch
    include_ignored: bool = False
    left: tuple[str, ...] = ()  # paths of the result that the user keeps as they have them
    retraces: Retrace = NO_RETRACE

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it: where it is brought to stands beside the rest."""
        record = super().to_record()
        del record["place"], record["retraces"]
        return record | self.place.to_record() | self.retraces.to_record()

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back."""
        place = InBranch if "branch" in record else InFiles
        parts = {"place": place.from_record(record), "retraces": Retrace.from_record(record)}
        return super().from_record({**record, **parts})

    @property
    def checkpoints(self) -> tuple[CheckpointId, ...]:
        """The one that was made before it."""
        return () if self.checkpoint is None else (self.checkpoint,)

    @property
    def placed(self) -> tuple[SnapshotId, ...]:
        """Both versions of what it changes in the user's own directory; a branch is not there."""
        return (self.place.old, self.place.new) if isinstance(self.place, InFiles) else ()

    @property
    def retraced(self) -> Retrace:
        """Whether `agents undo` or `agents redo` opened it."""
        return self.retraces

    @property
    def leads_to(self) -> Stage:
        """Where it leaves the plan."""
        return APPLIED

    @property
    def branch(self) -> InBranch | None:
        """The branch, if it is brought into one."""
        return self.place if isinstance(self.place, InBranch) else None

    @property
    def versions(self) -> tuple[SnapshotId, SnapshotId]:
        """The snapshots from before and after it."""
        place = self.place
        return (place.old, place.new) if isinstance(place, InFiles) else (self.base, self.result)


@frozen(kw_only=True)
class Unapply(Apply):
    """To take an apply back."""

    kind = Kind.UNAPPLY

    rebuilds: bool = False  # whether its sandbox has to be made again

    @property
    def leads_to(self) -> Stage:
        """Where it leaves the plan."""
        return COMPLETE


@frozen(kw_only=True)
class TakeBack(Intent):
    """To take back what an agent changed in the user's directory, and nothing else."""

    kind = Kind.UNDO

    safety: CheckpointId  # made of what was there
    record: CheckpointId  # the row that is added of what is there then
    place: InFiles
    paths: tuple[str, ...]  # as they are told
    turn: int
    call: int = 0  # one of its calls alone; 0: all that it did
    takes: tuple[tuple[int, int], ...] = ()  # differences, by the moments around each
    parts: tuple[Part, ...] = ()  # the paths of those of which not all was taken
    mine: tuple[Part, ...] = ()  # the paths that the user has kept
    passes: tuple[tuple[int, int], ...] = ()  # those that may be the user's and were left alone
    unclear: tuple[tuple[int, int], ...] = ()  # read only: of those, the ones that were taken
    within: tuple[str, ...] = ()  # read only: what of `takes` and `unclear` was; none: all
    undoes: str = ""  # the undo that a redo takes back
    is_since: bool = False  # not that turn or call alone, but all from there on

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it: where it is brought to stands beside the rest."""
        record = super().to_record()
        del record["place"]
        return record | self.place.to_record()

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back."""
        pairs = {
            key: tuple((first, last) for first, last in record.get(key, ()))
            for key in ("takes", "unclear", "passes")
        }
        parts = {
            key: tuple(
                ((first, last), tuple(paths)) for (first, last), paths in record.get(key, ())
            )
            for key in ("parts", "mine")
        }
        place = InFiles.from_record(record)
        return super().from_record({**record, **pairs, **parts, "place": place})

    @property
    def before(self) -> CheckpointId:
        """The checkpoint that was made of what was there."""
        return self.safety

    @property
    def placed(self) -> tuple[SnapshotId, ...]:
        """Both versions of what it changes in the user's own directory."""
        return (self.place.old, self.place.new)

    @property
    def kept_when_done(self) -> tuple[SnapshotId, ...]:
        """The same, so that it can be taken back."""
        return self.placed


@frozen(kw_only=True)
class TakeBackAgain(TakeBack):
    """To take an undo back."""

    kind = Kind.REDO
