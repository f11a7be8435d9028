"""Merges of an archive: of snapshots with each other, and with a directory that is not ours."""

import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from cleveragents.ids import SnapshotId
from cleveragents.records import frozen, replace
from cleveragents.snapshots.merge import (
    LeftAlone,
    MergeConflict,
    MergeText,
    PendingMerge,
    three_way,
    with_links_settled,
)
from cleveragents.snapshots.tree import beneath, record, tree_path
from cleveragents.snapshots.tree.diff import Load, alike, compare
from cleveragents.snapshots.tree.lookup import Lookup, with_entries
from cleveragents.snapshots.tree.manifest import Change, Entry, encode, object_id
from cleveragents.snapshots.tree.record import MAIN, Snapshot
from cleveragents.snapshots.way import Changes
from cleveragents.snapshots.write.exchange import Exchange
from cleveragents.snapshots.write.look import look_at
from cleveragents.snapshots.write.owners import Owners
from cleveragents.snapshots.write.restore import place
from cleveragents.storage.scratch import scratch_directory


@frozen
class MergeResult:
    """Ours with what theirs changed; nothing of it is stored before `Keeping.keep_merge`."""

    ours: Snapshot
    snapshot: Snapshot  # ours, with the merged files in place of its own
    changes: tuple[Change, ...]  # from ours to the result, parents before children
    conflicts: tuple[MergeConflict, ...]  # paths where the result holds only what ours has
    objects: PendingMerge


class SnapshotReader:
    """Merges what can be read, stored or not; it stores nothing itself."""

    def __init__(self, read: Load) -> None:
        self.read = read

    def load(self, snapshot_id: SnapshotId) -> Snapshot:
        """Reads the root record of a snapshot."""
        return record.from_bytes(self.read(bytes.fromhex(snapshot_id)))

    def changes(self, before: Snapshot, after: Snapshot) -> Changes:
        """Tells what differs between two snapshots."""
        names = sorted(before.roots.keys() | after.roots.keys())
        return {
            name: list(compare(before.roots.get(name), after.roots.get(name), self.read))
            for name in names
        }

    def changes_at(self, head: bytes, before: Snapshot | None, after: Snapshot) -> Iterator[Change]:
        """Yields what differs at a path and in it; nothing else is looked at."""
        old = None if before is None else self.lookup(before).find(head)
        for change in compare(old, self.lookup(after).find(head), self.read):
            yield Change(tree_path.joined(head, change.path), change.before, change.after)

    def merge(
        self,
        base: Snapshot,
        ours: Snapshot,
        theirs: Snapshot,
        merge_text: MergeText,
        left_alone: LeftAlone = lambda _: False,
    ) -> MergeResult:
        """Merges the files of two snapshots that went their own ways from a common one."""
        olds, mine, others = (snapshot.roots[MAIN] for snapshot in (base, ours, theirs))
        objects = PendingMerge(self.read)
        left_alone = _or_unknown(left_alone, base, theirs)
        root, conflicts, _ = three_way(olds, mine, others, merge_text, objects, left_alone)
        changes = compare(mine, root, objects.read)
        snapshot = replace(ours, roots={**ours.roots, MAIN: root})
        return MergeResult(ours, snapshot, tuple(changes), conflicts, objects)

    def merge_into(
        self,
        root: Path,
        base: Snapshot,
        theirs: Snapshot,
        merge_text: MergeText,
        left_alone: LeftAlone,
    ) -> MergeResult:
        """Merges what a snapshot changed into a directory that is not ours, as it is.

        Only the paths that changed are looked at: all else is taken to be as in the base.
        """
        objects = PendingMerge(self.read)
        left_alone = _or_unknown(left_alone, base, theirs)
        paths = self._changed(base, theirs, left_alone)
        with beneath.root_directory(root) as fd:
            seen = look_at(fd, paths, objects.put)
        return self._merged_into(base, theirs, seen, objects, merge_text, left_alone)

    def merge_back(
        self, root: Path, base: Snapshot, theirs: Snapshot, merge_text: MergeText
    ) -> MergeResult:
        """Does the same where the base is what was brought there: it is stored, and not read."""
        objects = PendingMerge(self.read)
        brought = self.lookup(base)
        left_alone = _or_unknown(_nothing, base, theirs)
        with beneath.root_directory(root) as fd:
            seen = look_at(fd, self._changed(base, theirs, left_alone), object_id)
            new = [path for path, entry in seen.items() if not alike(entry, brought.find(path))]
            seen |= look_at(fd, new, objects.put)
        return self._merged_into(base, theirs, seen, objects, merge_text, left_alone)

    def _changed(self, base: Snapshot, theirs: Snapshot, left_alone: LeftAlone) -> list[bytes]:
        olds, others = _same_top(base, theirs)
        found = (change.path for change in compare(olds, others, self.read))
        return [path for path in found if not left_alone(path)]

    def _merged_into(
        self,
        base: Snapshot,
        theirs: Snapshot,
        seen: Mapping[bytes, Entry | None],
        objects: PendingMerge,
        merge_text: MergeText,
        left_alone: LeftAlone,
    ) -> MergeResult:
        olds, others = _same_top(base, theirs)
        mine = with_entries(olds, self._with_insides(olds, seen, objects), objects)
        merged, conflicts, _ = three_way(olds, mine, others, merge_text, objects, left_alone)
        changes = compare(mine, merged, objects.read)
        ours, result = (replace(base, roots={MAIN: root}) for root in (mine, merged))
        return MergeResult(ours, result, tuple(changes), conflicts, objects)

    def exchange(
        self, root: Path, old: SnapshotId, new: SnapshotId, mark: str, stamp_ns: int, owners: Owners
    ) -> Exchange:
        """Prepares the way of a directory that is not ours from one snapshot to another."""
        before, after = self.load(old).roots[MAIN], self.load(new).roots[MAIN]
        changes = list(compare(before, after, self.read))
        return Exchange(root, changes, mark, self.read, stamp_ns, owners)

    def export(self, merge: MergeResult, target: Path, *, after: bool) -> None:
        """Writes one version of everything a merge changes to an empty directory."""
        versions = [(c.path, c.after if after else c.before) for c in merge.changes]
        there = {path: entry for path, entry in versions if path and entry is not None}
        heads = {
            head: Entry(stat.S_IFDIR | 0o700)
            for path in there
            for head in tree_path.above(path)
            if head not in there
        }
        changes = [
            Change(path, None, entry._replace(link=b""))
            for path, entry in sorted({**heads, **there}.items())
        ]
        with (
            scratch_directory(target.parent) as staging,
            beneath.root_directory(staging) as staging_fd,
        ):
            place(target, staging_fd, changes, merge.objects.read)

    def _with_insides(
        self, base: Entry, seen: Mapping[bytes, Entry | None], objects: PendingMerge
    ) -> dict[bytes, Entry | None]:
        """Gives directories that were looked at from outside what the base has in them."""
        known = Lookup(base, self.read)
        empty = objects.put(encode({}))
        found: dict[bytes, Entry | None] = {}
        for path, entry in seen.items():
            inside = known.find(path)
            had = inside.content if inside is not None and inside.is_dir else empty
            found[path] = entry._replace(content=had) if entry and entry.is_dir else entry
        return found

    def lookup(self, snapshot: Snapshot) -> Lookup:
        """Finds single paths among the files of a snapshot."""
        return Lookup(snapshot.roots[MAIN], self.read)

    def with_entries(
        self,
        snapshot: Snapshot,
        wanted: Mapping[bytes, Entry | None],
        contents: Iterable[bytes] = (),
    ) -> MergeResult:
        """Puts other entries into the files of a snapshot; `contents` are not stored yet."""
        objects = PendingMerge(self.read)
        for data in contents:
            objects.put(data)
        before = snapshot.roots[MAIN]
        root = with_links_settled(before, with_entries(before, wanted, objects), objects)
        changes = compare(before, root, objects.read)
        changed = replace(snapshot, roots={**snapshot.roots, MAIN: root})
        return MergeResult(snapshot, changed, tuple(changes), (), objects)


def _nothing(_: bytes) -> bool:
    """Leaves no path alone."""
    return False


def _or_unknown(left_alone: LeftAlone, *sides: Snapshot) -> LeftAlone:
    """Leaves alone, too, what a side was to have and has not: nobody knows what stood there."""
    unknown = [side.filter.single for side in sides if side.filter.single.patterns]
    if not unknown:
        return left_alone
    return lambda path: left_alone(path) or not all(one.covers(path) for one in unknown)


def _same_top(base: Snapshot, theirs: Snapshot) -> tuple[Entry, Entry]:
    """Both roots; the directory itself stays as it is."""
    olds = base.roots[MAIN]
    return olds, olds._replace(content=theirs.roots[MAIN].content)
