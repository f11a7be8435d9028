"""Joins packs: many small ones become one, which lists the records that they were written for.

The list is a record without files, in the place where that of a single snapshot is named. So the
first release reads such a pack like any other; it takes the list for a snapshot that nobody needs.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import accumulate

from cleveragents.errors import Damaged
from cleveragents.records import frozen
from cleveragents.snapshots.store.pack import Pack, PackWriter, Read
from cleveragents.snapshots.tree import record
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import object_id
from cleveragents.snapshots.tree.record import Snapshot

JOINED_AT = 64  # packs
LARGE_BYTES = 64 << 20  # a pack of that size stays as it is: to copy it takes longer than it helps
RATIO = 2  # a pack that is more than so many times as large as all smaller ones together stays
_JOINED, _REPLACES = "joined", "replaces"
_HEAD = f'{{"about": {{"{_JOINED}": '.encode()  # how such a record begins, and no other does


@frozen
class Root:
    """A record that a pack was written for."""

    identity: bytes
    written_at: float
    size: int  # bytes of that pack


@frozen
class Contents:
    """Why a pack was written, and which packs it stands for."""

    roots: tuple[Root, ...]
    replaces: frozenset[str] = frozenset()  # names of packs that are in it as a whole
    is_joined: bool = False


def contents(pack: Pack, read: Read) -> Contents:
    """Returns what a pack was written for."""
    alone = Contents((Root(pack.root, pack.path.stat().st_mtime, pack.size),))
    if pack.root not in pack:
        return alone
    try:
        data = pack.read(pack.root, read)
    except Damaged:
        return alone  # whoever needs it tells
    if not data.startswith(_HEAD):
        return alone
    about = json.loads(data)["about"]
    roots = tuple(map(_root, about[_JOINED].splitlines()))
    return Contents(roots, frozenset(about[_REPLACES].splitlines()), is_joined=True)


def joinable(packs: Iterable[Pack]) -> list[Pack]:
    """Chooses what to join; nothing while packs are few.

    Each pack that stays is larger than all smaller ones together, so no byte is copied often.
    """
    small = sorted((pack for pack in packs if pack.size < LARGE_BYTES), key=lambda pack: pack.size)
    count = len(small) if len(small) >= JOINED_AT else 0
    sums = list(accumulate((pack.size for pack in small), initial=0))
    while count > 1 and small[count - 1].size > RATIO * sums[count - 1]:
        count -= 1
    return small[:count] if count > 1 else []


def join(packs: Sequence[Pack], writer: PackWriter, read: Read) -> list[Pack]:
    """Writes one pack with all that is in these; returns those that it can stand for.

    What is in two of them is taken from one where it is intact; a pack with an object that cannot
    be copied stays as it is.
    """
    holders: dict[bytes, Pack] = {}
    joined: list[Pack] = []
    for pack in packs:
        try:
            objects = [(identity, *pack.stored(identity)) for identity, _ in pack.sizes()]
        except Damaged:
            continue
        joined.append(pack)
        for identity, codec, payload in objects:
            if identity not in holders or not _reads(holders[identity], identity, read):
                holders[identity] = pack
                writer.add_stored(identity, codec, payload)
    found = [contents(pack, read) for pack in joined]
    names = {pack.path.name for pack in joined}.union(*(one.replaces for one in found))
    seal(writer, [root for one in found for root in one.roots], names)
    return joined


def seal(writer: PackWriter, roots: Iterable[Root], replaces: Iterable[str]) -> None:
    """Makes a joined pack durable and visible, with its list."""
    about = {
        _JOINED: "\n".join(map(_line, roots)),
        _REPLACES: "\n".join(sorted(replaces)),
    }
    data = record.to_bytes(Snapshot({}, Filter(), (), about))
    identity = object_id(data)
    writer.add(identity, data)
    writer.seal(identity)


def _reads(pack: Pack, identity: bytes, read: Read) -> bool:
    try:
        pack.read(identity, read)
    except Damaged:
        return False
    return True


def _line(root: Root) -> str:
    return f"{root.identity.hex()} {root.written_at} {root.size}"


def _root(line: str) -> Root:
    identity, written_at, size = line.split()
    return Root(bytes.fromhex(identity), float(written_at), int(size))
