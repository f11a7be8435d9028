"""Picking single paths of one snapshot for another: what is to stand there instead."""

import os
from collections.abc import Iterator, Sequence

from cleveragents.errors import InvalidInput, NotFound, Refused
from cleveragents.records import frozen
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.lookup import Lookup
from cleveragents.snapshots.tree.manifest import EMPTY, Change, Entry, object_id
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.tree.tree_path import above, names, split

NEAR = 3  # names that are suggested for one that is not found


@frozen
class Selection:
    """Entries that replace those that are there, by path."""

    entries: dict[bytes, Entry | None]  # None: nothing does
    absent: tuple[bytes, ...]  # asked for, and not in the snapshot they were to be from
    tops: tuple[bytes, ...]  # the outermost path that each of them changes


def inside(text: str) -> bytes:
    """Returns a path as users write it, seen from the top of the files; refuses every other."""
    if path := inside_or_top(text):
        return path
    raise InvalidInput(
        f"{text!r} is everything, not a path inside the sandbox",
        hints=["to take everything back: agents plan rollback PLAN CHECKPOINT"],
    )


def inside_or_top(text: str) -> bytes:
    """The same, where all of the files may be meant, too."""
    raw = os.fsencode(text)
    found = [name for name in names(raw) if name not in (b"", b".")]
    if raw.startswith(b"/") or b".." in found or b"\0" in raw:
        raise InvalidInput(
            f"{text!r} is not a path inside the sandbox",
            hints=["write it as seen from the top of the project, like src/auth.py"],
        )
    return b"/".join(found)


def is_excluded(filter_: Filter, path: bytes) -> bool:
    """Tells whether a path, or a directory that it is in, is left out."""
    return not filter_.covers(path)


def additions(paths: Sequence[bytes], state: Lookup, base: Lookup) -> list[Change]:
    """Returns what a state lacks and a base can add to it, parents before children."""
    found: dict[bytes, Entry] = {}
    for path in paths:
        parent, entry = split(path)[0], base.find(path)
        above_it = found.get(parent) or state.find(parent)
        if entry is not None and above_it is not None and above_it.is_dir:
            found[path] = entry
    return [
        Change(path, None, entry if entry.link in found else entry._replace(link=b""))
        for path, entry in found.items()
    ]


def pick(paths: Sequence[bytes], held: Lookup, present: Lookup) -> Selection:
    """Picks paths from what is held for what is present; directories are picked as a whole.

    A path that is not held is taken away; one that is nowhere is refused with names near it.
    """
    entries = {path: _held(path, held, present) for path in paths}
    parents: dict[bytes, Entry | None] = {}
    tops: list[bytes] = []
    for path, entry in entries.items():
        missing = [] if entry is None else list(_missing(path, set(paths), present))
        parents |= {parent: _emptied(held.find(parent)) for parent in missing}
        tops.append(missing[0] if missing else path)
    absent = tuple(path for path, entry in entries.items() if entry is None)
    return Selection({**parents, **entries}, absent, tuple(dict.fromkeys(tops)))


def _held(path: bytes, held: Lookup, present: Lookup) -> Entry | None:
    entry = held.find(path)
    if entry is None and path not in present:
        raise NotFound(
            f"there is no {shown(path)}, neither in the checkpoint nor in the sandbox",
            hints=hints_near(path, held, present),
        )
    return entry


def _missing(path: bytes, picked: set[bytes], present: Lookup) -> Iterator[bytes]:
    """Yields the directories above a path that are not there, the outermost first."""
    for parent in above(path):
        there = present.find(parent)
        if parent in picked:
            return  # it comes as a whole
        if there is None:
            yield parent
        elif not there.is_dir:
            raise Refused(
                f"{shown(path)} cannot be put back: {shown(parent)} is no directory any more",
                hints=[f"take that back as a whole: --path {shown(parent)}"],
            )


def _emptied(entry: Entry | None) -> Entry | None:
    return None if entry is None else entry._replace(content=object_id(EMPTY))


def hints_near(path: bytes, *lookups: Lookup) -> list[str]:
    """Names paths that may have been meant: of the same name, or in the same directory."""
    import difflib  # noqa: PLC0415 - slow to import, and only a path that is not there needs it

    head, name = split(path)
    known = {other for lookup in lookups for other in lookup.paths()}
    akin = [
        shown(other)
        for other in sorted(known)
        if head == split(other)[0] or name == split(other)[1]
    ]
    near = ", ".join(difflib.get_close_matches(shown(path), akin, NEAR))
    return [f"did you mean {near}?"] if near else []
