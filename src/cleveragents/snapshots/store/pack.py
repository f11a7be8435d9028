"""A pack: the objects of one checkpoint in one append-only file, with its index at the end.

    header   magic
    object   id, codec, stored length, payload          (repeated)
    index    id, offset of the object                   (sorted by id)
    footer   offset of the index, number of objects, id of the root record, hash of the index, magic

The headers before each payload repeat what the index says, so that a pack with a damaged index
can still be read from the front. An object may be kept as the difference to another one, whose id
then stands at the head of its payload. One file means one or two fsyncs, however many objects it
holds.
"""

import fcntl
import mmap
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import count, pairwise
from pathlib import Path
from threading import Lock
from weakref import WeakSet

import zstandard

from cleveragents.errors import Damaged
from cleveragents.snapshots.store.compression import RAW, ZSTD, Compression, dictionary
from cleveragents.snapshots.tree.manifest import ID_BYTES, object_id
from cleveragents.storage.durability import sync_directory

MAGIC = b"capack01"
# At the end of a pack with revisions: programs that would sweep away what these are differences to
# know of no such pack, and so sweep nothing.
MAGIC_REVISIONS = b"capack02"
# Besides the codecs of what is kept whole: of a directory, and of a file or a piece of one.
DIFFERENCE, REVISION = 2, 3
BUFFER = 1 << 20
RESIDENT_BYTES = 8 << 20  # of a pack that is being read
OPEN_PACKS = 32  # of all stores that a process reads
MAPPED_AT_ONCE = 1 << 16  # what the system makes resident around a place that is read
TEMPORARY = "writing-"  # prefix of packs that are not finished yet
_OBJECT = struct.Struct("<32sBQ")  # id, codec, stored length
_INDEX = struct.Struct("<32sQ")  # id, offset
_FOOTER = struct.Struct("<QQ32s32s8s")
_KEY_BYTES = 6
_KEYS = 1 << (8 * _KEY_BYTES)  # one more than the greatest
Read = Callable[[bytes], bytes]


class PackWriter:
    """Writes one pack; nothing of it can be seen by others before `seal`."""

    def __init__(self, directory: Path, name: str) -> None:
        self._directory = directory
        self._name = name
        self._temporary = directory / f"{TEMPORARY}{name}"
        self._fd = -1  # there is no file before something is written: often nothing is
        # Not a buffered file: closing one writes, which a full disk would turn into an error
        # while the pack is being thrown away.
        self._buffer = bytearray(MAGIC)
        self._at = len(MAGIC)
        self._magic = MAGIC
        self._index: dict[bytes, int] = {}
        self._compression = Compression()

    def __contains__(self, identity: bytes) -> bool:
        return identity in self._index

    def add(self, identity: bytes, data: bytes) -> None:
        """Appends an object that is not in the pack yet."""
        self._index[identity] = self._at  # until it is written, that it will be
        for ready in self._compression.add(identity, data):
            self.add_stored(*ready)

    def add_stored(self, identity: bytes, codec: int, payload: bytes) -> None:
        """Appends an object in the form it is stored in."""
        self._index[identity] = self._at
        if codec == REVISION:
            self._magic = MAGIC_REVISIONS
        self._buffer += _OBJECT.pack(identity, codec, len(payload))
        self._buffer += payload
        self._at += _OBJECT.size + len(payload)
        if len(self._buffer) > BUFFER:
            self._flush()

    def seal(self, root: bytes) -> Path:
        """Makes the pack durable and visible; returns where it is."""
        for ready in self._compression.rest():
            self.add_stored(*ready)
        index = b"".join(_INDEX.pack(*item) for item in sorted(self._index.items()))
        footer = _FOOTER.pack(self._at, len(self._index), root, sha256(index).digest(), self._magic)
        self._buffer += index + footer
        self._flush()
        os.fsync(self._fd)
        path = self._directory / f"{self._name}.pack"
        os.rename(self._temporary, path)
        sync_directory(self._directory)
        self._close()
        return path

    def discard(self) -> None:
        """Throws away what was written, unless it was finished."""
        self._compression.discard()
        if self._fd >= 0:
            self._temporary.unlink(missing_ok=True)
            self._close()

    def _flush(self) -> None:
        if self._fd < 0:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._fd = os.open(self._temporary, flags, 0o600)
            fcntl.flock(self._fd, fcntl.LOCK_EX)  # says that the writer is alive
        view = memoryview(self._buffer)
        while view:
            view = view[os.write(self._fd, view) :]
        self._buffer = bytearray()

    def _close(self) -> None:
        os.close(self._fd)
        self._fd = -1


class _Open:
    """The packs that are mapped in this process, few: each map holds a descriptor."""

    def __init__(self) -> None:
        self._packs: WeakSet[Pack] = WeakSet()
        self._changing = Lock()
        self.clock = count()

    def admit(self, pack: "Pack") -> None:
        """Takes a pack in, and lets go of the one that was not used for longest."""
        with self._changing:
            self._packs.add(pack)
            while len(self._packs) > OPEN_PACKS:
                idle = min(self._packs, key=lambda one: one.used)
                self._packs.discard(idle)
                idle.let_go()


_open = _Open()


class Pack:
    """A finished pack, read through a memory map; lookups need no loading.

    One that was not used for a while is mapped anew: FileNotFoundError says that it is gone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.used = 0  # when, as the clock of all packs counts
        self._map: mmap.mmap | None = None
        self.size = path.stat().st_size
        self._read_since = 0
        data, end = self._data(), self.size - _FOOTER.size
        self._start, self._count, self.root, digest, magic = _FOOTER.unpack_from(data, end)
        self.has_revisions = magic == MAGIC_REVISIONS
        if magic not in (MAGIC, MAGIC_REVISIONS) or self._start + self._count * _INDEX.size != end:
            raise Damaged(f"the pack {path.name} has no readable index")
        if sha256(data[self._start : end]).digest() != digest:
            raise Damaged(f"the index of the pack {path.name} does not match its hash")

    def let_go(self) -> None:
        """Gives the descriptor back as soon as nobody reads any more."""
        self._map = None

    def _data(self) -> mmap.mmap:
        """Returns the bytes of the pack; hold on to them while you read."""
        self.used = next(_open.clock)
        found = self._map
        if found is None:
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size < len(MAGIC) + _FOOTER.size or size != self.size:
                    raise Damaged(f"the pack {self.path.name} is cut short")
                found = self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            _open.admit(self)
        return found

    def __contains__(self, identity: bytes) -> bool:
        return self._offset(identity) is not None

    def __len__(self) -> int:
        return self._count

    def read(self, identity: bytes, read: Read) -> bytes:
        """Returns the object's bytes, verified against its id; `read` gets those of its base."""
        return unpacked(identity, *self.stored(identity), read)

    def decoded(self, identity: bytes, read: Read) -> bytes:
        """Returns the object's bytes for who verifies them, or what is made of them.

        It raises Damaged, or ZstdError, if they cannot be had.
        """
        return _decoded(*self.stored(identity), read)

    def holds(self, identity: bytes, data: bytes, read: Read) -> bool:
        """Tells whether an object is stored intact, for who has just hashed its bytes."""
        try:
            return self.decoded(identity, read) == data
        except (Damaged, zstandard.ZstdError):
            return False

    def base(self, identity: bytes) -> bytes | None:
        """Returns what an object is a difference to; None if it is kept whole or not here."""
        offset = self._offset(identity)
        if offset is None:
            return None
        data = self._data()
        self._free_pages(data, 0)
        if _OBJECT.unpack_from(data, offset)[1] not in (DIFFERENCE, REVISION):
            return None
        start = offset + _OBJECT.size
        return data[start : start + ID_BYTES]

    def stored(self, identity: bytes) -> tuple[int, bytes]:
        """Returns the object as it is stored: its codec and payload."""
        offset = self._offset(identity)
        if offset is None:
            raise Damaged(f"object {identity.hex()} is missing")
        data = self._data()
        found, codec, length = _OBJECT.unpack_from(data, offset)
        start = offset + _OBJECT.size
        if found != identity or start + length > self._start:
            raise Damaged(f"object {identity.hex()} is damaged")
        self._free_pages(data, length)
        return codec, data[start : start + length]

    def identities(self) -> Iterator[bytes]:
        """Yields the id of each object."""
        for identity, _ in _INDEX.iter_unpack(self._index()):
            yield identity

    def sizes(self) -> Iterator[tuple[bytes, int]]:
        """Yields each object's id and the bytes it occupies, in the order they lie there."""
        index = _INDEX.iter_unpack(self._index())
        places = sorted((offset, identity) for identity, offset in index)
        for (offset, identity), (end, _) in pairwise([*places, (self._start, b"")]):
            yield identity, end - offset  # no object is touched

    def revisions(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields each revision and what it is a difference to, in the order they lie there."""
        data = self._data()
        index = _INDEX.iter_unpack(self._index())
        for offset, identity in sorted((offset, identity) for identity, offset in index):
            if data[offset + ID_BYTES] == REVISION:
                start = offset + _OBJECT.size
                yield identity, data[start : start + ID_BYTES]
            self._free_pages(data, 0)

    def _index(self) -> bytes:
        return self._data()[self._start : self.size - _FOOTER.size]

    def _free_pages(self, data: mmap.mmap, length: int) -> None:
        """Gives pages back from time to time, those of the index aside: each search needs them."""
        self._read_since += length + MAPPED_AT_ONCE
        if self._read_since > RESIDENT_BYTES:
            data.madvise(mmap.MADV_DONTNEED, 0, self._start)
            self._read_since = 0

    def _offset(self, identity: bytes) -> int | None:
        """Returns where an object is; ids are spread evenly, so the guess is close."""
        data = self._data()
        low, high = 0, self._count
        key, first, last = _key(identity), 0, _KEYS
        while low < high:
            middle = low + (key - first) * (high - low) // (last - first)
            at = self._start + middle * _INDEX.size
            found = data[at : at + ID_BYTES]
            if found == identity:
                return _INDEX.unpack_from(data, at)[1]
            if found < identity:
                low, first = middle + 1, _key(found)
            else:
                high, last = middle, _key(found) + 1
        return None


def _key(identity: bytes) -> int:
    """The head of an id as a number."""
    return int.from_bytes(identity[:_KEY_BYTES], "big")


def from_front(data: mmap.mmap, read: Read) -> Iterator[bytes]:
    """Yields the objects of a pack that are intact, without its index, as far as headers lead."""
    at = len(MAGIC)
    while at + _OBJECT.size <= len(data):
        identity, codec, length = _OBJECT.unpack_from(data, at)
        at += _OBJECT.size
        found: bytes | None = None
        with suppress(Damaged):  # the next one may be intact
            found = unpacked(identity, codec, data[at : at + length], read)
        if found is not None:
            yield found
        at += length


def unpacked(identity: bytes, codec: int, payload: bytes, read: Read) -> bytes:
    """Returns the bytes of a stored object, verified against its id."""
    try:
        data = _decoded(codec, payload, read)
    except zstandard.ZstdError as error:
        raise Damaged(f"object {identity.hex()} cannot be unpacked") from error
    if object_id(data) != identity:
        raise Damaged(f"object {identity.hex()} does not match its hash")
    return data


def _decoded(codec: int, payload: bytes, read: Read) -> bytes:
    if codec == RAW:
        return payload
    if codec == ZSTD:
        return zstandard.ZstdDecompressor().decompress(payload)
    base = dictionary(read(payload[:ID_BYTES]))
    return zstandard.ZstdDecompressor(dict_data=base).decompress(payload[ID_BYTES:])


def abandoned(path: Path) -> bool:
    """Tells whether an unfinished pack was left behind by a process that is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:  # finished or thrown away since it was listed
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(fd)
