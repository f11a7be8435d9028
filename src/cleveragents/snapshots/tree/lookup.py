"""Single paths of a manifest: finding them, and putting other entries in their place."""

from collections.abc import Iterator, Mapping

from cleveragents.records import field, mutable
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.content import Objects
from cleveragents.snapshots.tree.diff import Load, compare
from cleveragents.snapshots.tree.manifest import EMPTY, Entry, Listing, decode, encode


class Lookup:
    """Finds entries by path; a directory is read once."""

    def __init__(self, root: Entry, load: Load) -> None:
        self._root = root
        self._load = load
        self._known: dict[bytes, Listing] = {}

    def find(self, path: bytes) -> Entry | None:
        """Returns what stands at a path; None if nothing does."""
        if not path:
            return self._root
        above, name = tree_path.split(path)
        if above not in self._known:
            entry = self.find(above)
            listed = self._load(entry.content) if entry is not None and entry.is_dir else EMPTY
            self._known[above] = Listing(listed)
        return self._known[above].get(name)

    def __contains__(self, path: bytes) -> bool:
        return self.find(path) is not None

    def paths(self) -> Iterator[bytes]:
        """Yields every path below the root."""
        return (change.path for change in compare(None, self._root, self._load) if change.path)


@mutable
class _Branch:
    """The changes at and below one path."""

    given: bool = False  # whether `entry` takes the place of what is there
    entry: Entry | None = None
    below: dict[bytes, "_Branch"] = field(default_factory=dict[bytes, "_Branch"])


def with_entries(root: Entry, wanted: Mapping[bytes, Entry | None], objects: Objects) -> Entry:
    """Returns the root of a tree that has the wanted entries; None takes what is there away.

    Where there is no directory to put an entry into, there is no place for it.
    """
    top = _Branch()
    for path, entry in wanted.items():
        branch = top
        for name in tree_path.names(path):
            branch = branch.below.setdefault(name, _Branch())
        branch.given, branch.entry = True, entry
    changed = _changed(root, top, objects)
    return root if changed is None else changed


def _changed(present: Entry | None, branch: _Branch, objects: Objects) -> Entry | None:
    entry = branch.entry if branch.given else present
    if entry is None or not entry.is_dir or not branch.below:
        return entry
    inside = decode(objects.read(entry.content))
    for name, below in branch.below.items():
        child = _changed(inside.get(name), below, objects)
        if child is None:
            inside.pop(name, None)
        else:
            inside[name] = child
    return entry._replace(content=objects.put(encode(inside)))
