"""Looks at every pack of a store: what can be read, what is damaged, what a dead process left."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from cleveragents.errors import Damaged
from cleveragents.records import frozen
from cleveragents.snapshots.store.joining import Root, contents
from cleveragents.snapshots.store.pack import TEMPORARY, Pack, Read, abandoned
from cleveragents.snapshots.tree import giving_up, long_work


@frozen
class PackFound:
    """One pack, as it was read."""

    path: Path
    size: int
    roots: tuple[Root, ...]  # the records it was written for, as far as they are in it
    problem: str | None  # why its index cannot be read
    damaged: int  # objects that do not match their hash

    @property
    def is_damaged(self) -> bool:
        """Whether anything in it is not as it was written."""
        return self.problem is not None or self.damaged > 0


@frozen
class Inspection:
    """The content of a store."""

    packs: tuple[PackFound, ...]
    lost: Mapping[bytes, bool]  # of every object: whether no pack has it intact
    temporary: tuple[Path, ...]  # unfinished packs of processes that are gone

    @property
    def size(self) -> int:
        """The bytes of all packs."""
        return sum(pack.size for pack in self.packs)


def inspect(directory: Path, read: Read) -> Inspection:
    """Reads every object of every pack back, once."""
    lost: dict[bytes, bool] = {}
    packs = tuple(_read(path, lost, read) for path in sorted(directory.glob("*.pack")))
    return Inspection(packs, lost, tuple(left_behind(directory)))


def left_behind(directory: Path) -> Iterator[Path]:
    """Yields the unfinished packs of processes that are gone."""
    for path in sorted(directory.glob(f"{TEMPORARY}*")):
        if abandoned(path):
            yield path


def _read(path: Path, lost: dict[bytes, bool], read: Read) -> PackFound:
    size = path.stat().st_size
    try:
        pack = Pack(path)
    except Damaged as error:
        return PackFound(path, size, (), error.message, 0)
    damaged = 0
    for count, identity in enumerate(pack.identities(), 1):
        giving_up.look()
        long_work.passed(size * count // len(pack) - size * (count - 1) // len(pack))
        try:
            pack.read(identity, read)
        except Damaged:
            damaged += 1
            lost.setdefault(identity, True)
        else:
            lost[identity] = False
    roots = tuple(root for root in contents(pack, read).roots if root.identity in pack)
    return PackFound(path, size, roots, None, damaged)
