"""Walks stored manifests: to find what is damaged, and what is still needed."""

from collections.abc import Iterable, Iterator

from cleveragents.errors import Damaged
from cleveragents.snapshots import content
from cleveragents.snapshots.content import Read
from cleveragents.snapshots.manifest import Entry, decode


def damaged_paths(path: bytes, entry: Entry, read: Read) -> Iterator[bytes]:
    """Reads everything at and below an entry; yields the paths that cannot be had intact."""
    try:
        if entry.is_dir:
            for name, inner in decode(read(entry.content)).items():
                yield from damaged_paths(path + b"/" + name if path else name, inner, read)
        else:
            for identity in content.objects(entry, read):
                read(identity)
    except Damaged:
        yield path


def intact(path: bytes, entry: Entry, read: Read) -> Iterator[tuple[bytes, Entry]]:
    """Yields what can be had intact at and below an entry, parents before children."""
    try:
        if entry.is_dir:
            inside = sorted(decode(read(entry.content)).items())
        else:
            inside = []
            for identity in content.objects(entry, read):
                read(identity)
    except Damaged:
        return
    yield path, entry
    for name, inner in inside:
        yield from intact(path + b"/" + name if path else name, inner, read)


def reachable(entries: Iterable[Entry], read: Read) -> set[bytes]:
    """Returns the ids of every object that the entries need; raises Damaged if one is lost."""
    found: set[bytes] = set()
    waiting = list(entries)
    while waiting:
        entry = waiting.pop()
        if entry.content in found:
            continue
        found.update(content.objects(entry, read))
        if entry.is_dir:
            waiting.extend(decode(read(entry.content)).values())
    return found
