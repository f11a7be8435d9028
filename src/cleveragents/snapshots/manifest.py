"""A manifest: a tree of directory objects, each a list of entries with everything exact.

A directory object is stored in columns (names, modes, sizes, times, content ids, rare extras), so
that it packs tightly and is read without a step per field. Its id is the hash of its bytes:
equal ids mean equal trees, and only directories on the path to a change are written anew.
"""

import json
import stat
import struct
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from cleveragents.errors import Damaged

MAGIC = b"cad1"
ID_BYTES = 32
NO_CONTENT = bytes(ID_BYTES)  # a FIFO has none, nor has a chunk of zeros in a large file
_HEAD = struct.Struct("<4sII")  # magic, number of entries, bytes of names
_ROW = struct.Struct("<HQqI")  # mode, size, mtime_ns, position in extras + 1


class Entry(NamedTuple):
    """One name in a directory, or the root itself."""

    mode: int  # the whole st_mode: kind and permission bits
    size: int = 0  # bytes of a regular file
    mtime_ns: int = 0  # of a regular file; directories change theirs with every neighbour
    content: bytes = NO_CONTENT  # id of the blob, chunk list, link text or directory object
    link: bytes = b""  # hard-link group: the path of its first member
    xattrs: tuple[tuple[bytes, bytes], ...] = ()

    @property
    def kind(self) -> int:
        """The file type bits."""
        return stat.S_IFMT(self.mode)

    @property
    def permissions(self) -> int:
        """The permission bits, set-id and sticky bits included."""
        return stat.S_IMODE(self.mode)

    @property
    def is_dir(self) -> bool:
        """Whether it is a directory."""
        return stat.S_ISDIR(self.mode)

    @property
    def has_content(self) -> bool:
        """Whether it has bytes of its own: a file or a link."""
        return self.content != NO_CONTENT

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.mode)


Directory = dict[bytes, Entry]
Extra = tuple[str, list[tuple[str, str]]]  # link group and extended attributes, in hex


@dataclass(frozen=True)
class Change:
    """What differs at one path between two manifests."""

    path: bytes
    before: Entry | None
    after: Entry | None


def object_id(data: bytes) -> bytes:
    """Returns the id of an object: the SHA-256 of its bytes."""
    return sha256(data).digest()


def encode(directory: Directory) -> bytes:
    """Returns the canonical bytes of a directory object."""
    names = sorted(directory)
    extras: list[Extra] = []
    rows: list[bytes] = []
    ids: list[bytes] = []
    for name in names:
        mode, size, mtime_ns, content, link, xattrs = directory[name]
        if link or xattrs:
            extras.append((link.hex(), [(key.hex(), value.hex()) for key, value in xattrs]))
        rows.append(_ROW.pack(mode, size, mtime_ns, len(extras) if link or xattrs else 0))
        ids.append(content)
    joined = b"\0".join(names)
    return b"".join(
        (
            _HEAD.pack(MAGIC, len(names), len(joined)),
            joined,
            *rows,
            *ids,
            json.dumps(extras).encode() if extras else b"",
        )
    )


def decode(data: bytes) -> Directory:
    """Reads a directory object back."""
    magic, count, length = _HEAD.unpack_from(data)
    if magic != MAGIC:
        raise Damaged("a directory object has an unknown format")
    names = data[_HEAD.size : _HEAD.size + length].split(b"\0") if count else []
    start = _HEAD.size + length
    ids = start + _ROW.size * count
    end = ids + ID_BYTES * count
    extras: list[Extra] = json.loads(data[end:] or b"[]")
    directory: Directory = {}
    contents = (data[at : at + ID_BYTES] for at in range(ids, end, ID_BYTES))
    rows = _ROW.iter_unpack(data[start:ids])
    for name, row, content in zip(names, rows, contents, strict=True):
        mode, size, mtime_ns, extra = row
        link, xattrs = _extra(extras, extra)
        directory[name] = Entry(mode, size, mtime_ns, content, link, xattrs)
    return directory


def _extra(extras: list[Extra], position: int) -> tuple[bytes, tuple[tuple[bytes, bytes], ...]]:
    if position == 0:
        return b"", ()
    link, xattrs = extras[position - 1]
    return bytes.fromhex(link), tuple(
        (bytes.fromhex(key), bytes.fromhex(value)) for key, value in xattrs
    )
