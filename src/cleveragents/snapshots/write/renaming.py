"""Renames that never lose what stands at a name, whoever put it there a moment ago.

A look before a rename leaves time between the two. These tell, or hand out, what was there at the
moment of the rename itself. A file system that cannot do that is given the plain rename.
"""

import ctypes
import errno
import os
from collections.abc import Callable

_NOREPLACE, _EXCHANGE = 1, 2
_UNKNOWN = (errno.EINVAL, errno.ENOSYS)  # what file systems and kernels without it say

_libc = ctypes.CDLL(None, use_errno=True)
renameat2: Callable[[int, bytes, int, bytes, int], int] = _libc.renameat2


def place_new(name: bytes, new: bytes, source: int, target: int) -> None:
    """Renames to a name that nothing has; raises FileExistsError where something does."""
    if not _flagged(name, new, source, target, _NOREPLACE):
        os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)


def swap(name: bytes, new: bytes, source: int, target: int) -> bool:
    """Renames onto what stands there, which has the first name then; tells whether it has."""
    if _flagged(name, new, source, target, _EXCHANGE):
        return True
    os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)
    return False


def _flagged(name: bytes, new: bytes, source: int, target: int, flag: int) -> bool:
    if renameat2(source, name, target, new, flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNKNOWN:
        return False
    raise OSError(number, os.strerror(number), os.fsdecode(new))
