"""Keeps a tree on disk between processes, so that a fresh one reads only what changed.

A cache is a help, never a truth: one that is damaged, or made for another store or filter, or for
packs that the store no longer has, is ignored. A file is trusted by inode, size, ctime, mtime and
number of links alone; one that was read shortly after it had changed is not trusted at all.
"""

import json
import os
import struct
from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from pathlib import Path

from cleveragents.records import frozen
from cleveragents.snapshots.tree.manifest import ID_BYTES, Entry, decode, encode
from cleveragents.snapshots.tree.node import Node
from cleveragents.snapshots.tree.tree import LinkedFile, Tree

MAGIC = b"castat04"
_RECORD = struct.Struct(
    "<III??Q"
)  # lengths of three parts; has it directories, linked files; inode
_LENGTH = struct.Struct("<I")
_ROOT = b"root"


@frozen
class Cache:
    """Where a tree is kept between processes, and for what it holds."""

    path: Path
    key: bytes
    packs: Callable[[], Collection[str]]  # the packs that the store has now
    has: Callable[[set[str]], bool]  # whether all that was in some packs is still there
    for_any_filter: bool = False  # whether what is left out may be another the next time


def save(path: Path, tree: Tree, key: bytes, packs: Collection[str]) -> None:
    """Writes a tree that is stored; a crash leaves the old cache or the new one."""
    root = encode({_ROOT: tree.root.entry()})
    names = "\n".join(packs).encode()
    # Told by who reads a file, so that those who need not read it again must be told by us.
    notes = json.dumps([(where.hex(), why) for where, why in tree.attributes.items()]).encode()
    parts = [MAGIC, sha256(key).digest(), _LENGTH.pack(len(names)), names]
    parts += [_LENGTH.pack(len(notes)), notes]
    parts += [_LENGTH.pack(len(root)), root, _LENGTH.pack(tree.files)]
    linked = {node for node, _ in tree.linked}
    parts.extend(part for node in tree.nodes() for part in _record(node, linked))
    digest = sha256()
    temporary = path.with_name(path.name + ".new")
    try:
        with open(temporary, "wb", buffering=1 << 20) as file:
            for part in parts:
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)  # a full disk needs the room it takes
        raise


def load(path: Path, key: bytes, has: Callable[[set[str]], bool]) -> Tree | None:
    """Reads a tree back; None if there is none that can be used."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    body = memoryview(data)[:-ID_BYTES]
    head = MAGIC + sha256(key).digest()
    if bytes(body[: len(head)]) != head or sha256(body).digest() != data[-ID_BYTES:]:
        return None
    at = len(head) + _LENGTH.size
    (length,) = _LENGTH.unpack_from(body, len(head))
    if not has(set(bytes(body[at : at + length]).decode().splitlines())):
        return None  # what it calls stored may be gone
    return _read(body[at + length :])


def _record(node: Node, linked: set[Node]) -> tuple[bytes, ...]:
    parts = (node.path, node.packed, node.signatures)
    lengths = map(len, parts)
    return _RECORD.pack(*lengths, bool(node.children), node in linked, node.inode), *parts


def _read(data: memoryview) -> Tree:
    """Takes each directory as it lies there: nothing is done for a plain file."""
    tree = Tree()
    (length,) = _LENGTH.unpack_from(data)
    at = _LENGTH.size + length
    notes: list[tuple[str, str]] = json.loads(bytes(data[_LENGTH.size : at]))
    tree.attributes.update((bytes.fromhex(path), why) for path, why in notes)
    data = data[at:]
    (length,) = _LENGTH.unpack_from(data)
    at = _LENGTH.size + length
    expected = {b"": (tree.root, decode(bytes(data[_LENGTH.size : at]))[_ROOT])}
    (tree.files,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    while at < len(data):
        *lengths, has_directories, has_linked, inode = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        parts: list[bytes] = []
        for length in lengths:
            parts.append(bytes(data[at : at + length]))
            at += length
        path, packed, signatures = parts
        node, entry = expected.pop(path)
        node.take(entry, packed, signatures, inode)
        if has_directories:
            expected.update(_children(node))
        if has_linked:
            tree.linked.update(_linked(node))
    return tree


def _children(node: Node) -> Iterator[tuple[bytes, tuple[Node, Entry]]]:
    """Makes the directories in one, which are read next; yields them with what it says of them."""
    for name, entry in decode(node.packed).items():
        if entry.is_dir:
            child = node.children[name] = Node(node.inner(name), node)
            yield child.path, (child, entry)


def _linked(node: Node) -> Iterator[tuple[tuple[Node, bytes], LinkedFile]]:
    """Finds the files with several names in a directory that has some."""
    for name, (links, inode, *_) in zip(node.names(), node.expected(), strict=True):
        if links > 1:
            yield (node, name), LinkedFile(inode, links)
