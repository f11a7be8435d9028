"""Compares two manifests; equal subtrees are recognised by their id and never opened."""

from collections.abc import Callable, Iterable, Iterator

from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.manifest import EMPTY, Change, Entry, differences

Load = Callable[[bytes], bytes]  # a directory object by its id


def compare(before: Entry | None, after: Entry | None, load: Load) -> Iterator[Change]:
    """Yields what differs, parents before children; the root itself is the empty path."""
    return _compare(b"", before, after, load)


def same(first: Entry | None, second: Entry | None) -> bool:
    """Whether two entries that are no directories hold the same, whenever that was written."""
    if first is None or second is None:
        return first is second
    return first.content == second.content and first.attributes == second.attributes


def reversed_changes(changes: Iterable[Change]) -> list[Change]:
    """The way back."""
    return [Change(change.path, change.after, change.before) for change in changes]


def alike(found: Entry | None, entry: Entry | None) -> bool:
    """Whether what was seen is what an entry says; what is in a directory is told by itself."""
    if found is not None and entry is not None and found.is_dir and entry.is_dir:
        found = found._replace(content=entry.content)
    return same(found, entry)


def _compare(
    path: bytes, before: Entry | None, after: Entry | None, load: Load
) -> Iterator[Change]:
    if before == after:
        return
    if _itself(before) != _itself(after):
        yield Change(path, before, after)
    for name, old, new in differences(_object(before, load), _object(after, load)):
        yield from _compare(tree_path.joined(path, name), old, new, load)


def _itself(entry: Entry | None) -> Entry | None:
    """A directory without its children; what is below it is compared on its own."""
    return entry._replace(content=b"") if entry is not None and entry.is_dir else entry


def _object(entry: Entry | None, load: Load) -> bytes:
    return load(entry.content) if entry is not None and entry.is_dir else EMPTY
