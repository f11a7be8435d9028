"""Changes of files as users read them."""

import os
from collections.abc import Callable, Iterable, Iterator

from cleveragents.records import frozen
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.way import Changes


@frozen
class FileChange:
    """A change of one path."""

    file: str
    action: str  # restored | removed; of single paths also relinked: it holds what it did


def action(change: Change) -> str:
    """Names what going back to a whole state does to a path."""
    return "removed" if change.after is None else "restored"


def action_on_path(change: Change) -> str:
    """The same for who takes single paths back: others may lose a hard link by that."""
    before, after = change.before, change.after
    is_same = before is not None and after is not None and before._replace(link=after.link) == after
    return "relinked" if is_same else action(change)


def described(
    changes: Changes, action_of: Callable[[Change], str] = action
) -> tuple[FileChange, ...]:
    """Lists changes as users read them: files, and directories that nothing in them tells of.

    The sandbox's own git directory is one line: its parts are git's affair.
    """
    found: list[FileChange] = []
    for change in telling(changes[MAIN]):
        entry = change.after or change.before
        is_dir = entry is not None and entry.is_dir
        path = (os.fsdecode(change.path) or ".") + ("/" if is_dir else "")
        found.append(FileChange(path, action_of(change)))
    if any(listed for name, listed in changes.items() if name != MAIN):
        found.append(FileChange(".git/", "restored"))
    return tuple(found)


def telling(changes: Iterable[Change]) -> Iterator[Change]:
    """Leaves out directories that are told by what is in them, unless mode or kind differ."""
    listed = list(changes)
    parents = {parent for change in listed for parent in tree_path.above(change.path)}
    parents |= {b"" for change in listed if change.path}
    for change in listed:
        entry = change.after or change.before
        is_told = entry is not None and entry.is_dir and change.path in parents
        if not is_told or has_other_mode(change):
            yield change


def has_other_mode(change: Change) -> bool:
    """Whether something is there before and after, with other permissions or of another kind."""
    before, after = change.before, change.after
    return before is not None and after is not None and before.mode != after.mode
