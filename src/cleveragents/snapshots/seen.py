"""Directories as they are, read like a snapshot though nothing of them need be stored."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Self

from cleveragents.errors import Damaged, Failed
from cleveragents.records import frozen
from cleveragents.snapshots.capture import not_captured
from cleveragents.snapshots.merging import SnapshotReader
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.tree.content import HASH_ONLY
from cleveragents.snapshots.tree.diff import Load
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import object_id
from cleveragents.snapshots.tree.record import MAIN, Snapshot
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.tree.tracker import FileLocation, Tracker


class UnstoredObjects:
    """Reads objects: directories that are not stored from memory, files from where they lie."""

    def __init__(self, trackers: Iterable[Tracker], stored: Load) -> None:
        self._trackers = list(trackers)
        self._directories = {
            identity: packed
            for tracker in self._trackers
            for identity, packed in tracker.unstored().items()
        }
        self._stored = stored

    def __call__(self, identity: bytes) -> bytes:
        if identity in self._directories:
            return self._directories[identity]
        try:
            return self._stored(identity)
        except Damaged:
            if identity in self._lying:
                return _read(self._lying[identity])
            known = (tracker.directory(identity) for tracker in self._trackers)
            if found := next(filter(None, known), None):  # what is stored of it is damaged
                return found
            raise

    @cached_property
    def _lying(self) -> dict[bytes, FileLocation]:
        return {key: one for tracker in self._trackers for key, one in tracker.lying().items()}


def _read(lying: FileLocation) -> bytes:
    read = beneath.read if lying.is_ours else beneath.read_as_is
    data = read(lying.root, lying.path)
    if object_id(data) != lying.entry.content:
        raise Failed(
            f"{shown(lying.path)} changed while it was looked at", hints=["look again in a moment"]
        )
    return data


@frozen
class LiveSnapshot:
    """The content of directories when they were looked at."""

    snapshot: Snapshot
    through: SnapshotReader  # reads it, together with what is stored

    @classmethod
    def of(cls, trackers: Mapping[str, Tracker], filter_: Filter, stored: Load) -> Self:
        """Looks at directories, and stores nothing."""
        roots = {
            name: tracker.state(HASH_ONLY, full=True).root for name, tracker in trackers.items()
        }
        return cls(
            Snapshot(roots, filter_, (), {}),
            SnapshotReader(UnstoredObjects(trackers.values(), stored)),
        )

    @classmethod
    def of_live(cls, tracker: Tracker, filter_: Filter, stored: Load, *, full: bool) -> Self:
        """Looks at a directory that is not ours; what is in the way is left out of it."""
        state = tracker.state(HASH_ONLY, full=full)
        notes = not_captured({MAIN: state})
        return cls(
            Snapshot({MAIN: state.root}, filter_.without(state.missed), notes, {}),
            SnapshotReader(UnstoredObjects([tracker], stored)),
        )
