"""Merges two manifests that went their own ways from a common one.

What is equal by id is never opened. Times play no part: a file that was only touched counts as
unchanged. Where both sides changed the same thing the result is ours, and a conflict tells of it;
nothing is written but new objects, so the result can be looked at and thrown away.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from cleveragents.records import frozen
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.content import CHUNK, Objects, Put, Read
from cleveragents.snapshots.tree.diff import compare, same
from cleveragents.snapshots.tree.manifest import Directory, Entry, decode, encode, object_id

MergeText = Callable[[bytes, bytes, bytes], bytes | None]  # base, ours, theirs; None: conflict
LeftAlone = Callable[[bytes], bool]  # paths of which the result has ours, whatever theirs holds
Value = TypeVar("Value")


@frozen
class MergeConflict:
    """A path that both sides changed in ways that do not go together."""

    path: bytes
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None

    @property
    def reason(self) -> str:
        """Its fate on each side, in a few words."""
        if self.ours is None or self.theirs is None:
            return "changed on one side, deleted on the other"
        if self.ours.kind != self.theirs.kind:
            return "of another kind on each side"
        return "changed on both sides" if self.base is not None else "added on both sides"


class MergedEntry(NamedTuple):
    """The result of a merge: the root's entry, and where it holds only what ours has."""

    root: Entry
    conflicts: tuple[MergeConflict, ...]
    attributes: tuple[MergeConflict, ...]  # directories of which only mode or attributes do not go


class PendingMerge:
    """Objects that a merge made, on top of those that are stored; nothing of it is written yet."""

    def __init__(self, stored: Read) -> None:
        self._stored = stored
        self._new: dict[bytes, bytes] = {}

    def read(self, identity: bytes) -> bytes:
        """Returns an object, new or stored."""
        return self._new[identity] if identity in self._new else self._stored(identity)

    def put(self, data: bytes) -> bytes:
        """Takes an object; returns its id."""
        identity = object_id(data)
        self._new[identity] = data
        return identity

    def store(self, put: Put) -> None:
        """Hands every new object on."""
        for data in self._new.values():
            put(data)


class Sides(NamedTuple):
    """The three versions of one path."""

    base: Entry | None
    ours: Entry | None
    theirs: Entry | None


def three_way(
    base: Entry,
    ours: Entry,
    theirs: Entry,
    merge_text: MergeText,
    objects: Objects,
    left_alone: LeftAlone = lambda _: False,
) -> MergedEntry:
    """Merges three directories given by their roots; new objects go to `objects`."""
    merging = _Merge(merge_text, objects, left_alone)
    inside = merging.inside(b"", Sides(base, ours, theirs))
    root = _own(base, ours, theirs)._replace(content=objects.put(encode(inside)))
    settled = with_links_settled(ours, root, objects)
    return MergedEntry(settled, tuple(merging.conflicts), tuple(merging.attributes))


def with_links_settled(ours: Entry, changed: Entry, objects: Objects) -> Entry:
    """Returns a changed root whose hard-link groups are such that a directory can have them."""
    return _Links(objects).settled(ours, changed)


class _Merge:
    def __init__(self, merge_text: MergeText, objects: Objects, left_alone: LeftAlone) -> None:
        self._merge_text = merge_text
        self._objects = objects
        self._left_alone = left_alone
        self.conflicts: list[MergeConflict] = []
        self.attributes: list[MergeConflict] = []

    def entries(self, path: bytes, sides: Sides) -> Entry | None:
        """Merges what stands at one path."""
        base, ours, theirs = sides
        if theirs in (ours, base) or self._left_alone(path):
            return ours
        if not _is_file(ours) and not _is_file(theirs):
            return self._directories(path, sides)
        if not _is_directory(ours) and not _is_directory(theirs):
            return self._files(path, sides)
        if self._unchanged(base, theirs):
            return ours
        if self._unchanged(base, ours):
            return self.entries(path, Sides(None, None, theirs))
        return self._conflict(path, sides)

    def inside(self, path: bytes, sides: Sides) -> Directory:
        """Merges directories name by name; a side without one has none of its names."""
        olds, mine, others = (self._children(entry) for entry in sides)
        merged: Directory = {}
        for name in sorted(mine.keys() | others.keys()):
            inner = tree_path.joined(path, name)
            entry = self.entries(inner, Sides(olds.get(name), mine.get(name), others.get(name)))
            if entry is not None:
                merged[name] = entry
        return merged

    def _directories(self, path: bytes, sides: Sides) -> Entry | None:
        base, ours, theirs = sides
        merged = self.inside(path, sides)
        own = ours if theirs is None else theirs if ours is None else _own(base, ours, theirs)
        one_sided = ours is None or theirs is None
        # Emptied by the side that removed it, or all that is new in it was left alone.
        is_known = _is_directory(base) or bool(self._children(theirs))
        gone = one_sided and not merged and is_known
        if _is_directory(base) and _have_other_attributes(*sides, gone=gone):
            self.attributes.append(MergeConflict(path, *sides))
        if own is None or gone:
            return None
        return own._replace(content=self._objects.put(encode(merged)))

    def _files(self, path: bytes, sides: Sides) -> Entry | None:
        base, ours, theirs = sides
        if same(ours, theirs):
            return _grouped(base, ours, theirs)
        if same(base, theirs):
            return ours
        if same(base, ours):
            return theirs
        return self._both_changed(*sides) or self._conflict(path, sides)

    def _both_changed(
        self, base: Entry | None, ours: Entry | None, theirs: Entry | None
    ) -> Entry | None:
        if base is None or ours is None or theirs is None:
            return None
        if not (base.is_file and ours.is_file and theirs.is_file):
            return None
        merged = self._content(base, ours, theirs)
        mode = _picked(base.mode, ours.mode, theirs.mode)
        xattrs = _picked(base.xattrs, ours.xattrs, theirs.xattrs)
        if merged is None or mode is None or xattrs is None:
            return None
        return merged._replace(mode=mode, xattrs=xattrs)

    def _content(self, base: Entry, ours: Entry, theirs: Entry) -> Entry | None:
        """Returns the side whose content counts, or ours with the merged text."""
        if theirs.content in (base.content, ours.content):
            return ours
        if base.content == ours.content:
            return theirs
        if max(base.size, ours.size, theirs.size) > CHUNK:
            return None
        texts = [self._objects.read(side.content) for side in (base, ours, theirs)]
        merged = None if any(b"\0" in text for text in texts) else self._merge_text(*texts)
        if merged is None or len(merged) > CHUNK:
            return None
        newest = max(ours.mtime_ns, theirs.mtime_ns)
        content = self._objects.put(merged)
        return ours._replace(size=len(merged), mtime_ns=newest, content=content, link=b"")

    def _unchanged(self, before: Entry | None, after: Entry | None) -> bool:
        """Whether nothing but times differs at and below a path."""
        if before == after:
            return True
        if before is None or after is None:
            return False
        if not (before.is_dir and after.is_dir):
            return same(before, after)
        olds, news = self._children(before), self._children(after)
        return (
            before.attributes == after.attributes
            and olds.keys() == news.keys()
            and all(self._unchanged(olds[name], news[name]) for name in olds)
        )

    def _conflict(self, path: bytes, sides: Sides) -> Entry | None:
        self.conflicts.append(MergeConflict(path, *sides))
        return sides.ours

    def _children(self, entry: Entry | None) -> Directory:
        if entry is None or not entry.is_dir:
            return {}
        return decode(self._objects.read(entry.content))


class _Links:
    """Puts the hard-link groups of a changed tree right: a change may have torn or mixed them."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def settled(self, ours: Entry, merged: Entry) -> Entry:
        """Returns the root with groups of files that are really equal, each under its first."""
        changed = compare(ours, merged, self._objects.read)
        if not any(
            entry is not None and entry.link
            for change in changed
            for entry in (change.before, change.after)
        ):
            return merged
        groups: dict[Entry, list[bytes]] = {}
        for path, entry in self._linked(b"", merged):
            groups.setdefault(entry, []).append(path)
        leaders = {
            path: min(paths) if len(paths) > 1 else b""
            for paths in groups.values()
            for path in paths
        }
        return self._relinked(b"", merged, leaders)

    def _linked(self, path: bytes, entry: Entry) -> Iterator[tuple[bytes, Entry]]:
        if entry.link:
            yield path, entry
        for name, inner in self._inside(entry).items():
            yield from self._linked(tree_path.joined(path, name), inner)

    def _relinked(self, path: bytes, entry: Entry, leaders: dict[bytes, bytes]) -> Entry:
        if not entry.is_dir:
            return entry._replace(link=leaders[path]) if entry.link else entry
        inside = {
            name: self._relinked(tree_path.joined(path, name), inner, leaders)
            for name, inner in self._inside(entry).items()
        }
        return entry._replace(content=self._objects.put(encode(inside)))

    def _inside(self, entry: Entry) -> Directory:
        return decode(self._objects.read(entry.content)) if entry.is_dir else {}


def _own(base: Entry | None, ours: Entry, theirs: Entry) -> Entry:
    """The side whose mode and attributes a directory gets; where both changed them, ours."""
    unchanged = base is not None and base.attributes == ours.attributes
    return theirs if unchanged else ours


def _have_other_attributes(
    base: Entry | None, ours: Entry | None, theirs: Entry | None, *, gone: bool
) -> bool:
    """Whether what ours made of a directory itself is in the way of what theirs made of it."""
    if base is None or ours is None or ours.attributes == base.attributes:
        return False
    if theirs is None:
        return gone
    return theirs.attributes not in (base.attributes, ours.attributes)


def _grouped(base: Entry | None, ours: Entry | None, theirs: Entry | None) -> Entry | None:
    """Ours, in the hard-link group that theirs put it into if ours left it where it was."""
    if base is None or ours is None or theirs is None or base.link != ours.link:
        return ours
    return ours._replace(link=theirs.link)


def _picked(base: Value, ours: Value, theirs: Value) -> Value | None:
    """Returns what the one side that changed it made of a value; None if both did."""
    if theirs in (base, ours):
        return ours
    return theirs if base == ours else None


def _is_directory(entry: Entry | None) -> bool:
    return entry is not None and entry.is_dir


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and not entry.is_dir
