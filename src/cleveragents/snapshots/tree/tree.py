"""A directory tree in memory: every entry as last seen, and how much of it is stored.

A change clears what its directory and those above it know of their ids and of being stored, so
that encoding and storing visit only what changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.manifest import Entry, Version, object_id
from cleveragents.snapshots.tree.node import Node, OpenDirectory
from cleveragents.snapshots.tree.signature import Signature

EXCLUDED = "excluded"
LINKED_OUTSIDE = "it has hard links outside and would be restored as a copy"


class Sink(Protocol):
    """Takes the objects of a tree and tells their ids; a storing one keeps them.

    `pieces` are those of a file that is stored: what it is now may be kept as a difference to them.
    """

    stores: bool

    def put(self, data: bytes, version: Version | None = None, /) -> bytes: ...

    def pieces(self, entry: Entry) -> Sequence[bytes]: ...


class LinkedFile(NamedTuple):
    """A file with several names, as far as it is known."""

    inode: int
    names: int  # how many there are, inside and outside


class Tree:
    """A root and what must be known across its directories."""

    def __init__(self) -> None:
        self.root = Node(b"", None)
        self.files = 0
        self.left_out: dict[bytes, str] = {}  # paths that are not in the tree, and why
        self.attributes: dict[bytes, str] = {}  # paths of which something is not captured
        self.linked: dict[tuple[Node, bytes], LinkedFile] = {}  # files with several names
        self.changed = False  # whether any entry differed since somebody asked
        self._opened: list[Node] = []
        self._explained: set[LinkedFile] = set()

    def put(self, node: Node, name: bytes, entry: Entry, signature: Signature | None) -> None:
        """Notes an entry that is no directory; only regular files have a signature."""
        replaced = None if signature is None else node.replace(name, entry, signature)
        if replaced is not None:
            self._note_change(node, name, replaced, entry)
            return
        entries, signatures = self.open(node)
        if signature is not None:
            self.files += name not in signatures
            signatures[name] = signature
        else:
            self.files -= signatures.pop(name, None) is not None
            self.linked.pop((node, name), None)
        known = entries.get(name)
        if known is not None and (node, name) in self.linked:
            entry = entry._replace(link=known.link)  # groups are settled when all is known
        entries[name] = entry
        self._note_change(node, name, known, entry)

    def _note_change(self, node: Node, name: bytes, known: Entry | None, entry: Entry) -> None:
        if known == entry:
            return
        if known is None or known.content != entry.content:
            node.unstored.add(name)
        node.touch()
        self.changed = True

    def set_own(self, node: Node, own: Entry) -> None:
        """Notes a directory's mode and attributes."""
        if own != node.own:
            node.own = own
            self.changed = True
            if node.parent is not None:
                self.open(node.parent)
                node.parent.touch()

    def add_child(self, node: Node, name: bytes) -> Node:
        """Notes a directory that was not there."""
        self.open(node)
        node.touch()
        self.changed = True
        child = node.children[name] = Node(node.inner(name), node)
        return child

    def remove(self, node: Node, name: bytes) -> None:
        """Forgets an entry that is no directory."""
        entries, signatures = self.open(node)
        if entries.pop(name, None) is not None:
            node.touch()
            self.changed = True
        if signatures.pop(name, None) is not None:
            self.files -= 1
        node.unstored.discard(name)
        self.linked.pop((node, name), None)
        self.attributes.pop(node.inner(name), None)

    def remove_child(self, node: Node, name: bytes) -> Iterator[Node]:
        """Forgets a directory with everything in it; yields the directories that went."""
        self.open(node)
        node.touch()
        self.changed = True
        waiting = [node.children.pop(name)]
        prefix = node.inner(name) + b"/"
        while waiting:
            gone = waiting.pop()
            for inner in list(self.open(gone).entries):
                self.remove(gone, inner)
            waiting.extend(gone.children.values())
            yield gone
        for notes in (self.left_out, self.attributes):
            for path in [path for path in notes if path.startswith(prefix)]:
                del notes[path]

    def leave_out(self, excluded: Callable[[bytes], bool]) -> list[Node]:
        """Forgets what is not to be in it any more; returns the directories that went."""
        doomed = [
            (node, name)
            for node in self.nodes()
            for name in node.names()
            if excluded(node.inner(name))
        ]
        gone: list[Node] = []
        for node, name in doomed:
            if name in node.children:
                gone += self.remove_child(node, name)
            else:
                self.remove(node, name)
        return gone

    def encode(self, sink: Sink) -> Entry:
        """Returns the root's entry, storing what is not stored if the sink keeps it."""
        self._settle_links()
        _encode(self.root, sink)
        for node in self._opened:
            node.close()
        self._opened.clear()
        return self.root.entry()

    def open(self, node: Node) -> OpenDirectory:
        """Returns the entries of a directory for changing."""
        if node.opened is None:
            self._opened.append(node)
        return node.open()

    def close(self, node: Node) -> None:
        """Takes a directory back to bytes, ids below it aside: entries of all at once are many."""
        if node.opened is not None:
            node.pack(())

    def notes(self) -> Mapping[bytes, str]:
        """Returns everything that is not captured, and why."""
        return {**self.left_out, **self.attributes, **self._linked_outside()}

    def missed(self) -> Iterator[bytes]:
        """Yields the paths that could not be captured, though nothing excludes them."""
        return (path for path, why in self.left_out.items() if why != EXCLUDED)

    def place_of(self, path: bytes) -> tuple[Node, bytes] | None:
        """Returns the directory that a path lies in, and its name there."""
        head, name = tree_path.split(path)
        node: Node | None = self.root
        for step in tree_path.names(head):
            node = None if node is None else node.children.get(step)
        return None if node is None else (node, name)

    def nodes(self) -> Iterator[Node]:
        """Yields every directory, parents before children."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            waiting.extend(node.children.values())
            yield node

    def not_stored(self) -> Iterator[Node]:
        """Yields the directories of which something is not stored."""
        waiting = [] if self.root.stored else [self.root]
        while waiting:
            node = waiting.pop()
            waiting.extend(child for child in node.children.values() if not child.stored)
            yield node

    def mark_stored(self) -> None:
        """Says that all of it is kept now."""
        for node in self.not_stored():
            node.mark_stored()

    def has_unexplained_links(self) -> bool:
        """Whether a file has more names than are known and nobody has looked for them yet."""
        return not self._incomplete() <= self._explained

    def explain_links(self) -> None:
        """Says that everything was looked at: names that are still unknown lie outside."""
        self._explained = self._incomplete()

    def _incomplete(self) -> set[LinkedFile]:
        groups = (members for members in self._groups() if members)
        return {
            self.linked[members[0]]
            for members in groups
            if len(members) < self.linked[members[0]].names
        }

    def _groups(self) -> Iterator[list[tuple[Node, bytes]]]:
        groups: dict[int, list[tuple[Node, bytes]]] = {}
        for member, linked in self.linked.items():
            groups.setdefault(linked.inode, []).append(member)
        yield from groups.values()

    def _settle_links(self) -> None:
        """Marks files that share an inode with the path of the first of them."""
        for members in self._groups():
            first = min(node.inner(name) for node, name in members) if len(members) > 1 else b""
            for node, name in members:
                entries = self.open(node).entries
                if entries[name].link != first:
                    entries[name] = entries[name]._replace(link=first)
                    node.touch()

    def _linked_outside(self) -> Mapping[bytes, str]:
        return {
            min(node.inner(name) for node, name in members): LINKED_OUTSIDE
            for members in self._groups()
            if len(members) < self.linked[members[0]].names
        }


def _encode(node: Node, sink: Sink) -> None:
    if node.identity is not None and (node.stored or not sink.stores):
        return
    stores = sink.stores  # asked for every directory there is
    renewed = [
        name
        for name, child in node.children.items()
        if not child.stored and (stores or child.identity is None)
    ]
    for name in renewed:
        _encode(node.children[name], sink)
    if node.identity is None:
        node.pack(renewed)
    node.identity = sink.put(node.packed, node.version) if sink.stores else object_id(node.packed)
