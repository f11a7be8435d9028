"""A capture: directories as they were found at one moment, on their way into the store."""

from collections.abc import Mapping

from cleveragents.ids import SnapshotId
from cleveragents.snapshots.store.new_pack import NewPack
from cleveragents.snapshots.tree import record
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.record import MAIN, Snapshot
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.tree.tracker import Tracker, TreeState


class Capture:
    """A scanned state that is not stored yet; `commit` makes it durable."""

    def __init__(
        self, pack: NewPack, trackers: Mapping[str, Tracker], filter_: Filter, *, full: bool
    ) -> None:
        self._pack = pack
        self.trackers = trackers
        states = {name: tracker.state(pack, full=full) for name, tracker in trackers.items()}
        self.roots = {name: state.root for name, state in states.items()}
        self.files = sum(state.files for state in states.values())
        self.size_bytes = 0  # known after the commit
        self.filter = filter_.without(path for state in states.values() for path in state.missed)
        self.not_captured = not_captured(states)

    def commit(self, about: Mapping[str, object]) -> SnapshotId:
        """Stores the root record and makes everything durable; returns the snapshot id."""
        snapshot = Snapshot(self.roots, self.filter, self.not_captured, about)
        identity = self._pack.put_root(record.to_bytes(snapshot))
        self.size_bytes = self._pack.seal(identity)
        for tracker in self.trackers.values():
            tracker.mark_stored()
        return SnapshotId(identity.hex())

    def settle(self, kept: Snapshot) -> None:
        """Takes over what a snapshot that is kept has: of the very same nothing is to be stored."""
        if kept.roots == self.roots:
            for tracker in self.trackers.values():
                tracker.mark_stored()


def not_captured(states: Mapping[str, TreeState]) -> tuple[str, ...]:
    """Tells what of directories is not captured, and why, as users read it."""
    return tuple(
        sorted(  # a directory lists its names in no order
            f"{named(name, path)}: {why}"
            for name, state in states.items()
            for path, why in state.not_captured
        )
    )


def named(root: str, path: bytes) -> str:
    """Returns a path of a snapshot as users read it, with the name of a root that is not theirs."""
    return shown(path) if root == MAIN else f"{root}/{shown(path)}"
