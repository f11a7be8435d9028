"""What an undo takes of the differences, path by path, as it is remembered."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from cleveragents.engine.chat.choice import Choice
from cleveragents.engine.chat.parting import Pair, Share
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.operations.in_project import Part
from cleveragents.records import frozen
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.manifest import Entry

Fixed: TypeAlias = Mapping[bytes, Entry | None]  # what paths shall be, whatever is there
_Paths: TypeAlias = dict[Pair, set[bytes]]


@frozen
class Taking:
    """What an undo takes, and what of that it leaves because a user has said so."""

    takes: tuple[Pair, ...] = ()  # the differences
    parts: tuple[Part, ...] = ()  # the paths of those of which some stays
    mine: tuple[Part, ...] = ()  # paths that stay as the user has them
    passes: tuple[Pair, ...] = ()  # unclear differences that are left alone


def taking(
    past: Past, choice: Choice, shares: Sequence[Share], fixed: Fixed, wanted: UndoRequest
) -> Taking:
    """What is taken by taking chosen shares back.

    What others made of a path later is taken, too, where it shall be what it was.
    """
    found: _Paths = {}
    since: dict[bytes, int] = {}
    for share in sorted(shares, key=lambda one: one.order, reverse=True):
        paths = {one.path for one in past.standing(share) if wanted.is_asked(one.path)}
        found.setdefault(share.pair, set()).update(paths)
        since |= dict.fromkeys(paths & fixed.keys(), share.pair[0])
    if since:
        later = past.shares_of(lambda one: one.before.number >= min(since.values()))
        _add(found, later, lambda share, path: _is_fixed(share, path, fixed, since))
    return _made(past, found, _mine(past, shares, wanted), choice, wanted)


def taking_all(
    past: Past, choice: Choice, since: int, is_meant: Callable[[bytes], bool], wanted: UndoRequest
) -> Taking:
    """What is taken where all becomes what it was at a moment, whoever changed it."""
    shares = past.shares_of(lambda one: one.before.number >= since)
    found: _Paths = {}
    _add(found, shares, lambda _, path: is_meant(path))
    return _made(past, found, _mine(past, shares, wanted), choice, wanted)


def of_redo(pair: Pair | None, paths: Iterable[bytes], *, is_all: bool) -> Taking:
    """What a redo takes of what an undo did, which is a difference too; None: nobody knows it."""
    if pair is None:
        return Taking()
    return Taking(takes=(pair,), parts=() if is_all else ((pair, _told(paths)),))


def _add(found: _Paths, shares: Iterable[Share], is_taken: Callable[[Share, bytes], bool]) -> None:
    for share in shares:
        paths = {one.path for one in share.changes if is_taken(share, one.path)}
        found.setdefault(share.pair, set()).update(paths)


def _is_fixed(share: Share, path: bytes, fixed: Fixed, since: Mapping[bytes, int]) -> bool:
    """Whether a share changed a path after the state which that shall have, or which is above."""
    for each in tree_path.and_above(path):
        if share.pair[0] >= since.get(each, share.pair[0] + 1):
            entry = fixed[each]
            if each == path or not (entry is None or entry.is_dir):
                return True
    return False


def _mine(past: Past, shares: Iterable[Share], wanted: UndoRequest) -> _Paths:
    found: _Paths = {}
    for share in shares if wanted.mine else ():
        paths = {one.path for one in past.standing(share) if wanted.keeps(one.path)}
        found.setdefault(share.pair, set()).update(paths)
    return found


def _made(past: Past, found: _Paths, mine: _Paths, choice: Choice, wanted: UndoRequest) -> Taking:
    takes = {pair for pair, paths in found.items() if paths}
    whole: _Paths = {}
    for one in past.differences:
        if (pair := (one.before.number, one.after.number)) in takes:
            whole[pair] = {each.path for share in past.shares(one) for each in share.changes}
    passed = () if wanted.takes_unclear or wanted.is_everything else choice.unclear
    return Taking(
        takes=tuple(sorted(takes)),
        parts=tuple(
            (pair, _told(found[pair])) for pair in sorted(takes) if found[pair] != whole[pair]
        ),
        mine=tuple((pair, _told(paths)) for pair, paths in sorted(mine.items()) if paths),
        passes=tuple(share.pair for share in passed),
    )


def _told(paths: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(map(os.fsdecode, sorted(paths)))
