"""The way from directories as they are to a snapshot, and what can stand in it."""

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from cleveragents.counting import counted, size
from cleveragents.errors import Damaged, Failed, Refused
from cleveragents.records import frozen
from cleveragents.snapshots.capture import named
from cleveragents.snapshots.store.traverse import Verifier
from cleveragents.snapshots.tree import beneath, tree_path
from cleveragents.snapshots.tree.content import Read, bytes_needed
from cleveragents.snapshots.tree.diff import compare
from cleveragents.snapshots.tree.manifest import Change, Entry, contents
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.write.aside import purge
from cleveragents.storage.space import BLOCK, FREE_SOME, block_size, free_bytes

RESERVE_BYTES = 1 << 20  # left free, so that the closing transaction still finds room
# Asked for before there is an intent: what recording it takes must not lead to a refusal after it.
BEFORE_BYTES = 2 * RESERVE_BYTES
Changes = dict[str, list[Change]]  # by the name of the root, parents before children


@frozen
class Way:
    """The changes to a state, and the directories as they were when those were found."""

    seen: Mapping[str, Entry]  # by the name of the root
    changes: Changes

    def wanted(self) -> Iterable[tuple[str, bytes, Entry]]:
        """Yields root, path and entry of everything that is to be there."""
        for name, listed in self.changes.items():
            for change in listed:
                if change.after is not None:
                    yield name, change.path, change.after


def without_top(changes: Changes) -> Changes:
    """Leaves out the top directory itself, where it was just made to be filled."""
    return {root: [change for change in listed if change.path] for root, listed in changes.items()}


def joined(begun: Changes, gone: Changes) -> Changes:
    """Returns all changes of a way that was begun and then continued from where it had stopped."""
    return {
        root: sorted(
            {change.path: change for change in (*gone.get(root, ()), *listed)}.values(),
            key=lambda change: change.path,
        )
        for root, listed in begun.items()
    }


def neither(was: Changes, shall_be: Changes) -> Changes:
    """Returns entries at paths that are neither; nothing is lost with a directory or a gap."""
    found: Changes = {}
    for root, changes in shall_be.items():
        others = {change.path: change for change in was.get(root, ())}
        edited = [
            change
            for change in changes
            if change.path in others and not _is_held(change) and not _is_held(others[change.path])
        ]
        if edited:
            found[root] = edited
    return found


def _is_held(change: Change) -> bool:
    """Whether an end has what stands there; a crash may part the names of a file, or its time."""
    now, end = change.before, change.after
    if now is None or now.is_dir:
        return True
    return end is not None and (now.mode, now.content) == (end.mode, end.content)


def refuse_in_the_way(changes: Iterable[Change], excluded: Iterable[bytes]) -> None:
    """Refuses to put a file where a directory holds excluded ones, before anything changes."""
    for change in changes:
        if change.after is None or change.after.is_dir:
            continue
        blocked = [shown(path) for path in excluded if tree_path.is_below(path, change.path)]
        if blocked:
            raise Refused(
                f"{shown(change.path)} cannot be restored: excluded files are in the way",
                detail=blocked,
                hints=["move them away; what is excluded is never deleted"],
            )


def refuse_lost(way: Way, verifier: Verifier) -> None:
    """Refuses if content that is needed cannot be read back."""
    bad = [
        named(name, path)
        for name, top, entry in way.wanted()
        if not entry.is_dir
        for path in verifier.damaged_paths(top, entry)
    ]
    if bad:
        raise lost(bad)


def refuse_without_space(
    way: Way, roots: Mapping[str, Path], staging: Path, read: Read, reserve: int
) -> None:
    """Refuses what does not fit; what lies aside goes before that.

    What the way itself removes counts as free: it goes aside first, and makes room if it has to.
    What frees more than it needs is never refused.
    """
    needed = _needed(way, read, block_size(staging))
    if needed + reserve <= free_bytes(staging):
        return
    with beneath.root_directory(staging) as fd:
        purge(fd)
    free, net = free_bytes(staging), needed - _freed(way, roots)
    if net > 0 and net + reserve > free:
        raise Failed(
            f"not enough space in {staging.parent}: {size(net + reserve)} needed, "
            f"{size(free)} free; nothing was changed",
            hints=[FREE_SOME],
        ) from OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refuse_too_large(
    wanted: Mapping[str, Entry], roots: Mapping[str, Path], staging: Path, read: Read
) -> int:
    """Refuses to fill new directories with more than there is room for; returns what they take.

    That is at most: only where it may be too much is it found out what each file really takes.
    """
    block = block_size(staging)
    at_most = sum(_at_most(wanted[name], read, block) for name in roots)
    if at_most + RESERVE_BYTES > free_bytes(staging):
        way = Way({}, {name: list(compare(None, wanted[name], read)) for name in roots})
        refuse_without_space(way, roots, staging, read, RESERVE_BYTES)
    return at_most


def make_room(staging: Path) -> None:
    """Removes what lies aside at once if little is free: what was done has to be recorded."""
    if free_bytes(staging) < RESERVE_BYTES:
        with beneath.root_directory(staging) as fd:
            purge(fd)


def lost(paths: list[str]) -> Damaged:
    """The refusal of a snapshot that cannot be had intact."""
    return Damaged(
        f"stored content is damaged ({counted(len(paths), 'path')}); nothing was changed",
        detail=paths,
    )


def _at_most(wanted: Entry, read: Read, block: int) -> int:
    """The space that a tree takes if no file has holes or a second name."""
    needed, waiting = 0, [wanted.content]
    while waiting:
        for mode, count, identity in contents(read(waiting.pop())):
            if stat.S_ISDIR(mode):
                waiting.append(identity)
            needed += -(-count // block) * block or block
    return needed


def _needed(way: Way, read: Read, block: int) -> int:
    """The space that is taken anew: whole blocks, and none for a further name of a file."""
    takes = [_taken(change, read) for listed in way.changes.values() for change in listed]
    return sum(-(-count // block) * block for count in takes)


def _taken(change: Change, read: Read) -> int:
    before, after = change.before, change.after
    if after is None or after.link not in (b"", change.path):
        return 0
    if after.is_dir:
        return 0 if before is not None and before.is_dir else 1
    return bytes_needed(after, read)


def _freed(way: Way, roots: Mapping[str, Path]) -> int:
    """The space of the files that go, as the system counts it; one with other names frees none."""
    total = 0
    for name, listed in way.changes.items():
        with beneath.root_directory(roots[name]) as root:
            total += sum(_blocks(root, change) for change in listed)
    return total


def _blocks(root: int, change: Change) -> int:
    if change.before is None or not change.before.is_file:
        return 0
    head, name = tree_path.split(change.path)
    try:
        with beneath.directory(root, head) as parent:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except OSError:
        return 0  # closed to us, or gone: what cannot be seen is not counted on
    return found.st_blocks * BLOCK if found.st_nlink == 1 else 0
