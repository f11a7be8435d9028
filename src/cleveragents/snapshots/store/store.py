"""The store of a project: all packs, read as one set of objects that are each kept once."""

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import TypeVar

from cleveragents.errors import Damaged
from cleveragents.ids import new_id
from cleveragents.records import frozen
from cleveragents.snapshots.store.inspection import Inspection, inspect, left_behind
from cleveragents.snapshots.store.joining import Contents, Root, contents, join, joinable
from cleveragents.snapshots.store.joining import seal as seal_joined
from cleveragents.snapshots.store.mending import Mender
from cleveragents.snapshots.store.new_pack import NewPack
from cleveragents.snapshots.store.once import Once
from cleveragents.snapshots.store.pack import Pack, PackWriter
from cleveragents.snapshots.store.store_name import name_of
from cleveragents.snapshots.tree import giving_up, long_work
from cleveragents.storage.lock import FileLock
from cleveragents.storage.place import is_ours, make_durably
from cleveragents.storage.space import OUT_OF_SPACE

T = TypeVar("T")
CHAINS = 8192  # objects of which it is remembered what they are differences to
SMALL_PACK = 4096  # objects; the index of a larger pack is searched on disk, not loaded
ORPHAN_GRACE_SECONDS = 24 * 3600  # what a crash left without a row can still be rescued by hand


@frozen
class Swept:
    """The result of a sweep."""

    bytes_freed: int
    lacked_room: bool = False  # to write anew what is needed of packs that are half dead


@frozen
class CleanResult:
    """The unfinished packs of dead processes that were removed."""

    files: int
    size_bytes: int


class Store:
    """Content-addressed objects of one project; safe for several processes and threads at once."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._packs_directory = directory / "packs"
        if is_ours(directory):
            make_durably(self._packs_directory)
        self._lock_path = directory / "store.lock"
        self.identity = name_of(directory)
        self._opening = RLock()  # lookups need none: what they see only grows or is replaced
        self._packs: dict[str, Pack] = {}
        self._small: dict[bytes, Pack] = {}  # where the objects of small packs are
        self._large: list[Pack] = []  # packs that are searched one by one
        self._chains: dict[bytes, Sequence[bytes]] = {}  # what objects are differences to
        self._joined: dict[str, frozenset[str]] = {}  # which packs each one stands for
        self.once = Once()
        self.losses = 0  # how often packs were gone that had been there

    def open(self) -> None:
        """Looks which packs there are now; a pack that cannot be read counts as absent."""
        with self._opening:
            before = set(self._packs)
            while not self._caught_up():
                pass
            if not self._surely(lambda: self.has(before)):
                self.losses += 1

    def _caught_up(self) -> bool:
        """Takes in the packs there are; tells whether they are still the same afterwards."""
        found = self._listed()
        if self._packs.keys() - found:  # repacked by another process, or lost: start again
            self._packs, self._small, self._large, self._chains = {}, {}, [], {}
            self._joined = {}
        for name in sorted(found - self._packs.keys()):
            try:
                self._add(Pack(self._packs_directory / name))
            except FileNotFoundError:
                if self._listed() != found:  # swept meanwhile: what is left has another name
                    return False
            except Damaged:
                # Its objects are reported as missing by whoever needs them, with the paths.
                continue
        return True

    def has(self, names: set[str]) -> bool:
        """Tells whether all that was in these packs is there, in packs that they were joined to."""
        missing = names - self._packs.keys()
        return not missing or missing <= set[str]().union(
            *(self._replaced(pack) for pack in self._packs.values())
        )

    def _replaced(self, pack: Pack) -> frozenset[str]:
        """Returns the packs that one stands for; nothing changes that, so it is read once."""
        found = self._joined.get(pack.path.name)
        if found is None:
            found = self._joined[pack.path.name] = self._contents(pack).replaces
        return found

    def _contents(self, pack: Pack) -> Contents:
        return contents(pack, self.read)

    def _listed(self) -> set[str]:
        try:
            names = os.listdir(self._packs_directory)
        except FileNotFoundError:  # where we may not make it, nothing is stored
            return set()
        return {name for name in names if name.endswith(".pack")}

    @property
    def size(self) -> int:
        """The bytes of the packs that can be read."""
        self.open()
        return sum(pack.size for pack in self._packs.values())

    def packs(self) -> Collection[Pack]:
        """Returns the packs that can be read."""
        return list(self._packs.values())

    def names(self) -> Collection[str]:
        """Returns the names of the packs that can be read."""
        return self._packs.keys()

    def add(self, path: Path) -> Pack:
        """Takes in a pack that was just finished."""
        pack = Pack(path)
        with self._opening:
            self._add(pack)
        return pack

    def _add(self, pack: Pack) -> None:
        self._packs[pack.path.name] = pack
        if len(pack) > SMALL_PACK:
            self._large.append(pack)
        else:
            self._small.update((identity, pack) for identity in pack.identities())

    def read(self, identity: bytes) -> bytes:
        """Returns an object's bytes, verified; raises Damaged if no pack has it intact."""
        giving_up.look()
        found = self.once.get(identity)
        if found is None:
            found = self._surely(lambda: self._read(identity))
            self.once.keep(identity, found)
        return found

    def _read(self, identity: bytes) -> bytes:
        pack = self._holder(identity)
        if pack is None:
            self.open()  # another process may have repacked meanwhile
            pack = self._holder(identity)
        if pack is None:
            raise Damaged(f"object {identity.hex()} is missing")
        try:
            return pack.read(identity, self._base)
        except Damaged:
            return self._read_another(identity, pack)

    def _base(self, identity: bytes) -> bytes:
        """Returns what an object is a difference to: if that is damaged, so is what is verified."""
        found = self.once.get(identity)
        if found is None and (pack := self._holder(identity)) is not None:
            found = pack.decoded(identity, self._base)
        if found is None:
            raise Damaged(f"object {identity.hex()} is missing")
        return found

    def confirm(self, identity: bytes, data: bytes) -> None:
        """Compares a large object that was just hashed with what is stored of it.

        An act that will ask whether it can be had need not hash it once more for that.
        """
        if self.once.wants(data) and self._surely(lambda: self._is_intact(identity, data)):
            self.once.keep(identity, data)

    def _is_intact(self, identity: bytes, data: bytes) -> bool:
        pack = self._holder(identity)
        return pack is not None and pack.holds(identity, data, self._base)

    def bases(self, identity: bytes) -> Sequence[bytes] | None:
        """Returns what reading an object needs besides itself; None if not all of it is here."""
        return self._surely(lambda: self._bases(identity))

    def _surely(self, act: Callable[[], T]) -> T:
        """Acts again if a pack was gone by then: another process has joined or swept it."""
        while True:
            try:
                return act()
            except FileNotFoundError:
                self.open()

    def _bases(self, identity: bytes) -> Sequence[bytes] | None:
        """Looks into no pack for what was asked before: a row of differences lies in many."""
        found = self._chains.get(identity)
        if found is None and (pack := self._holder(identity)) is not None:
            base = pack.base(identity)
            further = () if base is None else self._bases(base)
            if further is not None:
                found = further if base is None else (base, *further)
                self._remember_chain(identity, found)
        return found

    def _remember_chain(self, identity: bytes, bases: Sequence[bytes]) -> None:
        if len(self._chains) >= CHAINS:
            self._chains = {}
        self._chains[identity] = bases

    def _holder(self, identity: bytes) -> Pack | None:
        found = self._small.get(identity)
        return found or next((pack for pack in self._large if identity in pack), None)

    def _read_another(self, identity: bytes, damaged: Pack) -> bytes:
        """Reads an intact copy of what is damaged in one pack."""
        for pack in list(self._packs.values()):
            if pack is not damaged and identity in pack:
                with suppress(Damaged):
                    return pack.read(identity, self.read)
        return damaged.read(identity, self.read)

    def writing(self, *, doing: str) -> FileLock:
        """While held, no sweep runs: content written is safe until its row is committed."""
        return FileLock(self._lock_path, doing=doing, shared=True, wait=True)

    def sweeping(self, *, doing: str, wait: bool) -> FileLock:
        """While held, nobody else writes, or relies on what is there."""
        return FileLock(self._lock_path, doing=doing, wait=wait)

    def new_pack(self) -> NewPack:
        """Starts a pack; call it while holding `writing`."""
        self.open()
        return NewPack(self, PackWriter(self._packs_directory, new_id()))

    def revisions(self) -> Mapping[bytes, Sequence[bytes]]:
        """Returns what each file, or piece of one, is a difference to, in each pack that has it."""
        found: dict[bytes, list[bytes]] = {}
        for pack in self._packs.values():
            if pack.has_revisions:
                for identity, base in pack.revisions():
                    found.setdefault(identity, []).append(base)
        return found

    def inspect(self) -> Inspection:
        """Reads everything back; no sweep runs meanwhile."""
        with self.writing(doing="looking at the store"):
            return inspect(self._packs_directory, self.read)

    def mending(self, wanted: Collection[bytes]) -> Mender:
        """Starts a pack of lost objects with what damaged packs still hold; hold `writing`."""
        mending = Mender(PackWriter(self._packs_directory, new_id()), wanted)
        mending.search(self._packs_directory, self.read)
        return mending

    def clean(self) -> CleanResult:
        """Removes what dead processes left; nothing if the store is in use just now."""
        lock = FileLock(self._lock_path, doing="cleaning up")
        if not any(left_behind(self._packs_directory)) or not lock.try_acquire():
            return CleanResult(0, 0)
        try:
            return self.remove_abandoned()
        finally:
            lock.release()

    def sweep(
        self,
        live: Callable[[], set[bytes]],
        forgotten: set[bytes],
        reachable: Callable[[set[bytes]], set[bytes]],
    ) -> Swept | None:
        """Frees what only forgotten roots need; returns None if that cannot be done now.

        The live roots are asked for under the lock, when nobody can be adding one. Roots that are
        neither live nor forgotten were left by a crash before their row was written; they are
        kept for a day.
        """
        lock = FileLock(self._lock_path, doing="freeing space")
        if not lock.try_acquire():
            return None
        try:
            self.open()
            self.remove_abandoned()
            roots = live()
            roots |= self.young_orphans(roots | forgotten)
            return self._drop_dead(reachable(roots))
        except Damaged:
            return None  # what is lost hides what it needs: nothing may go before it is mended
        finally:
            lock.release()

    def remove_abandoned(self) -> CleanResult:
        """Call it while holding the store's lock: a pack just begun does not look alive yet."""
        sizes: list[int] = []
        for path in left_behind(self._packs_directory):
            sizes.append(path.stat().st_size)
            path.unlink()
        return CleanResult(len(sizes), sum(sizes))

    def roots(self) -> set[bytes]:
        """Returns the root records that are there."""
        self.open()
        return {root.identity for root in self._roots()}

    def _roots(self) -> Iterator[Root]:
        for pack in self._packs.values():
            for root in self._contents(pack).roots:
                if self._holder(root.identity) is not None:  # else a sweep has taken it out
                    yield root

    def young_orphans(self, known: set[bytes]) -> set[bytes]:
        """Returns the roots that no row may tell of yet; hold `sweeping`."""
        oldest = time.time() - ORPHAN_GRACE_SECONDS
        return {
            root.identity
            for root in self._roots()
            if root.identity not in known and root.written_at > oldest
        }

    def _drop_dead(self, live: set[bytes]) -> Swept:
        before = sum(pack.size for pack in self._packs.values())
        dead = {
            pack: sum(size for identity, size in pack.sizes() if identity not in live)
            for pack in self._packs.values()
        }
        doomed = [pack for pack in dead if dead[pack] * 2 >= pack.size]
        lacked_room = False
        # Those that leave no rest make room for the rests of the others.
        for pack in sorted(doomed, key=lambda pack: pack.size - dead[pack]):
            try:
                self._rewrite(pack, live)
            except OSError as error:
                if error.errno not in OUT_OF_SPACE:
                    raise
                lacked_room = True
                break  # it stays whole until there is room for its rest
            pack.path.unlink()
        losses = self.losses
        self.open()
        self.losses = losses  # nothing that is needed is gone
        after = sum(pack.size for pack in self._packs.values())
        return Swept(bytes_freed=before - after, lacked_room=lacked_room)

    def _rewrite(self, pack: Pack, live: set[bytes]) -> None:
        """Writes what is still needed to a new pack; raises Damaged if that cannot be had."""
        keep = [identity for identity, _ in pack.sizes() if identity in live]
        if not keep:
            return
        writer = PackWriter(self._packs_directory, new_id())
        try:
            for identity in keep:
                giving_up.look()
                codec, payload = pack.stored(identity)
                writer.add_stored(identity, codec, payload)
                long_work.passed(len(payload), files=0)
            found = self._contents(pack)
            if found.is_joined:
                seal_joined(writer, [root for root in found.roots if root.identity in live], ())
            else:
                writer.seal(pack.root)
        finally:
            writer.discard()  # unless it was finished

    def join(self) -> int:
        """Makes one pack of many small ones; returns how many it was made of.

        Nothing happens while they are few, or the store is in use. The new pack is durable before
        the first of the others goes.
        """
        lock = FileLock(self._lock_path, doing="joining packs")
        if not joinable(self._packs.values()) or not lock.try_acquire():
            return 0
        try:
            self.open()
            return self._join(joinable(self._packs.values()))
        finally:
            lock.release()

    def _join(self, packs: Sequence[Pack]) -> int:
        writer = PackWriter(self._packs_directory, new_id())
        try:
            joined = join(packs, writer, self.read)
        finally:
            writer.discard()  # unless it was finished
        for pack in joined:
            pack.path.unlink()
        self.open()
        return len(joined)
