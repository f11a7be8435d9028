"""What undos have taken of the differences, path by path, and what of that was brought again.

An undo is a difference itself. A redo takes it back, and so does a later undo of everything.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from cleveragents.chats.moment import Moment
from cleveragents.engine.chat.parting import Pair, Share
from cleveragents.ids import OperationId
from cleveragents.operations.in_project import Part, TakeBack
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import Operation
from cleveragents.records import replace
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.manifest import Change

NOW = 0  # the number of the moment in which it is looked at: an undo that is done then has it
Undo: TypeAlias = Operation[TakeBack]
PathsOf: TypeAlias = Callable[[Undo], Collection[bytes] | None]  # None: nobody knows any more


class Taken:
    """The undos and redos that were done in one directory, and what they have taken."""

    def __init__(
        self, acts: Sequence[Undo], own: Mapping[OperationId, Pair], paths_of: PathsOf
    ) -> None:
        done = [one for one in acts if one.status is Status.DONE]
        self._acts = {one.operation_id: one for one in sorted(done, key=_age)}
        self._own = own  # the difference that each act made itself
        self._paths_of = paths_of
        self._parts = {one: _by_pair(act.intent.parts) for one, act in self._acts.items()}
        self._known: dict[tuple[OperationId, bytes], bool] = {}  # what was found out of paths
        self._takers: dict[Pair, list[Undo]] = {}
        # The newest come first: what they have taken settles it, whatever those before did.
        for one in reversed(self._acts.values()):
            for pair in {*one.intent.takes, *one.intent.unclear, *self._redone(one)}:
                self._takers.setdefault(pair, []).append(one)

    @cached_property
    def undos(self) -> Sequence[Undo]:
        """The undos of which something still is so, in order."""
        return [one for one in self._acts.values() if one.kind is Kind.UNDO and self._is_so(one)]

    def of(self, share: Share) -> Iterator[Undo]:
        """The undos that have taken something of a share, and of which it is still so."""
        for one in self._takers.get(share.pair, ()):
            if any(self._has(one, share.pair, change.path) for change in share.changes):
                yield one

    def standing(self, share: Share) -> list[Change]:
        """The changes of a share that no undo has taken, or that were brought again."""
        takers = self._takers.get(share.pair, ())
        return [
            change
            for change in share.changes
            if not any(self._has(one, share.pair, change.path) for one in takers)
        ]

    def kept(self, share: Share) -> Collection[bytes]:
        """The paths of a share that a user has kept when the rest was taken."""
        return self._kept.get(share.pair, ())

    def has_passed(self, share: Share) -> bool:
        """Whether a user has said that an unclear share is to be left alone."""
        return share.pair in self._passed

    def is_partly_redone(self, undo: Undo) -> bool:
        """Whether a redo has left something of an undo."""
        return any(one.kind is Kind.REDO for one in self._later(undo))

    def is_so(self, act: Undo, path: bytes) -> bool:
        """Whether a path is what an act has made of it, as far as acts go.

        Each act of everything takes all before it back, so each is asked of by all of them.
        """
        of = act.operation_id, path
        if of not in self._known:
            pair = self._own.get(act.operation_id)
            later = self._later(act)
            self._known[of] = pair is None or not any(self._has(one, pair, path) for one in later)
        return self._known[of]

    @cached_property
    def _kept(self) -> Mapping[Pair, set[bytes]]:
        found: dict[Pair, set[bytes]] = {}
        for one in self.undos:
            for pair, paths in _by_pair(one.intent.mine).items():
                found.setdefault(pair, set()).update(paths)
        return found

    @cached_property
    def _passed(self) -> Collection[Pair]:
        return {pair for one in self.undos for pair in one.intent.passes}

    def _has(self, act: Undo, pair: Pair, path: bytes) -> bool:
        """Whether an act has taken a path of a difference, and it is still so."""
        return self._took(act, pair, path) and self.is_so(act, path)

    def _took(self, act: Undo, pair: Pair, path: bytes) -> bool:
        part = self._parts[act.operation_id].get(pair)
        if part is not None:
            return path in part
        within = [os.fsencode(each) for each in act.intent.within]
        return not within or any(each in within for each in tree_path.and_above(path))

    def _later(self, act: Undo) -> Sequence[Undo]:
        """The acts that have taken something of what an act did."""
        pair = self._own.get(act.operation_id)
        return self._takers.get(pair, ()) if pair is not None else ()

    def _is_so(self, undo: Undo) -> bool:
        """Whether something that an undo did is still so."""
        pair, later = self._own.get(undo.operation_id), self._later(undo)
        if pair is None or not later:
            return True
        if any(pair not in self._parts[one.operation_id] and not self._later(one) for one in later):
            return False
        paths = self._paths_of(undo)
        return paths is None or any(self.is_so(undo, path) for path in paths)

    def _redone(self, act: Undo) -> list[Pair]:
        """The difference of the undo that a redo has taken back."""
        undone = self._own.get(OperationId(act.intent.undoes))
        return [] if undone is None else [undone]


def of_acts(moments: Sequence[Moment]) -> dict[OperationId, Pair]:
    """The difference that each act of ours has made, by the moments around it."""
    found: dict[OperationId, Pair] = {}
    for one in moments:
        if one.operation_id is not None:
            first, _ = found.get(one.operation_id, (one.number, one.number))
            found[one.operation_id] = first, one.number
    return found


def since_begun(undo: Undo, begun: Mapping[OperationId, Pair]) -> Undo:
    """An undo whose last difference ends where it began itself."""
    end, _ = begun.get(undo.operation_id, (NOW, NOW))

    def settled(pair: Pair) -> Pair:
        return pair[0], end if pair[1] == NOW else pair[1]

    def of(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple((settled(pair), paths) for pair, paths in parts)

    intent = undo.intent
    return replace(
        undo,
        intent=replace(
            intent,
            takes=tuple(map(settled, intent.takes)),
            unclear=tuple(map(settled, intent.unclear)),
            passes=tuple(map(settled, intent.passes)),
            parts=of(intent.parts),
            mine=of(intent.mine),
        ),
    )


def _by_pair(parts: Sequence[Part]) -> dict[Pair, frozenset[bytes]]:
    return {pair: frozenset(map(os.fsencode, paths)) for pair, paths in parts}


def _age(act: Undo) -> OperationId:
    return act.operation_id
