"""Identifiers and times: ULIDs that never go backwards within a process, and UTC."""

from datetime import UTC, datetime
from threading import Lock
from typing import NewType, TypeAlias

from ulid import ULID

ProjectId = NewType("ProjectId", str)
PlanId = NewType("PlanId", str)
CheckpointId = NewType("CheckpointId", str)
OperationId = NewType("OperationId", str)
DecisionId = NewType("DecisionId", str)
StepRunId = NewType("StepRunId", str)
CauseId: TypeAlias = OperationId | DecisionId | PlanId  # in whose name something counts no longer
SnapshotId = NewType("SnapshotId", str)  # the digest of a root record, in hexadecimal


class _IdSource:
    """Makes ULIDs that only go up, whatever the clock does."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = 0

    def next(self) -> str:
        with self._lock:
            self._last = max(int(ULID()), self._last + 1)
            return str(ULID.from_int(self._last))


_ascending = _IdSource()


def new_id() -> str:
    """Returns a ULID greater than every one this process made before."""
    return _ascending.next()


def is_id(text: str) -> bool:
    """Tells whether the text is a complete ULID."""
    try:
        ULID.from_str(text.upper())
    except ValueError:
        return False
    return True


def now() -> datetime:
    """Returns the present time in UTC; it is shown to people and decides nothing."""
    return datetime.now(UTC)
