"""Reads a file as it was at one moment, though others may write to it."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress

from cleveragents.snapshots.tree.attributes import Attributes
from cleveragents.snapshots.tree.content import PutVersion, store_version
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.tree import Sink

READ_ROUNDS = 3


class Moved(Exception):
    """Somebody has written to a file of which not all is read yet."""


class FileReader:
    """Reads files into a sink; one that changes meanwhile is read again."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def read(
        self,
        fd: int,
        before: os.stat_result,
        known: Entry | None,
        attributes: Callable[[], Attributes],
    ) -> tuple[Entry, os.stat_result] | None:
        """Returns a file, and how it was found when it had been read; None: it keeps changing.

        `before` is how it was before it was opened, `known` what is known of it.
        """
        earlier = () if known is None else self._sink.pieces(known)
        for _ in range(self._rounds(before.st_size)):
            content = None
            with suppress(Moved):
                content = store_version(fd, before.st_size, self._putting(fd, before), earlier)
            xattrs = attributes()
            after = os.fstat(fd)
            if content is not None and same_moment(before, after):
                mode, size, time_ns = after.st_mode, after.st_size, after.st_mtime_ns
                return Entry(mode, size, time_ns, content, b"", xattrs), after
            before = after
        return None

    def _rounds(self, _size: int) -> int:
        return READ_ROUNDS

    def _putting(self, _fd: int, _before: os.stat_result) -> PutVersion:
        """Where the pieces of a file go that was such before."""
        return self._sink.put


def same_moment(before: os.stat_result, after: os.stat_result) -> bool:
    """Whether both are of one regular file that nobody has written to in between."""
    return (
        before.st_ctime_ns == after.st_ctime_ns
        and before.st_mtime_ns == after.st_mtime_ns
        and before.st_size == after.st_size
        and before.st_ino == after.st_ino
        and stat.S_ISREG(before.st_mode)
    )
