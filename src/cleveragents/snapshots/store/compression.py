"""Compresses objects; of many, a batch at a time in another thread while more are being read."""

from contextlib import suppress
from threading import Thread

import zstandard

RAW, ZSTD = 0, 1
BATCH_BYTES = 1 << 20  # what is less is not worth a thread

_LEAST_LOG = 10  # of the window, and of the places in it that are remembered
_PLACES = 4  # as a power of two: one place of so many finds the long runs that two objects share

Object = tuple[bytes, bytes]  # id and bytes
Compressed = tuple[bytes, int, bytes]  # id, codec and payload


def dictionary(known: bytes) -> zstandard.ZstdCompressionDict:
    """The base that a difference is made to, and read with."""
    return zstandard.ZstdCompressionDict(known, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def difference(data: bytes, base: bytes) -> bytes:
    """Returns what an object does not share with another one.

    Unless it is told otherwise, zstd looks back half a megabyte, and remembers few places there.
    """
    reach = max(_LEAST_LOG, (len(data) + len(base)).bit_length())
    places = max(_LEAST_LOG, reach - _PLACES)
    parameters = zstandard.ZstdCompressionParameters(
        compression_level=1, window_log=reach, hash_log=places
    )
    compressor = zstandard.ZstdCompressor(compression_params=parameters, dict_data=dictionary(base))
    return compressor.compress(data)


class Compression:
    """Takes objects and gives them back compressed, none of them lost, in the same order."""

    def __init__(self) -> None:
        self._waiting: list[Object] = []
        self._waiting_bytes = 0
        self._batch: _Batch | None = None
        self._compressor = zstandard.ZstdCompressor(level=1)  # one batch uses it at a time

    def add(self, identity: bytes, data: bytes) -> list[Compressed]:
        """Takes an object; returns those that are ready."""
        self._waiting.append((identity, data))
        self._waiting_bytes += len(data)
        if self._waiting_bytes < BATCH_BYTES:
            return []
        ready = self._finished()
        self._batch = _Batch(self._compressor, self._taken())
        self._batch.start()
        return ready

    def rest(self) -> list[Compressed]:
        """Returns all that were not returned yet."""
        ready = self._finished()
        return ready + _compressed(self._compressor, self._taken())

    def discard(self) -> None:
        """Waits for what is under way; nothing is needed any more."""
        self._taken()
        if self._batch is not None:
            self._batch.join()
            self._batch = None

    def _taken(self) -> list[Object]:
        taken, self._waiting, self._waiting_bytes = self._waiting, [], 0
        return taken

    def _finished(self) -> list[Compressed]:
        batch, self._batch = self._batch, None
        return [] if batch is None else batch.result()


class _Batch(Thread):
    def __init__(self, compressor: zstandard.ZstdCompressor, objects: list[Object]) -> None:
        super().__init__(name="compressing")
        self._compressor = compressor
        self._objects = objects
        self._compressed: list[Compressed] = []

    def run(self) -> None:
        with suppress(MemoryError):  # it is told to who asks for the result
            self._compressed = _compressed(self._compressor, self._objects)

    def result(self) -> list[Compressed]:
        self.join()
        return self._compressed or _compressed(self._compressor, self._objects)


def _compressed(compressor: zstandard.ZstdCompressor, objects: list[Object]) -> list[Compressed]:
    """Objects that only grow are kept as they are."""
    found: list[Compressed] = []
    for identity, data in objects:
        packed = compressor.compress(data)
        smaller = len(packed) < len(data)
        found.append((identity, ZSTD, packed) if smaller else (identity, RAW, data))
    return found
