"""Intents: what an operation is to do, one frozen type for each kind.

A record of it is kept as JSON before anything is done; it has all that carrying it out and closing
it need. What older versions did not write has a default in its type, and nowhere else.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self, cast

from cleveragents.ids import CheckpointId, PlanId, SnapshotId
from cleveragents.operations.kind import Kind
from cleveragents.records import as_dict, field_names, frozen

Record = Mapping[str, Any]


@frozen
class CheckpointState:
    """The state that a checkpoint holds."""

    checkpoint_id: CheckpointId


@frozen
class SnapshotState:
    """The state that a snapshot holds."""

    reference: SnapshotId


@frozen
class Ends:
    """Of what each path of a sandbox is one or the other while an operation is half-way."""

    was: CheckpointState | SnapshotState
    shall_be: CheckpointState | SnapshotState


@frozen
class Companions:
    """The subplans that an operation cancels; their calls are undone as well."""

    plans: tuple[PlanId, ...] = ()
    removed: tuple[PlanId, ...] = ()  # those of which all is saved, so that their files go, too

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it."""
        return {"children": self.plans, "settled": self.removed}

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back; the first release removed nothing."""
        return cls(tuple(record.get("children", ())), tuple(record.get("settled", ())))


@frozen
class Retrace:
    """Whether an operation is an undo or a redo, and of which deed; else it is a deed itself."""

    undoes: str | None = None  # the id of what it takes back
    redoes: str | None = None  # the id of what it does again

    @property
    def deed(self) -> str | None:
        """The deed that it is about."""
        return self.undoes or self.redoes

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it."""
        return {key: value for key, value in as_dict(self).items() if value is not None}

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back; version 0.1 knew neither."""
        return cls(record.get("undoes"), record.get("redoes"))


NO_RETRACE = Retrace()


@frozen(kw_only=True)
class Intent:
    """The intent of an operation."""

    kind: ClassVar[Kind]
    written_as: ClassVar[Mapping[str, str]] = {}  # the keys of fields that have another name

    keeps: tuple[SnapshotId, ...] = ()  # the snapshots that it needs until it is closed

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it."""
        return {self.key(name): value for name, value in as_dict(self).items()}

    @classmethod
    def from_record(cls, record: Record) -> Self:
        """Reads it back; a TypeError says what it lacks."""
        keys = {name: cls.key(name) for name in field_names(cls)}
        return cls(**{name: _frozen(record[key]) for name, key in keys.items() if key in record})

    @classmethod
    def key(cls, name: str) -> str:
        """The key under which a field is kept."""
        return cls.written_as.get(name, name)

    @property
    def ends(self) -> Ends | None:
        """Between what its sandbox is; None: nothing there changes that is nowhere else."""
        return None

    @property
    def before(self) -> CheckpointId | None:
        """The checkpoint that was made of what was there, if one was."""
        return None

    @property
    def checkpoints(self) -> tuple[CheckpointId, ...]:
        """The checkpoints that it needs until it is closed."""
        return () if self.before is None else (self.before,)

    @property
    def placed(self) -> tuple[SnapshotId, ...]:
        """Both versions of what it changes in the user's own directory."""
        return ()

    @property
    def kept_when_done(self) -> tuple[SnapshotId, ...]:
        """The snapshots that are needed even then."""
        return ()

    @property
    def takes_along(self) -> Companions:
        """The subplans that go with it."""
        return Companions()

    @property
    def retraced(self) -> Retrace:
        """Whether `agents undo` or `agents redo` opened it."""
        return NO_RETRACE


def _frozen(value: object) -> Any:  # noqa: ANN401 - JSON has no types
    """Makes tuples of the lists that JSON gives back."""
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value
