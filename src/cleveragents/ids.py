"""Identifiers and times: ULIDs that never go backwards within a process, and UTC."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from os import urandom
from threading import Lock
from time import time_ns
from typing import NewType, TypeAlias

ProjectId = NewType("ProjectId", str)
PlanId = NewType("PlanId", str)
CheckpointId = NewType("CheckpointId", str)
OperationId = NewType("OperationId", str)
DecisionId = NewType("DecisionId", str)
StepRunId = NewType("StepRunId", str)
CauseId: TypeAlias = OperationId | DecisionId | PlanId  # in whose name something counts no longer
SnapshotId = NewType("SnapshotId", str)  # the digest of a root record, in hexadecimal

# A ULID is 128 bits, milliseconds before chance, in 26 digits of 5: the first has 3 of them.
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: none looks like another one
_PLACES = range(125, -1, -5)
_CHANCE_BYTES = 10
_FORM = re.compile(f"[0-7][{_DIGITS}]{{25}}", re.ASCII | re.IGNORECASE)
SHORTEST = 10  # digits of an id that are shown: its moment, so that nothing made later begins alike


class _IdSource:
    """Makes ULIDs that only go up, whatever the clock does."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = 0

    def next(self) -> str:
        with self._lock:
            self._last = max(_drawn(), self._last + _step())
            return "".join(_DIGITS[self._last >> place & 31] for place in _PLACES)


def _step() -> int:
    """How far an id is from the next of its moment: so far that few digits tell them apart."""
    return int.from_bytes(urandom(_CHANCE_BYTES - 1)) + 1


def _drawn() -> int:
    moment = time_ns() // 1_000_000
    return moment << 8 * _CHANCE_BYTES | int.from_bytes(urandom(_CHANCE_BYTES))


_ascending = _IdSource()


def new_id() -> str:
    """Returns a ULID greater than every one this process made before."""
    return _ascending.next()


def is_id(text: str) -> bool:
    """Tells whether the text is a complete ULID."""
    return _FORM.fullmatch(text) is not None


def shortened(identity: str, others: Sequence[str]) -> str:
    """Returns the shortest beginning of an id that none of the others has."""
    size = SHORTEST
    while any(other.startswith(identity[:size]) for other in others):
        size += 1
    return identity[:size]


def made_at(identity: str) -> datetime:
    """When something was made, as its id tells."""
    if not is_id(identity):
        raise ValueError(f"{identity!r} is no id")
    moment = 0
    for digit in identity.upper()[:10]:
        moment = moment << 5 | _DIGITS.index(digit)
    return datetime.fromtimestamp(moment / 1000, UTC)


def now() -> datetime:
    """Returns the present time in UTC; it is shown to people and decides nothing."""
    return datetime.now(UTC)
