"""Processes that a call left running: what changes while they do may be theirs."""

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from cleveragents.chats.moment_rows import CallTime
from cleveragents.ids import now
from cleveragents.storage.owner import process_fields

PROC = Path("/proc")
STATE = 0  # the places of fields after the name
ENDED = ("Z", "X", "x")  # states of a process that nobody has asked yet how it ended
STARTED = 19  # in ticks since the machine began
PARENT = 1
TERMINAL = 4
NO_TERMINAL = "0"
TICK = 0.02  # seconds by which the kernel's clock of processes may differ from ours
_TICKS = os.sysconf("SC_CLK_TCK")


def process_name(pid: int) -> str:
    """Returns what tells a process from a later one of the same number; empty if it is gone."""
    fields = process_fields(pid) if pid else None
    return "" if fields is None or fields[STATE] in ENDED else f"{pid}:{fields[STARTED]}"


def is_gone(name: str) -> bool:
    """Tells whether a process that was named is there no more; of an unknown one nobody can."""
    pid, _, _ = name.partition(":")
    return bool(name) and process_name(int(pid)) != name


def any_of(calls: Sequence[CallTime], root: str, client: str, hook: Path) -> bool:
    """Tells whether a process is at work below a directory that one of these calls may have begun.

    It began while one of them ran, and is the client's, or might be one that lost its parent. Who
    runs the hook, and whoever called them, is no such process.
    """
    times = [_since_boot(began, ended) for began, ended in calls]
    family = _Family(None if is_gone(client) else client, times)
    found = [pid for pid in _pids() if family.began(pid) and _is_below(pid, root)]
    own = {os.getpid(), *above(os.getpid()), *family.clients}
    return any(family.may_have(pid) and not _is_hook(pid, hook) for pid in found if pid not in own)


class _Family:
    """The processes that descend from a client, as far as that can be told."""

    def __init__(self, client: str | None, times: Sequence[tuple[float, float]]) -> None:
        self._client = int(client.partition(":")[0]) if client else 0  # 0: not known
        self._above = [*above(self._client)] if self._client else []
        self._times = times

    @property
    def clients(self) -> list[int]:
        """The client, and whoever called it."""
        return [self._client, *self._above]

    def began(self, pid: int) -> bool:
        """Whether a process began while a call ran."""
        started = _started(pid)
        return any(first <= started <= last for first, last in self._times)

    def may_have(self, pid: int) -> bool:
        """Whether a process may be of the client's.

        One that lost its parent has gone to the first process of all, or to one that the client
        descends from; what has a terminal of its own is a person's.
        """
        if not self._client:
            return True
        line = [*above(pid)]
        if self._client in line:
            return True
        parents = (each for each in line if not self.began(each))
        adopter = next(parents, None)  # None: the first process of all
        if adopter is not None and adopter not in self._above:
            return False
        return _terminal(pid) in (NO_TERMINAL, _terminal(self._client))


def _since_boot(began: datetime, ended: datetime | None) -> tuple[float, float]:
    """From when to when a call ran, in seconds since the machine was started."""
    at, up = now(), _uptime()
    last = up if ended is None else up - (at - ended).total_seconds()
    return up - (at - began).total_seconds() - TICK, last + TICK


def _terminal(pid: int) -> str:
    fields = process_fields(pid)
    return NO_TERMINAL if fields is None else fields[TERMINAL]


def _is_hook(pid: int, hook: Path) -> bool:
    """Whether a process runs the hook, or was started by it."""
    return any(os.fsencode(hook) in _arguments(each) for each in (pid, *above(pid)))


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir(PROC) if name.isdecimal())


def above(pid: int) -> Iterator[int]:
    """The processes that a process descends from."""
    seen = {pid}
    while (fields := process_fields(pid)) is not None:
        pid = int(fields[PARENT])
        if pid in seen or pid <= 1:
            return
        seen.add(pid)
        yield pid


def _arguments(pid: int) -> bytes:
    try:
        return (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:  # it has ended meanwhile, or is another user's
        return b""


def _started(pid: int) -> float:
    """How many seconds after the machine a process began; never, if it has ended."""
    fields = process_fields(pid)
    return float("-inf") if fields is None else int(fields[STARTED]) / _TICKS


def _uptime() -> float:
    return float((PROC / "uptime").read_text().split()[0])


def _is_below(pid: int, root: str) -> bool:
    try:
        where = os.readlink(PROC / str(pid) / "cwd")
    except OSError:  # it has ended meanwhile, or is another user's
        return False
    return where == root or where.startswith(f"{root}/")
