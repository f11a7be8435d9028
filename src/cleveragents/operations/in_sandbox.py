"""What operations on the files of a sandbox intend."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from cleveragents.ids import CheckpointId, PlanId, SnapshotId
from cleveragents.operations.intent import (
    NO_RETRACE,
    CheckpointState,
    Companions,
    Ends,
    Intent,
    Record,
    Retrace,
    SnapshotState,
)
from cleveragents.operations.kind import Kind
from cleveragents.plans.lifecycle import AT_REST, QUEUED, Phase, Stage, State
from cleveragents.plans.plan import Plan, PlanError
from cleveragents.records import as_dict, frozen

if TYPE_CHECKING:
    from cleveragents.snapshots.healing import Safeguard


@frozen
class Ending:
    """Where going back leaves the plan."""

    stage: Stage
    error: PlanError | None = None

    @classmethod
    def where(cls, plan: Plan) -> Self:
        """Where a plan stands; of one that was cut off, where it can be run from."""
        return cls(plan.stage, plan.error) if plan.stage in AT_REST else cls(QUEUED)

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it."""
        return {"stage": self.stage, "error": None if self.error is None else as_dict(self.error)}

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back."""
        (phase, state), error = record["stage"], record.get("error")
        read = None if error is None else PlanError.from_record(error)
        return cls((Phase(phase), State(state)), read)


@frozen(kw_only=True)
class GoBack(Intent):
    """To take everything after a checkpoint back."""

    kind = Kind.ROLLBACK

    target: CheckpointId
    safety: CheckpointId  # what was there
    record: CheckpointId  # the id of the checkpoint that says it went back
    ending: Ending
    going: Companions
    was: Ending | None = None  # where it took the plan from; version 0.1 did not say
    retraces: Retrace = NO_RETRACE

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it: flat."""
        record = super().to_record()
        del record["ending"], record["going"], record["retraces"]
        record["was"] = None if self.was is None else self.was.to_record()
        flat = (self.ending, self.going, self.retraces)
        return record | {key: value for part in flat for key, value in part.to_record().items()}

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back."""
        was = record.get("was")
        parts = {
            "ending": Ending.from_record(record),
            "going": Companions.from_record(record),
            "was": None if was is None else Ending.from_record(was),
            "retraces": Retrace.from_record(record),
        }
        return super().from_record({**record, **parts})

    @property
    def ends(self) -> Ends:
        """What was there, and the target."""
        return Ends(CheckpointState(self.safety), CheckpointState(self.target))

    @property
    def before(self) -> CheckpointId:
        """The safety checkpoint."""
        return self.safety

    @property
    def checkpoints(self) -> tuple[CheckpointId, ...]:
        """Both of them."""
        return self.target, self.safety

    @property
    def takes_along(self) -> Companions:
        """The subplans that it cancels."""
        return self.going

    @property
    def retraced(self) -> Retrace:
        """Whether `agents undo` or `agents redo` opened it."""
        return self.retraces

    @property
    def is_by_user(self) -> bool:
        """Whether somebody wanted just that; a run that fails or goes on ends otherwise."""
        return self.ending.stage == QUEUED or self.retraces.deed is not None


@frozen(kw_only=True)
class PlanAnew(GoBack):
    """To go back to the start, with other steps."""

    kind = Kind.REVERT


@frozen(kw_only=True)
class Correct(GoBack):
    """To go back to where something is decided again."""

    kind = Kind.CORRECT

    correction: str  # the attempt


@frozen(kw_only=True)
class Prune(Intent):
    """To free the content of checkpoints whose rows are gone, whatever else is known of them."""

    kind = Kind.PRUNE
    written_as: ClassVar = {"size_bytes": "bytes"}

    refs: tuple[SnapshotId, ...] = ()
    names: tuple[str, ...] = ()
    by_hand: tuple[str, ...] | None = None  # the limit let the others go; None: nobody wrote it
    size_bytes: int = 0


@frozen(kw_only=True)
class Place(Intent):
    """To make the files of a sandbox those of a snapshot."""

    target: SnapshotId
    present: "Safeguard"  # what was there

    @property
    def ends(self) -> Ends:
        """What was there, and the target."""
        return Ends(SnapshotState(self.present), SnapshotState(self.target))


@frozen(kw_only=True)
class Merge(Place):
    """To merge the result of a subplan into its parent."""

    kind = Kind.MERGE

    child: PlanId
    theirs: SnapshotId  # the result
    files: int

    @property
    def kept_when_done(self) -> tuple[SnapshotId, ...]:
        """The result of the subplan, that a rollback or correction merges again."""
        return (self.theirs,)


@frozen(kw_only=True)
class Refresh(Place):
    """To merge what the project is now into a sandbox."""

    kind = Kind.REFRESH

    base: SnapshotId  # the project as it is now
    head: str | None
    inode: str
    files: int
    safety: CheckpointId | None = None

    @property
    def before(self) -> CheckpointId | None:
        """The safety checkpoint; a plan without checkpoints has none."""
        return self.safety

    @property
    def kept_when_done(self) -> tuple[SnapshotId, ...]:
        """What the checkpoints since then go on from."""
        return (self.base,)


@frozen(kw_only=True)
class Resolve(Place):
    """To resolve a conflict by one of its versions, or by a file."""

    kind = Kind.RESOLVE

    conflict: str
    path: str
    take: str
    safety: CheckpointId | None = None

    @property
    def before(self) -> CheckpointId | None:
        """The safety checkpoint; a plan without checkpoints has none."""
        return self.safety


@frozen(kw_only=True)
class Restore(Intent):
    """To take single paths back from a checkpoint."""

    kind = Kind.RESTORE
    written_as: ClassVar = {"row": "record"}

    source: CheckpointId
    safety: CheckpointId
    row: Mapping[str, Any]  # what is known before of the checkpoint of what is there afterwards
    snapshot: SnapshotId  # what is to be
    paths: tuple[str, ...]
    files: int

    @property
    def ends(self) -> Ends:
        """What was there, and what is to be."""
        return Ends(CheckpointState(self.safety), SnapshotState(self.snapshot))

    @property
    def before(self) -> CheckpointId:
        """The safety checkpoint."""
        return self.safety

    @property
    def checkpoints(self) -> tuple[CheckpointId, ...]:
        """Where the paths are from, and what was there."""
        return self.source, self.safety


@frozen(kw_only=True)
class Validate(Intent):
    """To run commands in a sandbox and put back what they have changed there."""

    kind = Kind.VALIDATE

    snapshot: SnapshotId

    @property
    def ends(self) -> Ends:
        """What was there, which shall be there again."""
        return Ends(SnapshotState(self.snapshot), SnapshotState(self.snapshot))
