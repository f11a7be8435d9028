"""Tells which paths changed, by inotify: a checkpoint then costs what changed, not what exists.

Events are queued before the system call that caused them returns, so once the processes of a step
are gone, draining the queue misses nothing. A write is told by the name it went through alone: one
through a name that is gone again is some file's, nobody knows which (`has_lost_names`). What makes
no event here at all (stores through a long-lived mmap, writes through a name that was made and
removed outside) is for the looks at everything to find, at phase borders and before anything goes
back.
"""

import ctypes
import fcntl
import os
import struct
import termios
import weakref
from collections.abc import Iterator

from cleveragents.snapshots.tree.node import Node

_EVENT = struct.Struct("iIII")
_WAITING = struct.Struct("i")  # bytes that can be read
_CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800  # MODIFY … MOVE_SELF
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_ONLYDIR = 0x01000000
_OVERFLOW = 0x4000
_IGNORED = 0x8000
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC
_BUFFER = 1 << 16


class WatchLost(Exception):
    """The queue overflowed or no more directories can be watched: only a scan can tell."""


class Watcher:
    """Watches directories and remembers to which node each watch belongs."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = _granted(self._libc.inotify_init1(_NONBLOCK_CLOEXEC))
        self._nodes: dict[int, Node] = {}
        self.has_lost_names = False  # whether a name came and went between the last two drains
        # There are few of these descriptors per user: one is given back with its watcher.
        self._closing = weakref.finalize(self, os.close, self._fd)

    def add(self, fd: int, node: Node) -> None:
        """Watches a directory from now on; to add it again changes nothing."""
        path = f"/proc/self/fd/{fd}".encode()  # the very directory, whatever its path means now
        watch = _granted(self._libc.inotify_add_watch(self._fd, path, _CHANGES | _ONLYDIR))
        self._nodes[watch] = node
        node.watch = watch

    def remove(self, node: Node) -> None:
        """Forgets a directory that is no longer part of the tree."""
        if self._nodes.get(node.watch) is node:
            del self._nodes[node.watch]
            self._libc.inotify_rm_watch(self._fd, node.watch)  # it may be gone already
        node.watch = -1

    def drain(self) -> Iterator[tuple[Node, bytes]]:
        """Yields what changed since the last time; an empty name is the directory itself."""
        passing = _PassingNames()
        while data := self._read():
            at = 0
            while at < len(data):
                watch, mask, cookie, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size
                name = data[at : at + length].rstrip(b"\0")
                at += length
                if mask & _OVERFLOW:
                    raise WatchLost("more changed than the system could tell")
                if mask & _IGNORED:
                    self._lost(watch)
                elif watch in self._nodes:
                    passing.note((watch, name), mask, cookie)
                    yield self._nodes[watch], name
        self.has_lost_names = passing.has_lost

    @property
    def has_news(self) -> bool:
        """Whether something changes just now: events wait that the next look will be told."""
        waiting = fcntl.ioctl(self._fd, termios.FIONREAD, bytes(_WAITING.size))
        return _WAITING.unpack(waiting) != (0,)

    def close(self) -> None:
        """Stops watching."""
        self._closing()

    def _lost(self, watch: int) -> None:
        """A watched directory is gone; one with its name and even its inode is another one."""
        node = self._nodes.pop(watch, None)
        if node is not None:
            node.watch = -1
            node.inode = 0

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, _BUFFER)
        except BlockingIOError:
            return b""


class _PassingNames:
    """Follows the names that come, to see whether one is gone again.

    It may have been a second name of any file, and what was written through it that file's. A new
    file that is renamed to where it stays, as editors save, is not lost.
    """

    def __init__(self) -> None:
        self._came: set[tuple[int, bytes]] = set()
        self._moving: set[int] = set()  # by the number that both events of a rename carry
        self._lost = False

    def note(self, name: tuple[int, bytes], mask: int, cookie: int) -> None:
        """Notes one event."""
        if mask & _CREATE:
            self._came.add(name)
        elif mask & _MOVED_TO:
            self._lost |= name in self._came  # what stood there went without an event
            if cookie in self._moving:
                self._moving.remove(cookie)
                self._came.add(name)
        elif mask & (_MOVED_FROM | _DELETE) and name in self._came:
            self._came.remove(name)
            self._lost |= bool(mask & _DELETE)
            self._moving.update({cookie} if mask & _MOVED_FROM else ())

    @property
    def has_lost(self) -> bool:
        """Whether one is gone, or moved to where nobody watches."""
        return self._lost or bool(self._moving)


def _granted(result: int) -> int:
    if result < 0:
        raise WatchLost(os.strerror(ctypes.get_errno()))
    return result
