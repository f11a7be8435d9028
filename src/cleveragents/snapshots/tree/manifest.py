"""A manifest: a tree of directory objects, each a list of entries with everything exact.

A directory object is stored in columns (names, modes, sizes, times, content ids, rare extras), so
that it packs tightly and is read without a step per field. Its id is the hash of its bytes:
equal ids mean equal trees, and only directories on the path to a change are written anew.
"""

import json
import stat
import struct
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from cleveragents.errors import Damaged
from cleveragents.records import frozen

MAGIC = b"cad1"
ID_BYTES = 32
NO_CONTENT = bytes(ID_BYTES)  # a FIFO has none, nor has a chunk of zeros in a large file
_HEAD = struct.Struct("<4sII")  # magic, number of entries, bytes of names
_ROW = struct.Struct("<HQqI")  # mode, size, mtime_ns, position in extras + 1
_FIRST_NS, _LAST_NS = -(1 << 63), (1 << 63) - 1  # what a row can hold: the years 1678 to 2262


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
    def attributes(self) -> tuple[int, object]:
        """All that it has besides its content, without times."""
        return self.mode, self.xattrs

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
Attributes = list[tuple[str, str]]
# Link group and extended attributes, in hex; then the time, if it does not fit into a row.
Extra = tuple[str, Attributes, *tuple[int, ...]]


class Version(NamedTuple):
    """An earlier version of a directory or of a piece of a file, as it is stored."""

    identity: bytes
    data: bytes | None = None  # None: whoever needs it reads it


@frozen
class Change:
    """A difference between two manifests at one path."""

    __slots__ = ("after", "before", "path")  # a first restore makes one for every file

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
        entry = directory[name]
        if is_plain(entry):
            rows.append(_ROW.pack(entry.mode, entry.size, entry.mtime_ns, 0))
        else:
            extras.append(_extra_of(entry))
            rows.append(_ROW.pack(entry.mode, entry.size, _nearest(entry.mtime_ns), len(extras)))
        ids.append(entry.content)
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


EMPTY = encode({})


def decode(data: bytes) -> Directory:
    """Reads a directory object back."""
    names, rows_at, ids_at, end = _layout(data)
    extras: list[Extra] = json.loads(data[end:] or b"[]")
    directory: Directory = {}
    contents = (data[at : at + ID_BYTES] for at in range(ids_at, end, ID_BYTES))
    rows: Iterator[tuple[int, int, int, int]] = _ROW.iter_unpack(data[rows_at:ids_at])
    for name, row, content in zip(names, rows, contents, strict=True):
        mode, size, mtime_ns, extra = row
        plain = Entry(mode, size, mtime_ns, content)
        directory[name] = _with_extra(plain, extras[extra - 1]) if extra else plain
    return directory


def is_plain(entry: Entry) -> bool:
    """Whether a row holds all of an entry: no link group, no attributes, an ordinary time."""
    return not (entry.link or entry.xattrs) and _FIRST_NS <= entry.mtime_ns <= _LAST_NS


def differences(before: bytes, after: bytes) -> Iterator[tuple[bytes, Entry | None, Entry | None]]:
    """Yields name, old and new entry of what two directory objects do not share, by name."""
    names, rows_at, ids_at, end = _layout(before)
    if len(before) == len(after) == end and before[:rows_at] == after[:rows_at]:
        # The same names and nothing but plain entries: most are equal, and none is made of those.
        for index in _differing(before, after, rows_at, ids_at):
            old, new = (_plain(data, rows_at, ids_at, index) for data in (before, after))
            yield names[index], old, new
        return
    olds, news = decode(before), decode(after)
    for name in sorted(olds.keys() | news.keys()):
        if olds.get(name) != news.get(name):
            yield name, olds.get(name), news.get(name)


def names_of(data: bytes) -> list[bytes]:
    """Returns what a directory object lists, sorted, without making entries of it."""
    return _layout(data)[0]


def joined_names_of(data: bytes) -> bytes:
    """Returns the same as they stand there, with a zero byte between them."""
    _, _, length = _HEAD.unpack_from(data)
    return data[_HEAD.size : _HEAD.size + length]


def contents(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yields mode, size and content id of what an object lists, without making entries of it."""
    _, rows_at, ids_at, end = _layout(data)
    rows = _ROW.iter_unpack(data[rows_at:ids_at])
    ids = range(ids_at, end, ID_BYTES)
    for (mode, size, _, _), at in zip(rows, ids, strict=True):
        yield mode, size, data[at : at + ID_BYTES]


class Listing:
    """A directory object of which single entries are asked for; none is made of the others."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._names, self._rows_at, self._ids_at, self._end = _layout(data)

    def get(self, name: bytes) -> Entry | None:
        """Returns the entry of a name; None if it is not listed."""
        index = bisect_left(self._names, name)
        if index == len(self._names) or self._names[index] != name:
            return None
        extra: int = _ROW.unpack_from(self._data, self._rows_at + _ROW.size * index)[3]
        plain = _plain(self._data, self._rows_at, self._ids_at, index)
        return _with_extra(plain, self._extras[extra - 1]) if extra else plain

    @cached_property
    def _extras(self) -> list[Extra]:
        return json.loads(self._data[self._end :])


class Rewrite:
    """A directory object of which single entries are replaced where they stand."""

    def __init__(self, data: bytes) -> None:
        self._data = bytearray(data)
        self._names, self._rows_at, self._ids_at, _ = _layout(data)

    def find(self, name: bytes) -> int | None:
        """Returns the position of a name whose entry is plain."""
        index = bisect_left(self._names, name)
        if index == len(self._names) or self._names[index] != name:
            return None
        row: tuple[int, int, int, int] = _ROW.unpack_from(self._data, self._row(index))
        return index if row[3] == 0 else None

    def entry(self, index: int) -> Entry:
        """Returns the entry at a position."""
        return _plain(self._data, self._rows_at, self._ids_at, index)

    def replace(self, index: int, entry: Entry) -> None:
        """Puts a plain entry at a position."""
        _ROW.pack_into(self._data, self._row(index), entry.mode, entry.size, entry.mtime_ns, 0)
        self._set_content(index, entry.content)

    def set_content(self, name: bytes, content: bytes) -> None:
        """Gives the entry of a name that is there other content."""
        self._set_content(bisect_left(self._names, name), content)

    def data(self) -> bytes:
        """Returns the object as it is now."""
        return bytes(self._data)

    def _set_content(self, index: int, content: bytes) -> None:
        at = self._ids_at + ID_BYTES * index
        self._data[at : at + ID_BYTES] = content

    def _row(self, index: int) -> int:
        return self._rows_at + _ROW.size * index


def _layout(data: bytes) -> tuple[list[bytes], int, int, int]:
    """The names, and where rows, ids and extras begin."""
    magic, count, length = _HEAD.unpack_from(data)
    if magic != MAGIC:
        raise Damaged("a directory object has an unknown format")
    rows_at = _HEAD.size + length
    ids_at = rows_at + _ROW.size * count
    names = data[_HEAD.size : rows_at].split(b"\0") if count else []
    return names, rows_at, ids_at, ids_at + ID_BYTES * count


def _differing(before: bytes, after: bytes, rows_at: int, ids_at: int) -> Iterator[int]:
    """Yields the positions at which two objects with the same names differ, in order.

    Halves that are equal are passed over as a whole.
    """
    waiting = [(0, (ids_at - rows_at) // _ROW.size)]
    while waiting:
        low, high = waiting.pop()
        rows = slice(rows_at + _ROW.size * low, rows_at + _ROW.size * high)
        ids = slice(ids_at + ID_BYTES * low, ids_at + ID_BYTES * high)
        if before[rows] == after[rows] and before[ids] == after[ids]:
            continue
        if high - low == 1:
            yield low
        else:
            middle = (low + high) // 2
            waiting += [(middle, high), (low, middle)]


def _plain(data: bytes | bytearray, rows_at: int, ids_at: int, index: int) -> Entry:
    """The entry at a position, which is plain."""
    mode, size, mtime_ns, _ = _ROW.unpack_from(data, rows_at + _ROW.size * index)
    at = ids_at + ID_BYTES * index
    return Entry(mode, size, mtime_ns, bytes(data[at : at + ID_BYTES]))


def _extra_of(entry: Entry) -> Extra:
    named = (entry.link.hex(), [(key.hex(), value.hex()) for key, value in entry.xattrs])
    return named if _nearest(entry.mtime_ns) == entry.mtime_ns else (*named, entry.mtime_ns)


def _with_extra(entry: Entry, extra: Extra) -> Entry:
    link, xattrs, *time = extra
    return entry._replace(
        mtime_ns=time[0] if time else entry.mtime_ns,
        link=bytes.fromhex(link),
        xattrs=tuple((bytes.fromhex(key), bytes.fromhex(value)) for key, value in xattrs),
    )


def _nearest(mtime_ns: int) -> int:
    return min(max(mtime_ns, _FIRST_NS), _LAST_NS)
