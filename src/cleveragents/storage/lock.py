"""Ownership by `flock`: the kernel frees it when the owner dies, however it dies."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from types import TracebackType
from typing import Self

from cleveragents.errors import Busy
from cleveragents.storage.kernel_locks import holders
from cleveragents.storage.owner import Owner, erase, process_fields
from cleveragents.storage.place import is_ours

LOOKS = 5
LOOK_SECONDS = 0.02
END_SECONDS = 10.0  # after which an owner that was killed and stays is reported


class FileLock:
    """An exclusive or shared lock on a file that is never deleted."""

    def __init__(
        self,
        path: Path,
        *,
        doing: str,
        shared: bool = False,
        wait: bool = False,
        patience: float = 0.0,
    ) -> None:
        self._path = path
        self._looks = max(LOOKS, round(patience / LOOK_SECONDS))
        self._doing = doing
        self._wait = wait  # for work that is short and that others need as well
        self._mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        self._fd = -1

    def __enter__(self) -> Self:
        # A reader that looks whether the lock is taken holds it for a moment: that is not busy.
        for _ in range(self._looks):
            if self.try_acquire(wait=self._wait):
                return self
            time.sleep(LOOK_SECONDS)
        raise busy(self._path)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def try_acquire(self, *, wait: bool = False) -> bool:
        """Takes the lock if it is free; tells whether it did."""
        fd = self._opened()
        if fd is None:
            return True
        try:
            fcntl.flock(fd, self._mode if wait else self._mode | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._fd = fd
        if self._mode == fcntl.LOCK_EX:
            Owner.this_process(self._doing).sign(fd)
        return True

    def _opened(self) -> int | None:
        """Opens the file; where nothing may be left, None stands for one that is not there.

        To share a lock is to keep others from changing things; a reader goes without.
        """
        if self._mode == fcntl.LOCK_EX or is_ours(self._path.parent):
            return self._made()
        try:
            return os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, PermissionError):
            return None

    def _made(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            return os.open(self._path, flags, 0o600)
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(self._path, flags, 0o600)

    def release(self) -> None:
        """Frees the lock; the file stays."""
        if self._fd < 0:
            return
        if self._mode == fcntl.LOCK_EX:
            erase(self._fd)
        os.close(self._fd)
        self._fd = -1


class Locks:
    """One owner for each thing of a kind; a thread that owns one may take it again.

    Threads of one process are as separate as processes are: each owns what it took.
    """

    def __init__(self, directory: Path, kind: str) -> None:
        self._directory = directory
        self._kind = kind
        self._held: dict[str, int] = {}  # what is owned here, and by which thread

    @contextmanager
    def own(self, name: str, doing: str, patience: float = 0.0) -> Generator[bool]:
        """Yields whether this call took the lock (False: the thread had it already).

        Who comes second is refused after that many seconds.
        """
        if self._held.get(name) == get_ident():
            yield False
            return
        with FileLock(self._path(name), doing=doing, patience=patience):
            self._held[name] = get_ident()
            try:
                yield True
            finally:
                del self._held[name]

    def reading(self, name: str, doing: str) -> FileLock:
        """While held, nobody owns it; waits for an owner to come to its end."""
        return FileLock(self._path(name), doing=doing, shared=True, wait=True)

    @property
    def is_holding(self) -> bool:
        """Whether this process owns one of them."""
        return bool(self._held)

    def is_owned(self, name: str) -> bool:
        """Tells whether a living process, this one included, owns it."""
        return name in self._held or is_taken(self._path(name))

    def end_owner(self, name: str) -> Owner | None:
        """Ends the process that owns it and waits until it is free; None if nobody owns it."""
        if not self.is_owned(name):
            return None
        owner = Owner.read(self._path(name))
        if owner is None or owner.pid == os.getpid():
            raise busy(self._path(name))
        owner.end()
        deadline = time.monotonic() + END_SECONDS
        while self.is_owned(name):
            if time.monotonic() > deadline:
                raise busy(self._path(name))
            time.sleep(LOOK_SECONDS)
        return owner

    def owner_state(self, name: str) -> str | None:
        """Returns the state of the owner's process, as the kernel writes it; None: no owner."""
        if not self.is_owned(name):
            return None
        owner = Owner.read(self._path(name))
        fields = None if owner is None else process_fields(owner.pid)
        return fields[0] if fields else "?"

    def _path(self, name: str) -> Path:
        return self._directory / f"{self._kind}-{name}.lock"


def is_taken(path: Path) -> bool:
    """Tells whether a lock is taken for good; to look makes no file and writes nothing."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except PermissionError:  # another user's: the kernel knows
        return bool(holders(path))
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def busy(path: Path) -> Busy:
    """The refusal of whoever comes second, naming who came first."""
    who = Owner.read(path) or "another process owns it"
    hints = ["wait for it to finish, then try again"]
    return Busy(f"busy: {who}", hints=hints)
