"""The archive of a project: captures directories into its store and restores them from it."""

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cleveragents.errors import Damaged, Failed, Refused
from cleveragents.snapshots import beneath, record
from cleveragents.snapshots.content import bytes_needed
from cleveragents.snapshots.diff import Load, compare
from cleveragents.snapshots.durability import sync_file_system
from cleveragents.snapshots.filter import Filter
from cleveragents.snapshots.manifest import Change, Directory, Entry, decode, encode, object_id
from cleveragents.snapshots.record import Snapshot
from cleveragents.snapshots.restore import place
from cleveragents.snapshots.scan import EXCLUDED, Excluded, Scan, StatCache, scan, shown
from cleveragents.snapshots.store import NewPack, Store, Swept
from cleveragents.snapshots.traverse import damaged_paths, reachable

MAIN = "tree"  # the root that filters apply to
RESERVE_BYTES = 16 << 20  # left free, so that the closing transaction still finds room
Roots = Mapping[str, Path]  # the directories of a snapshot, by the name of the root
Changes = dict[str, list[Change]]  # by the name of the root, parents before children


class Capture:
    """A scanned state that is not stored yet; `commit` makes it durable."""

    def __init__(self, pack: NewPack, scans: Mapping[str, Scan], filter_: Filter) -> None:
        self._pack = pack
        self._scans = scans
        self._filter = filter_
        self.roots = {name: found.root for name, found in scans.items()}
        self.files = sum(found.files for found in scans.values())
        self.size_bytes = 0  # known after the commit
        self.not_captured = tuple(
            f"{_named(name, path)}: {why}"
            for name, found in scans.items()
            for path, why in found.not_captured
        )

    def commit(self, about: Mapping[str, object]) -> str:
        """Stores the root record and makes everything durable; returns the snapshot id."""
        snapshot = Snapshot(self.roots, self._filter, self.not_captured, about)
        identity = self._pack.put(record.to_bytes(snapshot))
        self.size_bytes = self._pack.finish(identity)
        for found in self._scans.values():
            found.remember()
        return identity.hex()


@dataclass(frozen=True)
class Restored:
    """What a restore changed."""

    changes: Changes
    kept: tuple[str, ...]  # directories that stay because they hold excluded content


class Archive:
    """Snapshots of one project; the only way into its store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._caches: dict[Path, StatCache] = {}

    @contextmanager
    def capture(
        self,
        roots: Roots,
        filter_: Filter,
        *,
        excluded: Excluded | None = None,
        borrow: bool = True,
    ) -> Generator[Capture]:
        """Scans the roots; what is not committed within the block is thrown away.

        `excluded` stands in for the filter where the caller knows better (a project's ignored
        files). No sweep runs before the block ends: write the row inside it.
        """
        with self._store.writing(doing="saving a snapshot"):
            pack = self._store.new_pack()
            try:
                scans = {
                    name: scan(
                        path,
                        pack,
                        excluded=_for_root(name, excluded or filter_.excludes),
                        cache=self._cache(path),
                        borrow=borrow,
                    )
                    for name, path in roots.items()
                }
                yield Capture(pack, scans, filter_)
            finally:
                pack.discard()

    def load(self, snapshot_id: str) -> Snapshot:
        """Reads the root record of a snapshot."""
        return record.from_bytes(self._store.read(bytes.fromhex(snapshot_id)))

    def changes(self, before: Snapshot, after: Snapshot) -> Changes:
        """Tells what differs between two snapshots."""
        names = sorted(before.roots.keys() | after.roots.keys())
        return {
            name: list(compare(before.roots.get(name), after.roots.get(name), self._directory))
            for name in names
        }

    def changes_from_now(self, snapshot: Snapshot, roots: Roots) -> Changes:
        """Tells what must change to get from the directories as they are to the snapshot."""
        return self._way_to(snapshot, roots)[0]

    def read_file(self, entry: Entry) -> bytes:
        """Returns the bytes of a file of at most one chunk, or the text of a link."""
        return self._store.read(entry.content)

    def restore(self, snapshot: Snapshot, roots: Roots, staging: Path) -> Restored:
        """Makes the directories equal to the snapshot; to call it again after a crash is enough.

        Every needed object is verified before anything changes. Afterwards the directories are
        scanned and compared, and their file system is synced: success means it is so.
        """
        changes, excluded = self._way_to(snapshot, roots)
        _refuse_in_the_way(changes[MAIN], excluded)
        self._refuse_damaged(changes)
        staging.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._refuse_without_space(changes, staging)
        kept: list[bytes] = []
        with beneath.root_directory(staging) as staging_fd:
            for name, wanted in changes.items():
                with beneath.root_directory(roots[name]) as root:
                    kept += place(root, staging_fd, wanted, self._store.read)
        self._verify(snapshot, roots, kept)
        for path in roots.values():
            sync_file_system(path)
        return Restored(changes, tuple(map(shown, kept)))

    def damaged(self, snapshot: Snapshot) -> list[str]:
        """Reads everything back; returns the paths that are damaged or missing."""
        return [
            _named(name, path)
            for name, root in snapshot.roots.items()
            for path in damaged_paths(b"", root, self._store.read)
        ]

    def sweep(self, live: Callable[[], set[str]], forgotten: Iterable[str]) -> Swept | None:
        """Frees what only forgotten snapshots need; None if the store is in use just now."""
        self._caches.clear()  # they may speak of content that goes
        return self._store.sweep(
            lambda: set(map(bytes.fromhex, live())),
            set(map(bytes.fromhex, forgotten)),
            self._reachable,
        )

    def _way_to(self, snapshot: Snapshot, roots: Roots) -> tuple[Changes, list[bytes]]:
        """Returns what must change, and the excluded paths that were met and will stay."""
        changes: Changes = {}
        stay: list[bytes] = []
        for name, target in snapshot.roots.items():
            unstored = _Unstored(self._directory)
            excluded = _for_root(name, snapshot.filter.excludes)
            found = scan(roots[name], unstored, excluded=excluded, cache=self._cache(roots[name]))
            changes[name] = list(compare(found.root, target, unstored.load))
            stay += [path for path, why in found.not_captured if why == EXCLUDED]
        return changes, stay

    def _reachable(self, roots: set[bytes]) -> set[bytes]:
        entries: list[Entry] = []
        for identity in roots:
            try:
                entries += record.from_bytes(self._store.read(identity)).roots.values()
            except Damaged:
                continue  # nothing can be reached through a record that is lost
        return roots | reachable(entries, self._store.read)

    def _refuse_damaged(self, changes: Changes) -> None:
        bad = [
            _named(name, path)
            for name, wanted in changes.items()
            for change in wanted
            if change.after is not None and not change.after.is_dir
            for path in damaged_paths(change.path, change.after, self._store.read)
        ]
        if bad:
            raise Damaged(
                f"stored content is damaged ({len(bad)} paths); nothing was changed", detail=bad
            )

    def _refuse_without_space(self, changes: Changes, staging: Path) -> None:
        needed = sum(
            bytes_needed(change.after, self._store.read)
            for wanted in changes.values()
            for change in wanted
            if change.after is not None
        )
        free = os.statvfs(staging)
        if needed + RESERVE_BYTES > free.f_bavail * free.f_frsize:
            raise Failed(
                f"not enough space to restore {needed} bytes; nothing was changed",
                hints=["free some space and try again"],
            )

    def _verify(self, snapshot: Snapshot, roots: Roots, kept: list[bytes]) -> None:
        wrong = [
            _named(name, change.path)
            for name, left in self.changes_from_now(snapshot, roots).items()
            for change in left
            if change.path not in kept
        ]
        if wrong:
            raise Failed("the restored files differ from the checkpoint", detail=wrong)

    def _directory(self, identity: bytes) -> Directory:
        return decode(self._store.read(identity))

    def _cache(self, path: Path) -> StatCache:
        return self._caches.setdefault(path, StatCache())


class _Unstored:
    """Takes what a scan finds without storing it; directories can be loaded again."""

    def __init__(self, stored: Load) -> None:
        self._stored = stored
        self._directories: dict[bytes, Directory] = {}

    def put(self, data: bytes) -> bytes:
        return object_id(data)

    def put_directory(self, directory: Directory) -> bytes:
        identity = object_id(encode(directory))
        self._directories[identity] = directory
        return identity

    def load(self, identity: bytes) -> Directory:
        found = self._directories.get(identity)
        return self._stored(identity) if found is None else found


def _for_root(name: str, excludes: Excluded) -> Excluded:
    return excludes if name == MAIN else _nothing


def _nothing(_: bytes) -> bool:
    return False


def _refuse_in_the_way(changes: list[Change], excluded: list[bytes]) -> None:
    """Refuses to put a file where a directory holds excluded ones, before anything changes."""
    for change in changes:
        inside = change.path + b"/"
        if change.after is None or change.after.is_dir:
            continue
        blocked = [shown(path) for path in excluded if path.startswith(inside)]
        if blocked:
            raise Refused(
                f"{shown(change.path)} cannot be restored: excluded files are in the way",
                detail=blocked,
                hints=["move them away; what is excluded is never deleted"],
            )


def _named(root: str, path: bytes) -> str:
    return shown(path) if root == MAIN else f"{root}/{shown(path)}"
