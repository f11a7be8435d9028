"""Ownership by `flock`: the kernel frees it when the owner dies, however it dies."""

import fcntl
import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from cleveragents.errors import Busy
from cleveragents.ids import now

LOOKS = 5
OWNER_BYTES = 512
LOOK_SECONDS = 0.02


class FileLock:
    """An exclusive or shared lock on a file that is never deleted."""

    def __init__(self, path: Path, *, doing: str, shared: bool = False, wait: bool = False) -> None:
        self._path = path
        self._doing = doing
        self._wait = wait  # for work that is short and that others need as well
        self._mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        self._fd = -1

    def __enter__(self) -> Self:
        # A reader that looks whether the lock is taken holds it for a moment: that is not busy.
        for _ in range(LOOKS):
            if self.try_acquire(wait=self._wait):
                return self
            time.sleep(LOOK_SECONDS)
        raise Busy(_busy_message(self._path), hints=["wait for it to finish, then try again"])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def try_acquire(self, *, wait: bool = False) -> bool:
        """Takes the lock if it is free; tells whether it did."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, self._mode if wait else self._mode | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._fd = fd
        if self._mode == fcntl.LOCK_EX:
            self._sign()
        return True

    def release(self) -> None:
        """Frees the lock; the file stays."""
        os.close(self._fd)
        self._fd = -1

    def _sign(self) -> None:
        """Writes who owns the lock; only messages rely on it."""
        owner = {"pid": os.getpid(), "since": now().isoformat(), "doing": self._doing}
        # Always the same length, so that nothing has to be truncated: that is slow on some disks.
        os.pwrite(self._fd, json.dumps(owner)[:OWNER_BYTES].ljust(OWNER_BYTES).encode(), 0)


class PlanLocks:
    """One owner per plan; a process that owns a plan may take the lock again."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._held: set[str] = set()

    @contextmanager
    def own(self, plan_id: str, doing: str) -> Generator[bool]:
        """Yields whether this call took the lock (False: the process had it already)."""
        if plan_id in self._held:
            yield False
            return
        with FileLock(self._path(plan_id), doing=doing):
            self._held.add(plan_id)
            try:
                yield True
            finally:
                self._held.remove(plan_id)

    def is_owned(self, plan_id: str) -> bool:
        """Tells whether a living process, this one included, owns the plan."""
        if plan_id in self._held:
            return True
        lock = FileLock(self._path(plan_id), doing="looking", shared=True)
        if not lock.try_acquire():
            return True
        lock.release()
        return False

    def _path(self, plan_id: str) -> Path:
        return self._directory / f"plan-{plan_id}.lock"


def _busy_message(path: Path) -> str:
    try:
        owner = json.loads(path.read_bytes())
        return f"busy: process {owner['pid']} is {owner['doing']} since {owner['since']}"
    except (OSError, ValueError, KeyError):
        return "busy: another process owns it"
