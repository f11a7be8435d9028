"""Puts paths back to what they were, whatever is there; what else is in a directory stays."""

from collections.abc import Iterable, Mapping

from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.content import Objects
from cleveragents.snapshots.tree.lookup import Lookup, with_entries
from cleveragents.snapshots.tree.manifest import Change, Entry, decode, encode


def with_fixed(root: Entry, fixed: Mapping[bytes, Entry | None], objects: Objects) -> Entry:
    """Returns the root of a tree in which paths are what they were, each by itself."""
    there = Lookup(root, objects.read)
    wanted = dict(fixed)
    going: list[bytes] = []  # directories, parents before children
    for path in sorted(fixed):
        entry, present = fixed[path], there.find(path)
        if present is not None and present.is_dir and entry is None:
            del wanted[path]
            going.append(path)
        elif entry is not None and entry.is_dir:
            is_dir = present is not None and present.is_dir
            inside = present.content if present is not None and is_dir else _nothing(objects)
            wanted[path] = entry._replace(content=inside)
    changed = with_entries(root, wanted, objects)
    return with_entries(changed, dict.fromkeys(_emptied(going, changed, objects)), objects)


def crushed(changes: Iterable[Change], fixed: Mapping[bytes, Entry | None]) -> list[Change]:
    """What was in a directory of which a file or nothing becomes, and was not fixed itself."""
    return [
        change
        for change in changes
        if change.after is None
        and change.path not in fixed
        and any(head in fixed for head in tree_path.above(change.path))
    ]


def _emptied(going: Iterable[bytes], root: Entry, objects: Objects) -> set[bytes]:
    """Those of some directories in which nothing else is left."""
    there = Lookup(root, objects.read)
    empty: set[bytes] = set()
    for path in reversed(list(going)):
        entry = there.find(path)
        inside = decode(objects.read(entry.content)) if entry is not None else {}
        if all(tree_path.joined(path, name) in empty for name in inside):
            empty.add(path)
    return empty


def _nothing(objects: Objects) -> bytes:
    return objects.put(encode({}))
