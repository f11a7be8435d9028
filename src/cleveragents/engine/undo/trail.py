"""Which deed is next to be taken back, and which to be done again: pure, over what happened.

A deed is something that a user did, or a step of a plan. The trail is linear: an undo is never
itself the next thing to take back, and a new deed is the end of all that could be done again.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from cleveragents.records import frozen


class Part(StrEnum):
    """The meaning of an event for the trail."""

    DEED = "deed"
    UNDO = "undo"
    REDO = "redo"


class Direction(StrEnum):
    """Back or forward, by the command that goes there."""

    BACK = "undo"
    FORWARD = "redo"


@frozen
class Mark:
    """Something that happened."""

    mark_id: str
    when: str  # orders it among others; those that have the same are in their order already
    owner: str  # the plan or whatever else it happened to
    part: Part = Part.DEED
    deed: str = ""  # the one that is taken back or done again
    counts: bool | None = None  # of a step, whether it does; None: only an undo takes it back
    is_open: bool = False  # it was begun, and waits to be finished


class Trail:
    """The events, in order."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        self._marks = sorted(marks, key=lambda mark: mark.when)
        done = [mark for mark in self._marks if not mark.is_open]
        self._undone = _undone(done)
        self._again = _again(done)

    @property
    def order(self) -> Mapping[str, int]:
        """The place of each mark among all that happened."""
        return {mark.mark_id: place for place, mark in enumerate(self._marks)}

    @property
    def standing(self) -> Sequence[str]:
        """The deeds whose effect is still there, in order."""
        return [mark.mark_id for mark in self._standing]

    def stands(self, deed: str) -> bool:
        """Whether what a deed did is still so."""
        return deed in self.standing

    def undone_by(self, deed: str) -> str | None:
        """The undo that has taken a deed back, unless it was done again."""
        return self._undone.get(deed)

    def next(self, direction: Direction) -> str | None:
        """The deed to take back: the newest that stands; to do again: that of the last undo."""
        if direction is Direction.FORWARD:
            return self._again[-1] if self._again else None
        standing = self.standing
        return standing[-1] if standing else None

    def owner(self, direction: Direction) -> str | None:
        """Whose turn it is; None: there is nothing to do."""
        due = self.due(direction)
        return None if due is None else due.owner

    def due(self, direction: Direction) -> Mark | None:
        """The event that would be taken back next: the deed, or its undo; None: there is none.

        What was begun and waits to be finished comes first if it came later: it may be next.
        """
        deed = self.next(direction) or ""
        last = self._undone.get(deed, "") if direction is Direction.FORWARD else deed
        due = [mark for mark in self._marks if mark.is_open or mark.mark_id == last]
        return due[-1] if due else None

    @property
    def _standing(self) -> Sequence[Mark]:
        deeds = [mark for mark in self._marks if mark.part is Part.DEED and not mark.is_open]
        return [mark for mark in deeds if self._counts(mark)]

    def _counts(self, mark: Mark) -> bool:
        return mark.mark_id not in self._undone if mark.counts is None else mark.counts


def _undone(marks: Iterable[Mark]) -> dict[str, str]:
    """The deeds that were taken back and not done again, each with the undo."""
    found: dict[str, str] = {}
    for mark in marks:
        if mark.part is Part.UNDO:
            found[mark.deed] = mark.mark_id
        elif mark.part is Part.REDO:
            found.pop(mark.deed, None)
    return found


def _again(marks: Iterable[Mark]) -> list[str]:
    """The deeds that can be done again, the next one last."""
    found: list[str] = []
    for mark in marks:
        if mark.part is Part.DEED:
            found.clear()
        elif mark.deed in found:
            found.remove(mark.deed)
        if mark.part is Part.UNDO:
            found.append(mark.deed)
    return found
