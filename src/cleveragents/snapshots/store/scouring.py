"""Scouring a store: nothing stays in any pack that no snapshot needs.

A sweep leaves a pack alone while half of it is needed, and keeps what objects are differences to.
Here each pack that holds anything else is written anew, with such objects whole. All that is needed
is read first, and the new packs are durable before the first of the old ones goes, so that to do
it again after a crash is enough.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from cleveragents.errors import Damaged
from cleveragents.ids import new_id
from cleveragents.snapshots.store.joining import contents
from cleveragents.snapshots.store.joining import seal as seal_joined
from cleveragents.snapshots.store.pack import Pack, PackWriter
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree import long_work
from cleveragents.storage.durability import sync_directory


def refuse_lost(store: Store, needed: Collection[bytes]) -> None:
    """Reads all that is needed; raises Damaged if anything cannot be had."""
    for identity in needed:
        long_work.passed(len(store.read(identity)))


def scour(store: Store, needed: set[bytes]) -> int:
    """Takes out what is not needed; returns the bytes that were freed. Hold `sweeping`.

    A pack that cannot be read goes as a whole: what is needed was just read from others.
    """
    refuse_lost(store, needed)
    store.remove_abandoned()
    place = store.directory / "packs"
    before = _size(place)
    packs = store.packs()
    unclean = [pack for pack in packs if not _is_clean(store, pack, needed)]
    doomed = [path for path in _listed(place) if path.name not in store.names()]
    clean = [pack for pack in packs if pack not in unclean]
    kept = {identity: pack for pack in clean for identity in pack.identities()}
    written: set[bytes] = set()
    for pack in unclean:
        wanted = (one for one, _ in pack.sizes() if one in needed and one not in written)
        rest = [one for one in wanted if not _is_held(store, kept.get(one), one)]
        _rewrite(store, pack, rest, needed)
        written.update(rest)
    for path in (*doomed, *(pack.path for pack in unclean)):
        path.unlink()
    sync_directory(place)
    store.open()
    return before - _size(place)


def _listed(place: Path) -> Iterator[Path]:
    return place.glob("*.pack")


def _size(place: Path) -> int:
    return sum(path.stat().st_size for path in _listed(place))


def _is_clean(store: Store, pack: Pack, needed: set[bytes]) -> bool:
    """Tells whether a pack holds nothing but what is needed, and differences to that."""
    listing = pack.root if contents(pack, store.read).is_joined else None
    return all(
        identity == listing or (identity in needed and _stays(pack, identity, needed))
        for identity in pack.identities()
    )


def _stays(pack: Pack, identity: bytes, needed: set[bytes]) -> bool:
    base = pack.base(identity)
    return base is None or base in needed


def _is_held(store: Store, pack: Pack | None, identity: bytes) -> bool:
    """Tells whether a pack that stays has an object intact, as one that was cut off left it."""
    if pack is None:
        return False
    try:
        pack.read(identity, store.read)
    except Damaged:
        return False
    return True


def _rewrite(store: Store, pack: Pack, rest: Collection[bytes], needed: set[bytes]) -> None:
    """Writes the rest of a pack to a new one."""
    if not rest:
        return
    writer = PackWriter(store.directory / "packs", new_id())
    try:
        for identity in rest:
            _copy(store, pack, writer, identity, needed)
        found = contents(pack, store.read)
        if found.is_joined:
            seal_joined(writer, [root for root in found.roots if root.identity in needed], ())
        else:
            writer.seal(pack.root)
    finally:
        writer.discard()  # unless it was finished


def _copy(
    store: Store, pack: Pack, writer: PackWriter, identity: bytes, needed: set[bytes]
) -> None:
    """Copies an object as it is; whole if what it is a difference to goes, or it is damaged."""
    if _stays(pack, identity, needed) and _is_held(store, pack, identity):
        writer.add_stored(identity, *pack.stored(identity))
    else:
        writer.add(identity, store.read(identity))
