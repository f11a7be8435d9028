"""Reads the intents of all kinds back, also what nobody can read."""

from collections.abc import Mapping
from typing import cast

from cleveragents.ids import CheckpointId, SnapshotId
from cleveragents.operations.in_project import Apply, TakeBack, TakeBackAgain, Unapply
from cleveragents.operations.in_sandbox import (
    Correct,
    GoBack,
    Merge,
    PlanAnew,
    Prune,
    Refresh,
    Resolve,
    Restore,
    Validate,
)
from cleveragents.operations.intent import Intent, Record
from cleveragents.operations.kind import Kind
from cleveragents.records import frozen


@frozen(kw_only=True)
class Unreadable(Intent):
    """An unreadable record: damaged, or another version's; all that it seems to name is needed."""

    kind = Kind.UNKNOWN

    why: str
    record: Record

    @property
    def checkpoints(self) -> tuple[CheckpointId, ...]:
        """Whatever it names."""
        return tuple(
            CheckpointId(named) for named in self.record.values() if isinstance(named, str)
        )


TYPES: Mapping[str, type[Intent]] = {
    each.kind: each
    for each in (
        GoBack,
        PlanAnew,
        Correct,
        Prune,
        Merge,
        Refresh,
        Resolve,
        Restore,
        Validate,
        Apply,
        Unapply,
        TakeBack,
        TakeBackAgain,
    )
}


def read_intent(kind: str, record: Record) -> Intent:
    """Reads the intent of a kind; one that cannot be read says why, and what it keeps."""
    if kind not in TYPES:
        return _unreadable(f"this version knows no operation {kind!r}", record)
    if not record:
        return _unreadable(f"what the {kind} was to do cannot be read", record)
    try:
        return TYPES[kind].from_record(record)
    except (KeyError, TypeError, ValueError) as error:
        return _unreadable(f"what the {kind} was to do cannot be read: {error}", record)


def _unreadable(why: str, record: Record) -> Unreadable:
    named = record.get("keeps")
    keeps = (
        tuple(SnapshotId(str(one)) for one in cast("list[object]", named))
        if isinstance(named, list)
        else ()
    )
    return Unreadable(why=why, record=record, keeps=keeps)
