"""The content of a file as objects: one blob, or a list of chunks for a large one.

The form follows from the bytes alone, never from how they lie on the disk: a file beyond one chunk
is a list of chunk ids, and a chunk of zeros has no object. So a sparse file costs what it holds,
and no file needs more memory than a chunk.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from cleveragents.errors import Damaged
from cleveragents.snapshots.tree import giving_up, long_work
from cleveragents.snapshots.tree.manifest import ID_BYTES, NO_CONTENT, Entry, Version, object_id
from cleveragents.storage.space import OUT_OF_SPACE

CHUNK = 4 << 20
Put = Callable[[bytes], bytes]
Read = Callable[[bytes], bytes]
# Takes an object, and what stood in its place before.
PutVersion = Callable[[bytes, Version | None], bytes]


class Objects(Protocol):
    """Reads objects and takes new ones."""

    def read(self, identity: bytes) -> bytes: ...
    def put(self, data: bytes) -> bytes: ...


class WholeSink:
    """Takes each object for itself, whatever its file was before."""

    def pieces(self, entry: Entry) -> Sequence[bytes]:  # noqa: ARG002 - a sink
        """Needs none."""
        return ()


class HashOnly(WholeSink):
    """Takes objects without keeping them."""

    stores = False

    def put(self, data: bytes, version: Version | None = None, /) -> bytes:  # noqa: ARG002 - a sink
        """Returns the id the object would have."""
        return object_id(data)


HASH_ONLY = HashOnly()


def store_file(fd: int, size: int, put: Put) -> bytes | None:
    """Stores a file's bytes; returns the id of its content, None if it is not as long as said."""
    return store_version(fd, size, lambda data, _: put(data), ())


def store_version(fd: int, size: int, put: PutVersion, earlier: Sequence[bytes]) -> bytes | None:
    """Does the same for a file that consisted of other pieces before."""
    if size <= CHUNK:
        data = os.pread(fd, size + 1, 0)
        long_work.passed(size)
        return put(data, _version(earlier, 0)) if len(data) == size else None
    return put(b"".join(_store_chunks(fd, size, put, earlier)), None)


def write_file(fd: int, entry: Entry, read: Read, near: int | None = None) -> None:
    """Writes the stored content to an empty file; chunks of zeros become holes.

    What a file that is near has at the same place is taken from there: the bytes that were read
    are the ones that are written, and their id tells whether they are the stored ones.
    """
    if entry.size <= CHUNK:
        _write_fully(fd, _had(near, entry.content, 0, entry.size, read), 0)
        long_work.passed(entry.size)
        return
    for index, identity in enumerate(_chunks(entry, read)):
        if identity != NO_CONTENT:
            start = index * CHUNK
            length = min(CHUNK, entry.size - start)
            _write_fully(fd, _had(near, identity, start, length, read), start)
            _went_on(length)
    long_work.passed(0)
    os.ftruncate(fd, entry.size)


def write_anew(fd: int, entry: Entry, read: Read, was: int, before: Entry) -> None:
    """Does the same for a large file that was another one, with what both have in one place.

    That is copied as it is, by the system, which may let both files have it: who calls this looks
    at the new one afterwards.
    """
    known = _known_pieces(before, read)
    for index, identity in enumerate(_chunks(entry, read)):
        start = index * CHUNK
        length = min(CHUNK, entry.size - start)
        same = known[index : index + 1] == [identity]
        if identity != NO_CONTENT and not (same and _is_copied(was, fd, start, length)):
            _write_fully(fd, read(identity), start)
        _went_on(length)
    long_work.passed(0)
    os.ftruncate(fd, entry.size)


def objects(entry: Entry, read: Read) -> Iterator[bytes]:
    """Yields every object id that a file or link consists of, a chunk list itself included."""
    if entry.content == NO_CONTENT:
        return
    yield entry.content
    if entry.size > CHUNK:
        yield from (identity for identity in _chunks(entry, read) if identity != NO_CONTENT)


def pieces(entry: Entry, read: Read) -> list[bytes]:
    """Returns the ids of a file's bytes, piece by piece."""
    return [entry.content] if entry.size <= CHUNK else _chunks(entry, read)


def stream(entry: Entry, read: Read) -> Iterator[bytes]:
    """Yields the bytes of a file, or the text of a link, piece by piece."""
    for index, identity in enumerate(pieces(entry, read)):
        left = entry.size - index * CHUNK
        yield bytes(min(CHUNK, left)) if identity == NO_CONTENT else read(identity)


def bytes_needed(entry: Entry, read: Read) -> int:
    """How much space the content will take; holes take none."""
    if entry.size <= CHUNK:
        return entry.size
    return sum(CHUNK for identity in _chunks(entry, read) if identity != NO_CONTENT)


def _chunks(entry: Entry, read: Read) -> list[bytes]:
    listed = read(entry.content)
    return [listed[at : at + ID_BYTES] for at in range(0, len(listed), ID_BYTES)]


def _known_pieces(entry: Entry, read: Read) -> list[bytes]:
    try:
        return pieces(entry, read)
    except Damaged:  # nobody has stored it
        return []


def _is_copied(source: int, target: int, start: int, length: int) -> bool:
    """Copies a part of a file; tells whether the file system could, and had all of it."""
    end = start + length
    try:
        while start < end:
            copied = os.copy_file_range(source, target, end - start, start, start)
            if not copied:
                return False
            start += copied
    except OSError as error:
        if error.errno in OUT_OF_SPACE:
            raise
        return False
    return True


def _had(near: int | None, identity: bytes, start: int, length: int, read: Read) -> bytes:
    if near is not None:
        with suppress(OSError):  # something else may stand there by now; the store has the bytes
            data = os.pread(near, length, start)
            if object_id(data) == identity:
                return data
    return read(identity)


def _store_chunks(fd: int, size: int, put: PutVersion, earlier: Sequence[bytes]) -> Iterator[bytes]:
    """Stores the pieces of a large file, the first one that differs with what it was before.

    A file that grew or changed in one place differs in one piece; where all of them do, to compare
    each with what it was would take longer than to store it.
    """
    data_at = 0  # the next data is here or later; before it lies a hole
    for index, start in enumerate(range(0, size, CHUNK)):
        length = min(CHUNK, size - start)
        if data_at <= start:
            data_at = _next_data(fd, start, size)
        data = os.pread(fd, length, start) if data_at < start + length else b""
        version = _version(earlier, index)
        identity = put(data, version) if data.strip(b"\0") else NO_CONTENT
        if version is not None and identity != version.identity:
            earlier = ()
        _went_on(length)
        yield identity
    long_work.passed(0)


def _went_on(length: int) -> None:
    """Counts a piece of a large file, which takes long: it may be given up at any of them."""
    giving_up.look()
    long_work.passed(length, files=0)


def _version(earlier: Sequence[bytes], index: int) -> Version | None:
    """Returns the piece as it was before; nothing if there was none, or but zeros."""
    found = earlier[index] if index < len(earlier) else NO_CONTENT
    return None if found == NO_CONTENT else Version(found)


def _next_data(fd: int, start: int, size: int) -> int:
    try:
        return os.lseek(fd, start, os.SEEK_DATA)
    except OSError as error:
        # ENXIO: only a hole follows. Anything else: the file system cannot tell, so read it all.
        return size if error.errno == errno.ENXIO else start


def _write_fully(fd: int, data: bytes, offset: int) -> None:
    written = os.pwrite(fd, data, offset)
    while written < len(data):
        written += os.pwrite(fd, memoryview(data)[written:], offset + written)
