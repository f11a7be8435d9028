"""The archive of a project: captures directories into its store and restores them from it."""

import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cleveragents.counting import size as told_size
from cleveragents.errors import Damaged, Differs
from cleveragents.ids import SnapshotId
from cleveragents.once import once
from cleveragents.records import frozen, replace
from cleveragents.snapshots.capture import Capture, named
from cleveragents.snapshots.extraction import extract
from cleveragents.snapshots.healing import Safeguard, SnapshotHealer
from cleveragents.snapshots.merging import MergeResult, SnapshotReader
from cleveragents.snapshots.picking import additions, is_excluded
from cleveragents.snapshots.seen import LiveSnapshot, UnstoredObjects
from cleveragents.snapshots.store import forgotten
from cleveragents.snapshots.store.inspection import Inspection
from cleveragents.snapshots.store.store import CleanResult, Store, Swept
from cleveragents.snapshots.store.traverse import Verifier, reachable
from cleveragents.snapshots.trackers import Trackers
from cleveragents.snapshots.tree import beneath, long_work, record
from cleveragents.snapshots.tree.content import HASH_ONLY
from cleveragents.snapshots.tree.diff import Load, compare
from cleveragents.snapshots.tree.filter import NEVER, Filter
from cleveragents.snapshots.tree.live_scan import Bounds
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.record import Roots, Snapshot
from cleveragents.snapshots.tree.scan import Excluded, shown
from cleveragents.snapshots.tree.tracker import Tracker
from cleveragents.snapshots.tree.tracking import Tracking
from cleveragents.snapshots.tree.tree import Tree
from cleveragents.snapshots.way import (
    BEFORE_BYTES,
    RESERVE_BYTES,
    Changes,
    Way,
    lost,
    make_room,
    neither,
    refuse_in_the_way,
    refuse_lost,
    refuse_too_large,
    refuse_without_space,
)
from cleveragents.snapshots.write.aside import TRIED_AGAIN, Purges
from cleveragents.snapshots.write.filling import Filling, nearby
from cleveragents.snapshots.write.foreign import refuse_foreign
from cleveragents.snapshots.write.protection import refuse_protected
from cleveragents.snapshots.write.restore import is_rounded, place
from cleveragents.storage.durability import sync_file_system

if TYPE_CHECKING:
    from cleveragents.snapshots.erasing import Eraser

MAIN = record.MAIN
ALL = Bounds()
MUCH = 1 << 30  # bytes; to copy more than that is told before


@frozen
class RestoreResult:
    """The changes of a restore."""

    changes: Changes
    kept: tuple[str, ...]  # directories that stay because they hold excluded content


class Archive(SnapshotHealer):
    """Snapshots of one project; the only way into its store."""

    def __init__(
        self,
        store: Store,
        tracking: Tracking = Tracking.AUTO,
        tell: Callable[[str], None] = lambda _: None,
        watch: long_work.Watch = lambda _: None,
    ) -> None:
        super().__init__(store, tell)
        self._watch = watch
        self._trackers = Trackers(store, tracking, tell)
        self._purging = Purges()

    @contextmanager
    def capture(self, roots: Roots, filter_: Filter, *, full: bool = False) -> Generator[Capture]:
        """Looks at the roots; what is not committed within the block is thrown away.

        No sweep runs before the block ends: write the row inside it.
        """
        trackers = {name: self._trackers.of(name, path, filter_) for name, path in roots.items()}
        with self._capture(trackers, filter_, "saving files", full=full) as capture:
            yield capture

    @contextmanager
    def capture_once(self, path: Path, excluded: Excluded) -> Generator[Capture]:
        """Captures the project, which is not ours: what is known of it is kept beside the store."""
        tracker = self._trackers.of_project(path, excluded)
        doing = "reading the project"
        with self._capture({MAIN: tracker}, Filter(), doing, full=True) as capture:
            yield capture
            self._trackers.keep(tracker)

    @contextmanager
    def capture_live(
        self, root: Path, filter_: Filter, cache: Path, *, full: bool = False, bounds: Bounds = ALL
    ) -> Generator[Capture]:
        """Captures a directory that is not ours, in which others are at work.

        No single path stops it: what cannot be taken is left out and listed, and the filter of the
        capture names it, so that whoever goes by the snapshot leaves it alone. What is known of the
        directory is kept at `cache`, beside the store, now and then and by `close`. Raises
        TooMuchNew beyond the bounds.
        """
        known = filter_.and_patterns(NEVER.patterns)
        tracker = self._trackers.of_live(root, known, cache, bounds)
        with self._capture({MAIN: tracker}, known, "saving files", full=full) as capture:
            yield capture
            self._trackers.keep_in_time(tracker)

    def live_now(
        self, root: Path, filter_: Filter, cache: Path, *, full: bool = False, bounds: Bounds = ALL
    ) -> LiveSnapshot:
        """Looks at such a directory; takes no lock and stores nothing."""
        known = filter_.and_patterns(NEVER.patterns)
        tracker = self._trackers.of_live(root, known, cache, bounds)
        return LiveSnapshot.of_live(tracker, known, self._store.read, full=full)

    def seen(self, capture: Capture) -> LiveSnapshot:
        """What a capture has found, read whether it is stored by now or not."""
        snapshot = Snapshot(capture.roots, capture.filter, capture.not_captured, {})
        objects = UnstoredObjects(capture.trackers.values(), self._store.read)
        return LiveSnapshot(snapshot, SnapshotReader(objects))

    def see(self, roots: Roots, filter_: Filter) -> LiveSnapshot:
        """Looks at everything in the roots; takes no lock and stores nothing."""
        trackers = {name: self._trackers.of(name, path, filter_) for name, path in roots.items()}
        return LiveSnapshot.of(trackers, filter_, self._store.read)

    def see_once(self, path: Path, excluded: Excluded, beside: LiveSnapshot) -> LiveSnapshot:
        """Looks at the project, which is not ours, in the same way; what reads it reads both."""
        trackers = {MAIN: self._trackers.of_project(path, excluded)}
        return LiveSnapshot.of(trackers, Filter(), beside.through.read)

    @contextmanager
    def _capture(
        self, trackers: Mapping[str, Tracker], filter_: Filter, doing: str, *, full: bool
    ) -> Generator[Capture]:
        with self._store.writing(doing="saving a snapshot"):
            pack = self._store.new_pack()
            for tracker in trackers.values():
                tracker.expect(self._store.losses)
            try:
                with long_work.told(self._watch, doing):
                    capture = Capture(pack, trackers, filter_, full=full)
                yield capture
            finally:
                pack.discard()

    def holding(self, doing: str) -> AbstractContextManager[object]:
        """While held, nothing that is stored goes."""
        return self._store.writing(doing=doing)

    def remember(self, roots: Roots) -> None:
        """Keeps what is known of directories for the next process."""
        self._trackers.remember(roots)

    def release(self, roots: Roots) -> None:
        """Keeps what is known of directories, and follows their changes no longer."""
        self.wait_for_purging()
        self._trackers.release(roots)

    def close(self) -> None:
        """Follows no directory any more, once nothing of one is being removed."""
        self.wait_for_purging()
        self._trackers.close()

    def changes_from_now(self, snapshot: Snapshot, roots: Roots) -> Changes:
        """Tells what must change to get from the directories as they are to the snapshot."""
        return self._way_to(snapshot, roots)[0].changes

    def reading_once(self) -> AbstractContextManager[None]:
        """While inside, this thread reads an object that is stored once, unless it is large."""
        return self._store.once.block()

    def way_to(self, snapshot: Snapshot, roots: Roots, seen: Capture | None = None) -> Way:
        """Tells what a restore would change, after verifying that it could be carried out.

        It looks at everything, or leads from what was just seen, if that leaves out the same.
        """
        try:
            if seen is not None and seen.filter == snapshot.filter:
                way, excluded = self._way_from(seen.roots, snapshot, roots)
            else:
                way, excluded = self._way_to(snapshot, roots, full=True)
        except Damaged as error:
            raise lost(self.damaged(snapshot) or [error.message]) from error
        _refuse(way, roots, excluded, self.verifier())
        return way

    def edited(self, way: Way, target: Snapshot, saved: Safeguard, roots: Roots) -> Changes | None:
        """Tells what of a way nobody has saved: it was written since. None: that cannot be told."""
        trackers = {name: self._trackers.of(name, roots[name], target.filter) for name in way.seen}
        try:
            was = self.load(saved)
            since: Changes = {
                name: list(compare(seen, was.roots.get(name), self._reading(trackers[name])))
                for name, seen in way.seen.items()
            }
        except Damaged:
            return None
        return neither(since, way.changes)

    def left_out(self, roots: Roots, filter_: Filter) -> list[bytes]:
        """Returns what a capture of directories would leave out, each directory once."""
        return list(self._trackers.of(MAIN, roots[MAIN], filter_).state(HASH_ONLY).excluded)

    def refuse_way(self, roots: Roots, put_together: MergeResult, filter_: Filter) -> None:
        """Refuses to place what was put together of directories as they are if it could not be."""
        way = Way(put_together.ours.roots, {MAIN: list(put_together.changes)})
        excluded = self._trackers.of(MAIN, roots[MAIN], filter_).left_out()
        _refuse(way, roots, excluded, Verifier(put_together.objects.read))

    def read_file(self, entry: Entry) -> bytes:
        """Returns the bytes of a file of at most one chunk, or the text of a link."""
        return self._store.read(entry.content)

    def restore(self, snapshot: Snapshot, roots: Roots, staging: Path) -> RestoreResult:
        """Makes the directories equal to the snapshot; to call it again after a crash is enough.

        Every needed object is verified before anything changes. Afterwards the directories are
        scanned and compared, and their file system is synced: success means it is so.
        """
        with self.reading_once():
            restored = self.go(self.way_to(snapshot, roots), snapshot, roots, staging)
        self.purge(staging)
        return restored

    def fill(self, snapshot: Snapshot, roots: Roots, staging: Path, project: Path) -> int:
        """Makes new, empty directories equal to a snapshot; what a crash leaves is for nobody.

        Files are taken from the project where that has the same. Afterwards all is looked at and
        synced: success means it is so. Returns how many files there are.
        """
        staging.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            size = refuse_too_large(snapshot.roots, roots, staging, self._store.read)
            if size > MUCH:
                self._tell(f"the sandbox is a copy of about {told_size(size)}")
            with beneath.root_directory(staging) as staging_fd:
                with long_work.told(self._watch, "making the sandbox", of_size=size):
                    files = self._fill(snapshot, roots, staging_fd, project)
                self._verify(snapshot, roots, [], staging_fd)
        except Damaged as error:
            raise lost(self.damaged(snapshot) or [error.message]) from error
        sync_file_system(roots[MAIN])
        return files

    def _fill(self, snapshot: Snapshot, roots: Roots, staging: int, project: Path) -> int:
        filling = Filling(staging, self._store.read)
        trees: dict[str, Tree] = {}
        with nearby(project) as near:
            for name, path in roots.items():
                with beneath.root_directory(path) as top:
                    source = near if name == MAIN else None
                    trees[name] = filling.fill(top, snapshot.roots[name], source)
        filling.doubt_latest(trees.values())
        for name, tree in trees.items():
            self._trackers.of(name, roots[name], snapshot.filter).begin_with(tree)
        return trees[MAIN].files

    def go(self, way: Way, snapshot: Snapshot, roots: Roots, staging: Path) -> RestoreResult:
        """Goes a way that was just looked for, to a snapshot.

        It leaves what had to go aside: `purge` it when nobody waits any more.
        """
        self._refuse_full(way, roots, staging, RESERVE_BYTES)
        kept: list[bytes] = []
        with beneath.root_directory(staging) as staging_fd:
            with self.working("restoring files", way.changes):
                for name, wanted in way.changes.items():
                    kept += place(roots[name], staging_fd, wanted, self._store.read)
            self._verify(snapshot, roots, kept, staging_fd)
        make_room(staging)
        for path in {path.stat().st_dev: path for path in roots.values()}.values():
            sync_file_system(path)
        return RestoreResult(way.changes, tuple(map(shown, kept)))

    def working(self, doing: str, changes: Changes) -> AbstractContextManager[None]:
        """While inside, it is told how far the work on changes has come."""
        come = [change.after for listed in changes.values() for change in listed if change.after]
        files = [entry.size for entry in come if entry.is_file]
        return long_work.told(self._watch, doing, of_files=len(files), of_size=sum(files))

    def reading_back(self, what: str) -> AbstractContextManager[None]:
        """While inside, it is told how much was read back of what is stored."""
        return long_work.told(self._watch, f"reading {what} back")

    def refuse_full(self, way: Way, roots: Roots, staging: Path) -> None:
        """Refuses a way for which there is no space; whoever asks first need not begin it."""
        self._refuse_full(way, roots, staging, BEFORE_BYTES)

    def _refuse_full(self, way: Way, roots: Roots, staging: Path, reserve: int) -> None:
        staging.mkdir(parents=True, exist_ok=True, mode=0o700)
        refuse_without_space(way, roots, staging, self._store.read, reserve)

    def purge(self, staging: Path) -> None:
        """Begins to remove what restores have put aside."""
        self._purging.start(staging)

    def wait_for_purging(self) -> None:
        """Returns when nothing is removed in the background any more."""
        self._purging.wait()

    def add_left_out(self, state: Snapshot, base: Snapshot, root: Path, staging: Path) -> None:
        """Adds what a base has at the paths that a state leaves out, where nothing stands yet."""
        ways = (self.lookup(state), self.lookup(base))
        differing = compare(state.roots[MAIN], base.roots[MAIN], self._store.read)
        paths = [change.path for change in differing if is_excluded(state.filter, change.path)]
        changes = [
            change
            for change in additions(paths, *ways)
            if not os.path.lexists(os.path.join(os.fsencode(root), change.path))
        ]
        with beneath.root_directory(staging) as staging_fd:
            place(root, staging_fd, changes, self._store.read)
        sync_file_system(root)

    def extract(self, snapshot: Snapshot, target: Path) -> list[str]:
        """Writes what is intact of a snapshot's files to a new directory; returns what is not."""
        extract(snapshot.roots[MAIN], target, self._store.read)
        return self.damaged(replace(snapshot, roots={MAIN: snapshot.roots[MAIN]}))

    def inspect(self) -> Inspection:
        """Reads every pack of the store back."""
        with long_work.told(self._watch, "reading what is stored", of_size=self._store.size):
            return self._store.inspect()

    @property
    def size(self) -> int:
        """The bytes of all packs."""
        return self._store.size

    def join(self) -> None:
        """Makes few packs of many; what stands in its way is told, for nothing depends on it."""
        try:
            self._store.join()
        except OSError as error:
            self._tell(f"packs could not be joined: {error.strerror}")

    def clean(self) -> CleanResult:
        """Removes the unfinished packs that dead processes left in the store."""
        return self._store.clean()

    def refuse_damaged(self, snapshot: Snapshot) -> None:
        """Refuses a snapshot that cannot be restored as a whole."""
        if paths := self.damaged(snapshot):
            raise lost(paths)

    def forget(self, snapshots: Iterable[SnapshotId]) -> None:
        """Notes snapshots whose rows are about to go: nobody is to take them for lost ones."""
        forgotten.add(self._store.directory, snapshots)

    def made_for(self, plans: Collection[str]) -> Iterator[SnapshotId]:
        """Yields the snapshots that were made for plans, whatever of them rows tell of."""
        for identity in map(SnapshotId, map(bytes.hex, self._store.roots())):
            with suppress(Damaged):
                if self.load(identity).about.get("plan_id") in plans:
                    yield identity

    @property
    def is_erasing(self) -> bool:
        """Whether paths were to be erased, and that was not finished."""
        return forgotten.has_begun(self._store.directory)

    @once
    def eraser(self) -> "Eraser":
        """Lets go of paths in all that is stored."""
        from cleveragents.snapshots.erasing import Eraser  # noqa: PLC0415 - few need it

        return Eraser(self._store, self._trackers, self._watch)

    @property
    def forgotten(self) -> set[SnapshotId]:
        """The snapshots of which that was noted."""
        return set(map(SnapshotId, forgotten.read(self._store.directory)))

    def sweep(
        self, live: Callable[[], set[SnapshotId]], gone: Iterable[SnapshotId]
    ) -> Swept | None:
        """Frees what only forgotten snapshots need; None if the store is in use just now."""
        with long_work.told(self._watch, "freeing space"):
            return self._store.sweep(
                lambda: set(map(bytes.fromhex, live())),
                set(map(bytes.fromhex, gone)),
                self._reachable,
            )

    def _way_to(
        self, snapshot: Snapshot, roots: Roots, *, full: bool = False
    ) -> tuple[Way, list[bytes]]:
        """Returns what must change, and the excluded paths that were met and will stay."""
        seen = {
            name: self._trackers.of(name, path, snapshot.filter).state(HASH_ONLY, full=full).root
            for name, path in roots.items()
        }
        return self._way_from(seen, snapshot, roots)

    def _way_from(
        self, seen: Mapping[str, Entry], snapshot: Snapshot, roots: Roots
    ) -> tuple[Way, list[bytes]]:
        """Returns the same for directories as their trackers have just seen them."""
        changes: Changes = {}
        stay: list[bytes] = []
        for name, path in roots.items():
            tracker = self._trackers.of(name, path, snapshot.filter)
            there = snapshot.roots.get(name)
            changes[name] = list(compare(seen[name], there, self._reading(tracker)))
            stay += tracker.left_out()
        return Way(seen, changes), stay

    def _reading(self, tracker: Tracker) -> Load:
        """Reads what is stored, and directories that a tracker has seen and nobody has stored."""
        return UnstoredObjects([tracker], self._store.read)

    def still(self, known: Way, snapshot: Snapshot, roots: Roots) -> bool:
        """Tells whether a way to a snapshot that is known still leads from the present."""
        now = {
            name: self._trackers.of(name, path, snapshot.filter).state(HASH_ONLY).root
            for name, path in roots.items()
        }
        return now == known.seen

    def _reachable(self, roots: set[bytes]) -> set[bytes]:
        entries: list[Entry] = []
        for identity in roots:
            entries += record.from_bytes(self._store.read(identity)).roots.values()
        self._trackers.doubt_all_but({entry.content for entry in entries})
        return roots | reachable(
            entries, self._store.read, self._store.bases, self._store.revisions()
        )

    def _verify(self, snapshot: Snapshot, roots: Roots, kept: list[bytes], staging: int) -> None:
        """Looks whether the directories are what they shall be; if so, all of them is stored."""
        way, _ = self._way_to(snapshot, roots)
        left = [
            (named(name, change.path), is_rounded(change, staging))
            for name, changes in way.changes.items()
            for change in changes
            if change.path not in kept
        ]
        if wrong := [path for path, rounded in left if not rounded]:
            raise Differs(
                "the restored files differ from the checkpoint: were they written to meanwhile?",
                detail=wrong,
                hints=[TRIED_AGAIN],
            )
        for path, _ in left:
            self._tell(f"{path}: its file system cannot hold the file's time and took the nearest")
        for name, path in roots.items():
            if way.seen[name] == snapshot.roots.get(name):
                self._trackers.of(name, path, snapshot.filter).mark_stored()


def _refuse(way: Way, roots: Roots, excluded: Iterable[bytes], verifier: Verifier) -> None:
    """Refuses a way that could not be completed."""
    refuse_in_the_way(way.changes[MAIN], excluded)
    refuse_lost(way, verifier)
    for name, changes in way.changes.items():
        refuse_foreign(roots[name], changes)
        refuse_protected(roots[name], changes)
