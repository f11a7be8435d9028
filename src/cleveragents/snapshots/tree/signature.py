"""Signatures of files: one that looks as it did when it was read need not be read again.

Of many names at once the system writes it into one buffer, and whole columns of that are compared
with what was seen last: `os.stat` would make an object of more than twenty numbers for each file,
to compare seven of them.
"""

import ctypes
import os
import struct
from collections.abc import Sequence
from itertools import repeat

Signature = tuple[int, int, int, int, int, int, int]
"""Links, inode, size, ctime and mtime, both in seconds and nanoseconds; any change moves ctime."""

UNTRUSTED: Signature = (0, 0, 0, 0, 0, 0, 0)  # equals no file: read it again
PACKED = struct.Struct("=IQQqIqI")
AT_ONCE = 256  # names; their buffer is 64 KB
_STATX = struct.Struct("=16xI12xQQ48xqI4xqI132x")
STATX_BYTES = _STATX.size
_WORD = "I"  # both consist of these; here a signature's first word to last, and where statx has it
_COLUMNS = tuple(enumerate((4, 8, 9, 10, 11, 24, 25, 26, 28, 29, 30)))
_NO_FOLLOW = 0x100
_WANTED = 0x4 | 0x40 | 0x80 | 0x100 | 0x200  # links, mtime, ctime, inode, size
statx = getattr(ctypes.CDLL(None), "statx", None)  # old libraries have none


def of(found: os.stat_result) -> Signature:
    """The signature of a file that was looked at."""
    changed, written = divmod(found.st_ctime_ns, 10**9), divmod(found.st_mtime_ns, 10**9)
    return (found.st_nlink, found.st_ino, found.st_size, *changed, *written)


class Looks:
    """Looks at names of directories, for one thread."""

    def __init__(self) -> None:
        self._buffer = bytearray(_STATX.size * AT_ONCE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._buffer))
        places = range(start, start + len(self._buffer), _STATX.size)
        self._places = [*map(ctypes.c_void_p, places)]

    def differing(self, fd: int, names: Sequence[bytes], packed: bytes) -> list[bytes]:
        """Returns the names in a directory whose signatures are not these, gone ones included."""
        found: list[bytes] = []
        expected = memoryview(packed)
        for at in range(0, len(names), AT_ONCE):
            some = names[at : at + AT_ONCE]
            found += self._differing(fd, some, expected[: len(some) * PACKED.size])
            expected = expected[len(some) * PACKED.size :]
        return found

    def _differing(self, fd: int, names: Sequence[bytes], expected: memoryview) -> list[bytes]:
        failed = self._look(fd, names)
        seen = memoryview(self._buffer)[: _STATX.size * len(names)]
        if not any(failed) and _same(seen.cast(_WORD), expected.cast(_WORD)):
            return []
        rows = zip(
            names, failed, _STATX.iter_unpack(seen), PACKED.iter_unpack(expected), strict=True
        )
        return [
            name for name, code, now, then in rows if (_of_name(fd, name) if code else now) != then
        ]

    def _look(self, fd: int, names: Sequence[bytes]) -> list[int]:
        """Fills the buffer; returns 0 for each name that could be looked at so."""
        if statx is None:
            return [-1] * len(names)
        return [*map(statx, repeat(fd), names, repeat(_NO_FOLLOW), repeat(_WANTED), self._places)]


def _same(seen: memoryview, expected: memoryview) -> bool:
    """Compares column by column, which makes no object for a file."""
    wide, narrow = _STATX.size // seen.itemsize, PACKED.size // expected.itemsize
    return all(seen[there::wide] == expected[here::narrow] for here, there in _COLUMNS)


def _of_name(fd: int, name: bytes) -> Signature | None:
    try:
        return of(os.stat(name, dir_fd=fd, follow_symlinks=False))
    except FileNotFoundError:
        return None
