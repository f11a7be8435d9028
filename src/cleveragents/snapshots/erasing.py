"""Erasing paths: snapshots are made again without them, then nothing of them stays in the store."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from cleveragents.ids import SnapshotId
from cleveragents.records import replace
from cleveragents.snapshots.merging import SnapshotReader
from cleveragents.snapshots.store import forgotten
from cleveragents.snapshots.store.new_pack import NewPack
from cleveragents.snapshots.store.scouring import refuse_lost, scour
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.store.traverse import reachable
from cleveragents.snapshots.trackers import Trackers
from cleveragents.snapshots.tree import content, long_work, record, tree_path
from cleveragents.snapshots.tree.content import Read
from cleveragents.snapshots.tree.filter import FORGOTTEN
from cleveragents.snapshots.tree.manifest import Entry, decode
from cleveragents.snapshots.tree.record import Roots, Snapshot
from cleveragents.snapshots.tree.scan import shown

_ID = re.compile(r"[0-9a-f]{64}")

Paths = Mapping[SnapshotId, Sequence[bytes]]  # which paths of each snapshot are meant
Renamed = Mapping[SnapshotId, SnapshotId]  # snapshots that were made again, by what they were
# Makes what a record tells of itself true again for other files; handed the new snapshot.
Restate = Callable[[Snapshot], Mapping[str, Any]]


class Eraser(SnapshotReader):
    """The part of an archive that lets go of paths in all that is stored."""

    def __init__(self, store: Store, trackers: Trackers, watch: long_work.Watch) -> None:
        super().__init__(store.read)
        self._store = store
        self._trackers = trackers
        self._watch = watch

    def holding(self, snapshots: Iterable[SnapshotId], paths: Sequence[bytes]) -> Paths:
        """Tells which of these paths snapshots have."""
        found = {one: self._held(self.load(one), paths) for one in snapshots}
        return {one: held for one, held in found.items() if held}

    def _held(self, snapshot: Snapshot, paths: Sequence[bytes]) -> list[bytes]:
        lookup = self.lookup(snapshot)
        return [path for path in paths if path in lookup]

    def without_row(self, known: Collection[SnapshotId]) -> set[SnapshotId]:
        """Returns the snapshots that are stored and that nobody knows."""
        return set(map(SnapshotId, map(bytes.hex, self._store.roots()))) - set(known)

    def files(self, snapshot_id: SnapshotId, path: bytes) -> Iterator[Entry]:
        """Yields the files and links at a path and below it."""
        entry = self.lookup(self.load(snapshot_id)).find(path)
        waiting = [] if entry is None else [entry]
        while waiting:
            one = waiting.pop()
            if one.is_dir:
                waiting += decode(self.read(one.content)).values()
            else:
                yield one

    def users(self, contents: AbstractSet[bytes]) -> "Users":
        """Finds who else has content, in whatever snapshots are asked about."""
        return Users(self.read, contents)

    def write(self, erased: Paths, live: Collection[SnapshotId], restate: Restate) -> Renamed:
        """Stores what is live without some of its paths; hold `writing` until rows know it.

        A record may name others: what names one that is made again is made again, too.
        """
        pack = self._store.new_pack()
        try:
            writing = _Writing(self, pack, erased, live, restate)
            made = {one: writing.made(one) for one in sorted(live)}
            changed = {old: new for old, new in made.items() if old != new}
            if changed:
                pack.seal_all(map(bytes.fromhex, changed.values()))
        finally:
            pack.discard()
        self._store.open()
        return changed

    def refuse_lost(self, live: Iterable[SnapshotId]) -> None:
        """Refuses to go on if anything that is live cannot be read."""
        with long_work.told(self._watch, "reading what is stored"):
            refuse_lost(self._store, self._needed(map(bytes.fromhex, live)))

    def begin(self, doomed: Iterable[SnapshotId]) -> None:
        """Notes durably that snapshots are to go: whoever comes next scours, too."""
        forgotten.begin(self._store.directory, doomed)

    def finish(
        self,
        live: Callable[[], set[SnapshotId]],
        gone: Iterable[SnapshotId],
        sandboxes: Iterable[Roots],
        *,
        wait: bool,
    ) -> int:
        """Takes out of the store what nothing needs; returns the bytes that were freed.

        What was to go and is needed all the same stays: then a crash came before the rows. Who
        does not wait is refused while somebody else reads or writes.
        """
        with self._store.sweeping(doing="forgetting", wait=wait):
            self._store.open()
            needed = live()
            doomed = forgotten.begun(self._store.directory) - needed
            if doomed:
                forgotten.add(self._store.directory, doomed)
            known = set(map(bytes.fromhex, needed | set(gone) | doomed))
            roots = set(map(bytes.fromhex, needed)) | self._store.young_orphans(known)
            with long_work.told(self._watch, "rewriting what is stored"):
                freed = scour(self._store, self._needed(roots))
            self._trackers.drop(sandboxes)
            forgotten.end(self._store.directory)
        return freed

    def _needed(self, roots: Iterable[bytes]) -> set[bytes]:
        """Returns every object that snapshots consist of, and nothing that is only a base."""
        wanted = set(roots)
        entries = [
            entry for root in wanted for entry in record.from_bytes(self.read(root)).roots.values()
        ]
        return wanted | reachable(entries, self.read, lambda _: (), {})


class Users:
    """Tells where snapshots have some contents; a directory is looked at once."""

    def __init__(self, read: Read, contents: AbstractSet[bytes]) -> None:
        self._read = read
        self._contents = contents
        self._found: dict[bytes, list[tuple[bytes, bytes]]] = {}  # by directory

    def of(self, snapshot: Snapshot) -> Iterator[tuple[str, bytes, bytes]]:
        """Yields root, path and content of each file that has one of them, or a piece of it."""
        for name, root in snapshot.roots.items():
            for path, found in self._within(root.content):
                yield name, path, found

    def _within(self, directory: bytes) -> list[tuple[bytes, bytes]]:
        if directory not in self._found:
            self._found[directory] = list(self._search(directory))
        return self._found[directory]

    def _search(self, directory: bytes) -> Iterator[tuple[bytes, bytes]]:
        for name, entry in decode(self._read(directory)).items():
            if entry.is_dir:
                for path, found in self._within(entry.content):
                    yield tree_path.joined(name, path), found
            elif not self._contents.isdisjoint(content.objects(entry, self._read)):
                yield name, entry.content


class _Writing:
    """Snapshots that are made again, each once."""

    def __init__(
        self,
        eraser: Eraser,
        pack: NewPack,
        erased: Paths,
        live: Collection[SnapshotId],
        restate: Restate,
    ) -> None:
        self._eraser = eraser
        self._pack = pack
        self._erased = erased
        self._live = live
        self._restate = restate
        self._made: dict[SnapshotId, SnapshotId] = {}

    def made(self, one: SnapshotId) -> SnapshotId:
        """Makes a snapshot again, if anything of it changes; returns its id."""
        if one not in self._made:
            was = self._eraser.load(one)
            about = self._named_anew(was.about)
            paths = self._erased.get(one, ())
            same = not paths and about == was.about
            self._made[one] = one if same else self._store(replace(was, about=about), paths)
        return self._made[one]

    def _named_anew(self, about: Mapping[str, Any]) -> Mapping[str, Any]:
        """Names those by their new ids that are made again."""

        def anew(found: re.Match[str]) -> str:
            named_one = SnapshotId(found[0])
            return self.made(named_one) if named_one in self._live else named_one

        return json.loads(_ID.sub(anew, json.dumps(about)))

    def _store(self, was: Snapshot, paths: Sequence[bytes]) -> SnapshotId:
        without = self._eraser.with_entries(was, dict.fromkeys(paths))
        without.objects.store(self._pack.put)
        told = (*was.not_captured, *(f"{shown(path)}: {FORGOTTEN}" for path in paths))
        snapshot = replace(
            without.snapshot,
            filter=was.filter.without(paths),
            not_captured=tuple(sorted(told)),
        )
        snapshot = replace(snapshot, about=self._restate(snapshot))
        return SnapshotId(self._pack.put(record.to_bytes(snapshot)).hex())
