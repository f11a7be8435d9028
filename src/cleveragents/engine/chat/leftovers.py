"""Processes that a call left running: what changes while they do may be theirs."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from cleveragents.ids import now
from cleveragents.storage.owner import process_fields

PROC = Path("/proc")
STARTED = 19  # the place of the start time among the fields after the name
PARENT = 1
TICK = 0.02  # seconds by which the kernel's clock of processes may differ from ours
_TICKS = os.sysconf("SC_CLK_TCK")


def process_name(pid: int) -> str:
    """Returns what tells a process from a later one of the same number; empty if it is gone."""
    fields = process_fields(pid) if pid else None
    return "" if fields is None else f"{pid}:{fields[STARTED]}"


def is_gone(name: str) -> bool:
    """Tells whether a process that was named is there no more; of an unknown one nobody can."""
    pid, _, _ = name.partition(":")
    return bool(name) and process_name(int(pid)) != name


def any_since(began: str, root: str, client: int, hook: Path) -> bool:
    """Tells whether a process that began since then is at work below a directory.

    Who runs the hook, and whoever called them, is no such process.
    """
    ago = (now() - datetime.fromisoformat(began).replace(tzinfo=UTC)).total_seconds()
    since = _uptime() - ago - TICK
    found = [pid for pid in _pids() if _started(pid) >= since and _is_below(pid, root)]
    own = {os.getpid(), *above(os.getpid()), client, *above(client)}
    return any(not _is_hook(pid, hook) for pid in found if pid not in own)


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
