"""Parts what changed between two looks by whose it is: an act of ours, what a call named, the rest.

Of an apply nobody looked at the files before and after, but both versions of every path that it
changed are stored: they are the states between where others changed the same path meanwhile.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from cleveragents.chats.attribution import Act, Difference, Whose
from cleveragents.ids import SnapshotId
from cleveragents.records import frozen
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.diff import alike
from cleveragents.snapshots.tree.manifest import Change, Entry

Pair: TypeAlias = tuple[int, int]  # a difference, by the numbers of the moments around it


@frozen
class Placed:
    """An act of ours, with what it changed in the directory."""

    was: SnapshotId
    became: SnapshotId
    changes: Mapping[bytes, Change]
    is_done: bool  # it was carried out as a whole


@frozen
class Share:
    """A part of a difference: some of its paths, all of them of one owner."""

    difference: Difference
    whose: Whose
    was: SnapshotId  # the state before it
    became: SnapshotId  # the one after it
    changes: Sequence[Change]  # from before to after, parents before children
    rank: int  # after how many acts of ours it came

    @property
    def pair(self) -> Pair:
        """The difference, by the numbers of the moments around it."""
        return self.difference.before.number, self.difference.after.number

    @property
    def order(self) -> tuple[Pair, int]:
        """Its place among all of them, the oldest first."""
        return self.pair, self.rank


Acts: TypeAlias = Sequence[tuple[Act, Placed | None]]  # None: nobody knows any more what it did


def touched(acts: Acts, changes: Sequence[Change]) -> set[bytes]:
    """The paths that acts of ours changed from end to end, and that seem not to have changed."""
    ended = (one for act, one in acts if one is not None and act.has_ended and one.is_done)
    return {path for one in ended for path in one.changes} - {change.path for change in changes}


def parted(
    difference: Difference,
    was: SnapshotId,
    became: SnapshotId,
    changes: Sequence[Change],
    acts: Acts,
) -> Iterator[Share]:
    """Yields the shares of a difference; those of one path in the order in which they came."""
    known = [(act, one) for act, one in acts if one is not None]
    whose = difference.whose
    if len(known) < len(acts) and whose is Whose.AGENT:
        whose = Whose.UNCLEAR  # some of it was ours, and nobody knows what
    pieces: dict[tuple[int, bool, SnapshotId, SnapshotId], list[Change]] = {}
    for change in changes:
        for rank, is_ours, old, new, piece in _chain(change, was, became, known):
            pieces.setdefault((rank, is_ours, old, new), []).append(piece)
    for (rank, is_ours, old, new), found in sorted(pieces.items()):
        if is_ours:
            yield Share(difference, Whose.OURS, old, new, found, rank)
        else:
            for owner, own in _by_name(whose, difference.only, found):
                yield Share(difference, owner, old, new, own, rank)


def _chain(
    change: Change,
    was: SnapshotId,
    became: SnapshotId,
    acts: Sequence[tuple[Act, Placed]],
) -> Iterator[tuple[int, bool, SnapshotId, SnapshotId, Change]]:
    """What happened to one path, one after the other; true: it was ours."""
    path, here, last = change.path, change.before, change.after
    touching = [(act, one) for act, one in acts if path in one.changes]
    for rank, (act, one) in enumerate(touching):
        own = one.changes[path]
        if act.has_ended and one.is_done:
            if not alike(here, own.after):
                if not _is_either(here, own):
                    yield rank, False, was, one.was, Change(path, here, own.before)
                yield rank, True, one.was, one.became, own
            was, here = one.became, own.after
        elif all(_is_either(each, own) for each in (here, last)):  # half-way, or put back
            yield rank, True, was, became, Change(path, here, last)
            return
    if not alike(here, last):
        yield len(touching), False, was, became, Change(path, here, last)


def _is_either(entry: Entry | None, own: Change) -> bool:
    """Whether a path is as an act found it or makes it; directories get their mode at last."""
    if entry is not None and entry.is_dir and own.after is not None and own.after.is_dir:
        return True
    return alike(entry, own.before) or alike(entry, own.after)


def _by_name(
    whose: Whose, only: Sequence[str] | None, changes: Sequence[Change]
) -> Iterator[tuple[Whose, Sequence[Change]]]:
    """Tells what calls named from what else changed during them."""
    if whose is not Whose.AGENT or only is None:
        yield whose, changes
        return
    heads = {os.fsencode(path) for path in only}
    named = {change.path for change in changes if _is_named(change.path, heads)}
    named |= set(_made_for(named, changes))
    parts = {
        Whose.AGENT: [change for change in changes if change.path in named],
        Whose.UNCLEAR: [change for change in changes if change.path not in named],
    }
    yield from ((owner, own) for owner, own in parts.items() if own)


def _is_named(path: bytes, heads: set[bytes]) -> bool:
    return any(each in heads for each in tree_path.and_above(path))


def _made_for(named: Collection[bytes], changes: Sequence[Change]) -> Iterator[bytes]:
    """The directories that came or went because of what was named in them."""
    above = {head for path in named for head in tree_path.above(path)}
    for change in changes:
        if change.path in above and (change.before is None or change.after is None):
            yield change.path
