"""Who the keeper of a data directory is: the owner of its lock, at the socket that the lock names.

The kernel frees a lock with its owner, however it dies, so there is never more than one keeper; and
one whose lock or socket is no longer there, or is another's by now, is told so and ends.
"""

import ctypes
import fcntl
import hashlib
import json
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from cleveragents.hooks.client import keeper_socket
from cleveragents.ids import now
from cleveragents.storage import address

PATIENCE = 5.0  # seconds that one who is about to end may take
LOOK = 0.02
WAITING = 128  # clients that nobody has accepted yet
_CHANGED = 0x2 | 0x4 | 0x400 | 0x800  # MODIFY, ATTRIB (fewer names), DELETE_SELF, MOVE_SELF
_PIECE = 1 << 16
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC
_libc = ctypes.CDLL(None, use_errno=True)


class Identity:
    """The lock and the socket of this process, from when it becomes the keeper until it ends."""

    def __init__(self, data: Path, speaks: str, environment: Mapping[bytes, bytes]) -> None:
        self._lock = data / address.LOCK
        self._data = data
        self._speaks = speaks
        self._environment = environment
        self._fd = -1
        self._marks: dict[Path, tuple[int, int] | None] = {}
        self._told = b""  # what stands in the lock
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.path = ""
        self.watch = -1  # can be read as soon as one of both files is changed; -1: look by yourself

    def take(self) -> bool:
        """Becomes the keeper; False: another one is, or there is no place for a socket."""
        directory = address.place(self._environment)
        if directory is None or not self._has_locked():
            return False
        name = hashlib.blake2b(os.fsencode(self._data), digest_size=4).hexdigest()
        self.path = f"{directory}/{name}.s"
        with suppress(FileNotFoundError):
            os.unlink(self.path)  # of one that was killed: its lock is ours
        self.listener.bind(self.path)
        os.chmod(self.path, 0o600)
        self.listener.listen(WAITING)
        self.listener.settimeout(0)
        self._marks = {path: _mark(path) for path in (self._lock, Path(self.path))}
        self.watch = _watch(list(self._marks))
        self._sign()
        return self.is_ours

    def _has_locked(self) -> bool:
        """Waits for one that is about to end; one that listens is there to stay."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._fd = os.open(self._lock, flags, 0o600)
        until = monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                line = address.connect(keeper_socket(str(self._data)), LOOK)
                if line is not None:
                    line.close()
                if line is not None or monotonic() > until:
                    return False
                sleep(LOOK)
            else:
                return True

    def _sign(self) -> None:
        """Says in the lock who listens where; with one write, so that it is read whole."""
        about = {
            "pid": os.getpid(),
            "socket": self.path,
            "speaks": self._speaks,
            "since": now().isoformat(),
        }
        self._told = json.dumps(about).encode()
        os.ftruncate(self._fd, len(self._told))
        os.pwrite(self._fd, self._told, 0)

    @property
    def is_ours(self) -> bool:
        """Whether lock and socket are still those of this process, and say so."""
        locked = os.fstat(self._fd)
        is_locked = self._marks[self._lock] == (locked.st_dev, locked.st_ino)
        is_there = all(_mark(path) == mark for path, mark in self._marks.items())
        return is_locked and is_there and os.pread(self._fd, _PIECE, 0) == self._told

    def leave(self) -> None:
        """Listens no more; who is another by now is left alone."""
        if self.is_ours:
            os.ftruncate(self._fd, 0)
        if _mark(Path(self.path)) == self._marks[Path(self.path)]:
            os.unlink(self.path)
        self.listener.close()
        if self.watch >= 0:
            os.close(self.watch)

    def release(self) -> None:
        """Lets another one be the keeper."""
        os.close(self._fd)


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _watch(paths: Sequence[Path]) -> int:
    """A descriptor that can be read when one of the files was written, lost its name or moved.

    -1: the system has none left to give, as where editors watch a lot.
    """
    fd = _libc.inotify_init1(_NONBLOCK_CLOEXEC)
    if fd < 0:
        return -1
    for path in paths:
        if _libc.inotify_add_watch(fd, os.fsencode(path), _CHANGED) < 0:
            os.close(fd)
            return -1
    return fd
