"""Heals an archive: finds lost objects wherever identical content still is.

Before anything is replaced or removed, what is stored of it is read back. What cannot be read is
stored again, whole, while the files are still there: nothing deletes the only good copy.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NewType

from cleveragents.counting import counted
from cleveragents.errors import CleverAgentsError, Damaged, Failed, Interrupted
from cleveragents.ids import SnapshotId
from cleveragents.snapshots.capture import named
from cleveragents.snapshots.keeping import SnapshotWriter
from cleveragents.snapshots.merging import MergeResult
from cleveragents.snapshots.store.mending import Mender
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.store.traverse import Verifier
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.record import MAIN, Snapshot
from cleveragents.snapshots.tree.scan import Excluded
from cleveragents.snapshots.tree.tracker import Tracker
from cleveragents.snapshots.tree.tracking import Tracking
from cleveragents.snapshots.way import Changes
from cleveragents.snapshots.write.look import look_at

TOLD = 5  # paths that a note names
# A snapshot that gives back what is about to go: it was read back where that stands. Nothing that
# somebody may want goes without one, so it is made here, where an intent that was given one is read
# again (`checkpoints/stored.py`), and where files are brought to that very snapshot.
Safeguard = NewType("Safeguard", SnapshotId)
Search = Callable[[Mender], object]  # offers whatever is found to be mended with


class SnapshotHealer(SnapshotWriter):
    """The part of an archive that reads back, and stores again what was lost."""

    def __init__(self, store: Store, tell: Callable[[str], None]) -> None:
        super().__init__(store)
        self._tell = tell

    def verifier(self, known: Mapping[bytes, bool] | None = None) -> Verifier:
        """Reads snapshots back; what several of them share, or what is known, is read once."""
        return Verifier(self._store.read, known or self._store.once.lost())

    def damaged(self, snapshot: Snapshot, verifier: Verifier | None = None) -> list[str]:
        """Reads everything back; returns the paths that are damaged or missing."""
        return _unreadable(snapshot, None, verifier or self.verifier())

    def secure(
        self, snapshot_id: SnapshotId, roots: Mapping[str, Path], going: Changes | None = None
    ) -> Safeguard:
        """Makes sure that a snapshot gives back what is about to go from directories of ours.

        Read back are the paths of `going`, with the directories that lead there, or all of it.
        What cannot be read is stored again from the directories; else it is refused.
        """
        filter_ = self.load(snapshot_id).filter

        def search(mending: Mender) -> None:
            for name, path in roots.items():
                chosen = filter_ if name == MAIN else Filter()
                self._once(path, chosen.excludes, borrow=True).state(mending, full=True)

        return self._secure(snapshot_id, going, search)

    def secure_merged(self, snapshot_id: SnapshotId, merge: MergeResult) -> Safeguard:
        """Makes sure that a snapshot gives back what a merge replaces, from what it has read."""
        going = {MAIN: list(merge.changes)}
        return self._secure(snapshot_id, going, lambda mending: merge.objects.store(mending.put))

    def secure_outside(self, snapshot_id: SnapshotId, root: Path, going: Changes) -> Safeguard:
        """Makes sure that a snapshot gives back single paths of a directory that is not ours."""

        def search(mending: Mender) -> None:
            with beneath.root_directory(root) as fd:
                look_at(fd, [change.path for change in going[MAIN]], mending.put)

        return self._secure(snapshot_id, going, search)

    def _secure(self, snapshot_id: SnapshotId, going: Changes | None, search: Search) -> Safeguard:
        snapshot = self.load(snapshot_id)
        lost: dict[str, None] = {}
        tried: set[bytes] = set()
        verifier = self.verifier()
        # A directory that is read again may lead to more that cannot be read.
        while paths := _unreadable(snapshot, going, verifier):
            if verifier.missed <= tried or not self._mend(verifier.missed, snapshot_id, search):
                raise _refusal(paths)
            tried |= verifier.missed
            lost |= dict.fromkeys(paths)
            verifier = self.verifier()
        if lost:
            self._tell(_healed(list(lost)))
        return Safeguard(snapshot_id)

    def mend(
        self,
        missed: Collection[bytes],
        snapshot_id: SnapshotId,
        places: Iterable[tuple[Path, Filter]],
    ) -> int:
        """Stores lost objects again that damaged packs or directories still have; counts them.

        Directories are only read; one that cannot be is told and passed over.
        """

        def search(mending: Mender) -> None:
            for path, filter_ in places:
                try:
                    self._once(path, filter_.excludes).state(mending, full=True)
                except Interrupted:
                    raise
                except (CleverAgentsError, OSError) as error:
                    self._tell(f"{path} could not be searched as a whole: {error}")

        return self._mend(missed, snapshot_id, search)

    def _mend(self, missed: Collection[bytes], snapshot_id: SnapshotId, search: Search) -> int:
        with self._store.writing(doing="mending the store"):
            mending = self._store.mending(missed)
            try:
                search(mending)
                mending.seal(bytes.fromhex(snapshot_id))
            except OSError as error:
                told = f"lost content could not be stored again: {error.strerror}"
                hints = ["mend that, then try again"]
                raise Failed(f"{told}; nothing was changed", hints=hints) from error
            finally:
                mending.discard()
        self._store.open()
        return mending.healed

    def _once(self, path: Path, excluded: Excluded, *, borrow: bool = False) -> Tracker:
        """Looks at a directory as if for the first and last time."""
        return Tracker(
            path,
            excluded=excluded,
            tracking=Tracking.SCAN,
            cache=None,
            borrow=borrow,
            tell=self._tell,
        )


def _unreadable(snapshot: Snapshot, going: Changes | None, verifier: Verifier) -> list[str]:
    """Returns the paths that cannot be had intact: of all, or of those that go."""
    found: list[str] = []
    for name, root in snapshot.roots.items():
        if going is None:
            paths = verifier.damaged_paths(b"", root)
        else:
            changed = (change.path for change in going.get(name, ()))
            paths = verifier.damaged_at(root, changed)
        found += [named(name, path) for path in paths]
    return found


def _refusal(paths: Sequence[str]) -> Damaged:
    return Damaged(
        f"what is stored of {counted(len(paths), 'path')} is damaged and could not be stored "
        "again; nothing was changed",
        detail=paths,
        hints=["look for intact copies: agents doctor --repair"],
    )


def _healed(paths: Sequence[str]) -> str:
    names = ", ".join(paths[:TOLD]) + (" and more" if len(paths) > TOLD else "")
    return (
        f"what was stored of {counted(len(paths), 'path')} was damaged; it was stored again "
        f"from the files: {names}"
    )
