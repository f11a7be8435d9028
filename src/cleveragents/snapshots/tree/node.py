"""One directory of a tree in memory, kept as bytes while nobody touches it.

It is two byte strings, its object and the signatures of its files, and is opened into entries when
something in it changes. It knows its id while nothing below it has changed, and whether that id,
with everything below it, is in the store.
"""

from collections.abc import Iterable
from typing import NamedTuple

from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.manifest import (
    EMPTY,
    NO_CONTENT,
    Directory,
    Entry,
    Rewrite,
    Version,
    decode,
    encode,
    is_plain,
    joined_names_of,
    names_of,
)
from cleveragents.snapshots.tree.signature import PACKED, UNTRUSTED, Signature


class OpenDirectory(NamedTuple):
    """The entries of a directory while they change; directories are not among them."""

    entries: Directory
    signatures: dict[bytes, Signature]  # of regular files


class Node:
    """One directory."""

    __slots__ = (
        "children",
        "identity",
        "inode",
        "opened",
        "own",
        "packed",
        "parent",
        "path",
        "signatures",
        "stored",
        "unstored",
        "version",
        "watch",
    )

    def __init__(self, path: bytes, parent: "Node | None") -> None:
        self.path = path
        self.parent = parent
        self.inode = 0
        self.own = Entry(0)  # its mode and attributes; they stand in its parent's object
        self.packed = EMPTY  # its object
        self.signatures = b""  # one row for each entry of the object
        self.opened: OpenDirectory | None = None
        self.children: dict[bytes, Node] = {}
        self.identity: bytes | None = None
        self.stored = False
        self.unstored: set[bytes] = set()  # entries whose content is known but not kept
        self.version: Version | None = None  # what this process stored of it last
        self.watch = -1

    def inner(self, name: bytes) -> bytes:
        """The path of something in it."""
        return tree_path.joined(self.path, name)

    def touch(self) -> None:
        """Says that something in it is no longer what it was."""
        node: Node | None = self
        while node is not None and (node.identity is not None or node.stored):
            node.identity = None
            node.stored = False
            node = node.parent

    def mark_stored(self) -> None:
        """Says that it is in the store as it is now, with everything below it."""
        self.stored = True
        self.unstored.clear()
        if self.identity is not None:
            self.version = Version(self.identity, self.packed)

    def take(self, entry: Entry, packed: bytes, signatures: bytes, inode: int) -> None:
        """Takes over what was seen or placed before, and is stored."""
        self.own = entry._replace(content=NO_CONTENT)
        self.identity = entry.content
        self.packed, self.signatures, self.inode = packed, signatures, inode
        self.stored = True

    def open(self) -> OpenDirectory:
        """Returns its entries for changing."""
        if self.opened is None:
            found = decode(self.packed)
            entries = {name: entry for name, entry in found.items() if not entry.is_dir}
            rows = zip(found.items(), PACKED.iter_unpack(self.signatures), strict=True)
            signatures = {name: row for (name, entry), row in rows if entry.is_file}
            self.opened = OpenDirectory(entries, signatures)
        return self.opened

    def names(self) -> list[bytes]:
        """Returns what is in it, sorted."""
        if self.opened is not None:
            return sorted([*self.opened.entries, *self.children])
        return names_of(self.packed)

    def joined_names(self) -> bytes:
        """Returns the same as they stand there, with a zero byte between them."""
        return joined_names_of(self.packed)

    def expected(self) -> list[Signature]:
        """Returns the signature of each name; of what is no regular file one that never is."""
        return [*PACKED.iter_unpack(self.signatures)]

    def entry(self) -> Entry:
        """Returns the entry that stands for it in its parent, without an id if none is known."""
        return self.own._replace(content=self.identity or NO_CONTENT)

    def pack(self, renewed: Iterable[bytes]) -> None:
        """Makes its object anew; of the directories in it, those named have a new id."""
        if self.opened is not None:
            directories = {name: child.entry() for name, child in self.children.items()}
            self.packed = encode({**self.opened.entries, **directories})
            self.close()
            return
        rewrite = Rewrite(self.packed)
        for name in renewed:
            rewrite.set_content(name, self.children[name].identity or b"")
        self.packed = rewrite.data()

    def known(self, name: bytes) -> Entry | None:
        """Returns a file as it was last seen; None if there was none, or it is not a plain one."""
        if self.opened is not None:
            entry = self.opened.entries.get(name)
        else:
            rewrite = Rewrite(self.packed)
            index = rewrite.find(name)
            entry = None if index is None else rewrite.entry(index)
        return entry if entry is not None and entry.is_file else None

    def replace(self, name: bytes, entry: Entry, signature: Signature) -> Entry | None:
        """Replaces a plain file where it stands; returns what it was, None if that cannot be."""
        if self.opened is not None or not is_plain(entry):
            return None
        rewrite = Rewrite(self.packed)
        index = rewrite.find(name)
        known = None if index is None else rewrite.entry(index)
        if index is None or known is None or not known.is_file:
            return None
        if known != entry:
            rewrite.replace(index, entry)
            self.packed = rewrite.data()
        at = index * PACKED.size
        row = PACKED.pack(*signature)
        self.signatures = self.signatures[:at] + row + self.signatures[at + PACKED.size :]
        return known

    def close(self) -> None:
        """Goes back to bytes; the object must be that of the entries."""
        if self.opened is not None:
            entries, signatures = self.opened
            names = sorted([*entries, *self.children])
            self.signatures = b"".join(
                PACKED.pack(*signatures.get(name, UNTRUSTED)) for name in names
            )
            self.opened = None
