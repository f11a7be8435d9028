"""The processes of steps: found by the mark they bear, and ended with their step.

Each process of a step bears its mark in its environment; in a process that adopts orphans even
those that shed session and mark are found as our children. Several steps may run at once: such an
orphan is ended by the step in whose directory it works, or by the last step that ends.
"""

import ctypes
import os
import signal
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING

from cleveragents.errors import Failed
from cleveragents.ids import now
from cleveragents.records import field, mutable
from cleveragents.sandbox.adoption import ADOPTS
from cleveragents.sandbox.bystanders import Span
from cleveragents.storage.owner import Owner, process_fields, start_time

if TYPE_CHECKING:
    import subprocess

MARK = "CLEVERAGENTS_STEP"
LEADER = "leader"  # the file that says who leads a step
KILL_SECONDS = 10.0  # after which a process that cannot be killed is reported
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER

_adopts_orphans = Event()  # set once, for the whole process


@mutable
class _OwnChildren:
    """The processes that this one has started; every other child of it is some step's orphan."""

    lock: Lock = field(default_factory=Lock)  # held while one is started, and while all are seen
    pids: set[int] = field(default_factory=set[int])
    steps: dict[str, int] = field(default_factory=dict[str, int])  # running: mark and session


_started = _OwnChildren()


def _adopt_orphans() -> None:
    """Makes this process the parent of its orphaned descendants."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl") and libc.prctl(_SUBREAPER, 1, 0, 0, 0) == 0:
        _adopts_orphans.set()


@contextmanager
def helper(start: "Callable[[], subprocess.Popen[bytes]]") -> "Generator[subprocess.Popen[bytes]]":
    """Starts a process of our own; while it runs, no step takes it for one that it left."""
    with _started.lock:
        process = start()
        _started.pids.add(process.pid)
    try:
        with process:
            yield process
    finally:
        with _started.lock:
            _started.pids.discard(process.pid)


def start_step(
    mark: str, start: "Callable[[], subprocess.Popen[bytes]]"
) -> "subprocess.Popen[bytes]":
    """Starts the leader of a step, in a session of its own."""
    if ADOPTS.is_set() and not _adopts_orphans.is_set():
        _adopt_orphans()
    with _started.lock:
        process = start()
        _started.pids.add(process.pid)
        _started.steps[mark] = process.pid
    return process


def sign_leader(mark: str, noted: Path, pid: int) -> None:
    """Notes in a directory who leads a step, for whoever has to clear up after us.

    Nothing is synced: a machine that loses power has no processes left to be found.
    """
    fd = os.open(noted / LEADER, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        Owner(pid, start_time(pid), now().isoformat(), mark).sign(fd)
    finally:
        os.close(fd)


def end_step(mark: str, leader: "subprocess.Popen[bytes]", directory: Path) -> None:
    """Ends the leader and whatever is left of its step."""
    try:
        if leader.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(leader.pid, signal.SIGKILL)
            leader.wait()
        _end_survivors(mark, leader.pid, directory)
    finally:
        with _started.lock:
            _started.pids.discard(leader.pid)
            del _started.steps[mark]


def still_runs(noted: Path) -> None:
    """Notes that a step was seen running just now: it is known by that when it ran."""
    with suppress(OSError):
        os.utime(noted / LEADER)


def end_left_behind(mark: str, noted: Path) -> None:
    """Kills every process that a step of a dead run left behind and that is known by its mark."""
    _end_survivors(mark, _noted_session(mark, noted), None)


def ran(mark: str, noted: Path) -> Span | None:
    """When a step of a dead run ran, as far as that was noted."""
    leader = Owner.read(noted / LEADER)
    if leader is None or leader.doing != mark or not leader.started:
        return None
    return Span.until_last_seen(int(leader.started), (noted / LEADER).stat().st_mtime)


def _noted_session(mark: str, noted: Path) -> int | None:
    """The session of a step, while the process that leads it is the one that was noted."""
    leader = Owner.read(noted / LEADER)
    if leader is None or leader.doing != mark or start_time(leader.pid) != leader.started:
        return None
    return leader.pid


def kill_steps() -> None:
    """Kills the processes of every step that runs here, on the way out; nothing is waited for."""
    for leader in list(_started.steps.values()):
        with suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)


def _end_survivors(mark: str, session: int | None, directory: Path | None) -> None:
    deadline = time.monotonic() + KILL_SECONDS
    while survivors := _survivors(mark, session, directory):
        if time.monotonic() > deadline:
            raise Failed(f"processes of the step cannot be ended: {sorted(survivors)}")
        for pid in survivors:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _survivors(mark: str, session: int | None, directory: Path | None) -> set[int]:
    # Whoever a living leader left behind is a child of ours by now; a dead run's are not.
    if directory is not None and _adopts_orphans.is_set() and _has_no_children():
        return set()
    with _started.lock:
        others = {name: pid for name, pid in _started.steps.items() if name != mark}
        known = _started.pids | {os.getpid()}
        return {
            int(name)
            for name in os.listdir("/proc")
            if name.isdigit()
            and int(name) not in known
            and _belongs(int(name), mark, session, directory, others)
        }


def _belongs(
    pid: int, mark: str, session: int | None, directory: Path | None, others: Mapping[str, int]
) -> bool:
    fields = process_fields(pid)
    if fields is None:
        return False
    is_orphan = fields[1] == str(os.getpid()) and _adopts_orphans.is_set()
    if fields[0] == "Z":
        return is_orphan  # any other is somebody else's to bury
    borne = _marks(pid)
    if mark in borne or (session is not None and fields[3] == str(session)):
        return True
    if not is_orphan or fields[3] in map(str, others.values()) or borne & others.keys():
        return False
    return not others or (directory is not None and works_in(pid, directory))


def _marks(pid: int) -> set[str]:
    prefix = f"{MARK}=".encode()
    return {
        os.fsdecode(value.removeprefix(prefix))
        for value in _environ(pid)
        if value.startswith(prefix)
    }


def works_in(pid: int, directory: Path) -> bool:
    """Tells whether a process works in a directory or below it."""
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd")).is_relative_to(directory)
    except OSError:
        return False  # it is gone, or not ours to look at


def _environ(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []  # it is gone, or it is another user's and so not ours


def _has_no_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False
