"""Keeps a tree on disk between processes, so that a fresh one reads only what changed.

A cache is a help, never a truth: one that is damaged, or made for another store or filter, or for
packs that the store no longer has, is ignored. A file is trusted by inode, size, ctime, mtime and
number of links alone; one that was read shortly after it had changed is not trusted at all.
"""

import os
import stat
import struct
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path

from cleveragents.snapshots.manifest import ID_BYTES, Entry, decode, encode
from cleveragents.snapshots.node import Node
from cleveragents.snapshots.tree import Linked, Tree

MAGIC = b"castat02"
_RECORD = struct.Struct("<IIIQ")  # lengths of path, object and signatures; inode
_LENGTH = struct.Struct("<I")
_ROOT = b"root"


def save(path: Path, tree: Tree, key: bytes, packs: Collection[str]) -> None:
    """Writes a tree that is stored; a crash leaves the old cache or the new one."""
    root = encode({_ROOT: tree.root.entry()})
    names = "\n".join(packs).encode()
    parts = [MAGIC, sha256(key).digest(), _LENGTH.pack(len(names)), names]
    parts += [_LENGTH.pack(len(root)), root]
    parts.extend(part for node in tree.nodes() for part in _record(node))
    digest = sha256()
    temporary = path.with_name(path.name + ".new")
    with open(temporary, "wb", buffering=1 << 20) as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.write(digest.digest())
    os.replace(temporary, path)


def load(path: Path, key: bytes, packs: Collection[str]) -> Tree | None:
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
    if not set(bytes(body[at : at + length]).decode().split("\n")) <= set(packs):
        return None  # what it calls stored may be gone
    return _read(body[at + length :])


def _record(node: Node) -> tuple[bytes, ...]:
    lengths = (len(node.path), len(node.packed), len(node.signatures))
    return _RECORD.pack(*lengths, node.inode), node.path, node.packed, node.signatures


def _read(data: memoryview) -> Tree:
    tree = Tree()
    (length,) = _LENGTH.unpack_from(data)
    root = decode(bytes(data[4 : 4 + length]))[_ROOT]
    expected = {b"": (tree.root, root)}
    at = 4 + length
    while at < len(data):
        path_length, object_length, signature_length, inode = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        node, entry = expected.pop(bytes(data[at : at + path_length]))
        at += path_length
        node.packed = bytes(data[at : at + object_length])
        at += object_length
        node.signatures = bytes(data[at : at + signature_length])
        at += signature_length
        node.inode = inode
        _settle(tree, node, entry, expected)
    return tree


def _settle(
    tree: Tree, node: Node, entry: Entry, expected: dict[bytes, tuple[Node, Entry]]
) -> None:
    """Fills in what follows from a directory's object."""
    node.own = entry._replace(content=Entry(0).content)
    node.identity = entry.content
    node.stored = True
    kinds = {stat.S_IFMT(row[0]) for _, row, _ in node.rows()}
    if stat.S_IFDIR in kinds:
        for name, inner in decode(node.packed).items():
            if inner.is_dir:
                child = node.children[name] = Node(node.inner(name), node)
                expected[child.path] = (child, inner)
    for name, row, (inode, _, links) in node.rows():
        if stat.S_ISREG(row[0]):
            tree.files += 1
            if links > 1:
                tree.linked[node, name] = Linked(inode, links)
