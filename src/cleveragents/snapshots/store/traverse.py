"""Walks stored manifests: to find what is damaged, and what is still needed."""

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping

from cleveragents.errors import Damaged
from cleveragents.snapshots.tree import content, long_work, tree_path
from cleveragents.snapshots.tree.content import Read
from cleveragents.snapshots.tree.lookup import Lookup
from cleveragents.snapshots.tree.manifest import Entry, contents, decode

Revisions = Mapping[bytes, Iterable[bytes]]  # what files are differences to
Bases = Callable[[bytes], Iterable[bytes] | None]  # what reading an object needs besides itself


class Verifier:
    """Reads content back, each object once, however many entries share it."""

    def __init__(self, read: Read, known: Mapping[bytes, bool] | None = None) -> None:
        self._read = read
        self.missed: set[bytes] = set()  # objects that something needs and nobody has
        self._lost = dict(known or {})  # by object of a file or link; what was read before counts
        self._large: dict[bytes, bool] = {}  # by chunk list: whether a part of it is lost
        self._below: dict[bytes, list[bytes]] = {}  # by directory: the lost paths, from there

    def damaged_paths(self, path: bytes, entry: Entry) -> list[bytes]:
        """Returns the paths at and below an entry that cannot be had intact."""
        if entry.is_dir:
            return [tree_path.joined(path, inner) for inner in self._directory(entry.content)]
        return [path] if self._is_damaged(entry) else []

    def damaged_at(self, root: Entry, paths: Iterable[bytes]) -> list[bytes]:
        """Returns which single paths of a tree cannot be had intact, with all that leads to them.

        What is inside a directory is not looked at; a path that the tree does not have is intact.
        """
        known = Lookup(root, self._opened)
        return [path for path in paths if self._cannot_be_had(path, known)]

    def _cannot_be_had(self, path: bytes, known: Lookup) -> bool:
        try:
            entry = known.find(path)
            if entry is not None and entry.is_dir:
                self._opened(entry.content)
        except Damaged:
            return True
        return entry is not None and not entry.is_dir and self._is_damaged(entry)

    def _opened(self, identity: bytes) -> bytes:
        """Reads a directory; one that cannot be read is tried once."""
        if identity not in self.missed:
            try:
                return self._read(identity)
            except Damaged:
                self.missed.add(identity)
        raise Damaged(f"object {identity.hex()} cannot be read")

    def _directory(self, identity: bytes) -> list[bytes]:
        if identity not in self._below:
            try:
                inside = decode(self._read(identity))
            except Damaged:
                self.missed.add(identity)
                self._below[identity] = [b""]
                return [b""]
            found: list[bytes] = []
            for name, entry in inside.items():
                found += self.damaged_paths(name, entry)
            self._below[identity] = found
        return self._below[identity]

    def _is_damaged(self, entry: Entry) -> bool:
        if entry.size <= content.CHUNK:
            return entry.has_content and self._is_lost(entry.content)
        if entry.content not in self._large:
            self._large[entry.content] = self._lacks_chunk(entry)
        return self._large[entry.content]

    def _lacks_chunk(self, entry: Entry) -> bool:
        try:
            _, *chunks = content.objects(entry, self._read)
        except Damaged:
            self.missed.add(entry.content)
            return True
        lost = [chunk for chunk in chunks if self._is_lost(chunk)]
        return bool(lost)

    def _is_lost(self, identity: bytes) -> bool:
        if identity not in self._lost:
            try:
                long_work.passed(len(self._read(identity)))
            except Damaged:
                self._lost[identity] = True
            else:
                self._lost[identity] = False
        if self._lost[identity]:
            self.missed.add(identity)
        return self._lost[identity]


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
        yield from intact(tree_path.joined(path, name), inner, read)


def reachable(
    entries: Iterable[Entry], read: Read, bases: Bases, revisions: Revisions
) -> set[bytes]:
    """Returns the ids of every object that directories need; raises Damaged if one is lost."""
    found: set[bytes] = set()
    walked: set[bytes] = set()  # a base is needed for its bytes, not for what it lists
    waiting = [entry.content for entry in entries]
    while waiting:
        directory = waiting.pop()
        if directory in walked:
            continue
        walked.add(directory)
        known = len(found)
        found.add(directory)
        found.update(bases(directory) or ())
        for mode, size, identity in contents(read(directory)):
            if stat.S_ISDIR(mode):
                waiting.append(identity)
            elif size > content.CHUNK:
                found.update(content.objects(Entry(mode, size, content=identity), read))
            else:
                found.add(identity)
        long_work.passed(0, files=len(found) - known)
    return found | _beneath(found, revisions)


def _beneath(found: set[bytes], revisions: Revisions) -> set[bytes]:
    """Returns what files among these are differences to, and what that is one to, and so on."""
    needed: set[bytes] = set()
    waiting = [identity for identity in revisions if identity in found]
    while waiting:
        bases = set(revisions.get(waiting.pop(), ())) - needed
        needed |= bases
        waiting += bases
    return needed
