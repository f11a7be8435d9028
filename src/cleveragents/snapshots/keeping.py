"""Keeps results of merges in an archive, and states that it has already once more."""

from collections.abc import Callable, Mapping

from cleveragents.ids import SnapshotId
from cleveragents.records import replace
from cleveragents.snapshots.merging import MergeResult, SnapshotReader
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree import record
from cleveragents.snapshots.tree.content import Put
from cleveragents.snapshots.tree.record import Snapshot


class SnapshotWriter(SnapshotReader):
    """The part of an archive that makes durable what was put together."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.read)
        self._store = store

    def keep_merge(self, merge: MergeResult, about: Mapping[str, object]) -> SnapshotId:
        """Makes the result of a merge durable; returns the snapshot id.

        Its row may follow: what no row needs yet is kept for a day.
        """
        return self._keep(replace(merge.snapshot, about=about), merge.objects.store)

    def keep_again(self, snapshot: Snapshot, about: Mapping[str, object]) -> SnapshotId:
        """Keeps the content of a snapshot as another one as well, as `keep_merge` does."""
        return self._keep(replace(snapshot, about=about), lambda _: None)

    def _keep(self, snapshot: Snapshot, store: Callable[[Put], object]) -> SnapshotId:
        with self._store.writing(doing="saving a snapshot"):
            pack = self._store.new_pack()
            try:
                store(pack.put)
                identity = pack.put_root(record.to_bytes(snapshot))
                pack.seal(identity)
            finally:
                pack.discard()
        return SnapshotId(identity.hex())
