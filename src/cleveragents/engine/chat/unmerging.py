"""Takes differences out of the files as they are: one merge for each, the newest first.

All is computed in memory, on top of what is there; nothing is stored or changed.
"""

from collections.abc import Mapping, Sequence

from cleveragents.engine.chat.fixing import crushed, with_fixed
from cleveragents.engine.chat.parting import Share
from cleveragents.engine.chat.past import Past
from cleveragents.records import frozen, replace
from cleveragents.sandbox.git import merge_text
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.merge import MergeConflict, PendingMerge, three_way
from cleveragents.snapshots.merging import MergeResult
from cleveragents.snapshots.picking import is_excluded
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.diff import Load, compare
from cleveragents.snapshots.tree.lookup import Lookup
from cleveragents.snapshots.tree.manifest import Change, Entry
from cleveragents.snapshots.tree.record import Snapshot


@frozen
class Step:
    """Chosen paths of one difference, from what they became to what they were."""

    became: Snapshot
    was: Snapshot
    paths: frozenset[bytes]
    share: Share | None = None  # None: an act of ours


@frozen
class Unmerged:
    """The files as they would be, and what stands in the way."""

    merge: MergeResult
    conflicts: Mapping[bytes, tuple[MergeConflict, Step]]  # the first that was met at a path
    not_covered: frozenset[bytes]  # paths that nobody may touch: they are not looked at now
    crushed: Sequence[Change]  # what goes besides, because a file takes the place of its directory
    merged: frozenset[bytes]  # paths that are neither as before nor as after: both are in them
    held: frozenset[bytes]  # directories that were to go, and stay: others have something in them


def unmerge(
    now: Snapshot, read: Load, steps: Sequence[Step], fixed: Mapping[bytes, Entry | None]
) -> Unmerged:
    """Takes steps back, in this order; `fixed` are paths that shall be so."""
    objects = PendingMerge(read)
    mine = root = now.roots[MAIN]
    conflicts: dict[bytes, tuple[MergeConflict, Step]] = {}
    uncovered: set[bytes] = set()
    for step in steps:
        out = {path for path in step.paths if is_excluded(now.filter, path)}
        uncovered |= out
        chosen = step.paths - out - fixed.keys()
        sides = (step.became.roots[MAIN], root, step.was.roots[MAIN])
        root, met, modes = three_way(*sides, merge_text, objects, _LeftAlone(chosen))
        # A directory that only leads to what is chosen is of no concern.
        for conflict in (*met, *(one for one in modes if one.path in chosen)):
            conflicts.setdefault(conflict.path, (conflict, step))
    covered = {path: entry for path, entry in fixed.items() if path not in uncovered}
    root = with_fixed(root, covered, objects)
    root = mine._replace(content=root.content)  # the directory itself is never changed
    changes = tuple(compare(mine, root, objects.read))
    result = replace(now, roots={**now.roots, MAIN: root})
    merge = MergeResult(now, result, changes, tuple(one for one, _ in conflicts.values()), objects)
    merged = _merged(changes, steps, objects.read)
    held = _held(Lookup(root, objects.read), steps, objects.read) - uncovered
    beside = crushed(changes, covered)
    return Unmerged(merge, conflicts, frozenset(uncovered), beside, merged, held)


class _LeftAlone:
    """Leaves everything alone but chosen paths, and the directories that lead to them."""

    def __init__(self, paths: frozenset[bytes]) -> None:
        self._passed = set(paths)
        for path in paths:
            self._passed.update(tree_path.above(path))

    def __call__(self, path: bytes) -> bool:
        return path not in self._passed


def _merged(changes: Sequence[Change], steps: Sequence[Step], read: Load) -> frozenset[bytes]:
    """The paths that become something that they never were."""
    known: dict[bytes, set[bytes]] = {}
    for step in steps:
        lookup = Lookup(step.was.roots[MAIN], read)
        for path in step.paths:
            entry = lookup.find(path)
            if entry is not None:
                known.setdefault(path, set()).add(entry.content)
    return frozenset(
        change.path
        for change in changes
        if change.after is not None
        and change.after.is_file
        and change.after.content not in known.get(change.path, {change.after.content})
    )


def _held(result: Lookup, steps: Sequence[Step], read: Load) -> frozenset[bytes]:
    """The directories that are there although what is taken back has made them."""
    is_new: dict[bytes, bool] = {}
    for step in steps:  # the newest first, so that what the oldest had found is what counts
        was = Lookup(step.was.roots[MAIN], read)
        for path in step.paths:
            entry = result.find(path)
            if entry is not None and entry.is_dir:
                is_new[path] = was.find(path) is None
    return frozenset(path for path, new in is_new.items() if new)


def step_of(past: Past, share: Share, paths: frozenset[bytes]) -> Step:
    """A share of a difference as a step back."""
    return Step(past.load(share.became), past.load(share.was), paths, share)
