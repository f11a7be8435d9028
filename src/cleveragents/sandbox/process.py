"""Runs the processes of a step, and ends every one of them when the step ends.

A step runs in its own session, with an environment built from an allow-list, closed descriptors,
capped output and, but for what the call is given, no standard input. Each process bears the
step's mark in its environment; in a process that adopts orphans even those that shed session and
mark are found as our children. Several steps may run at once: such an orphan is ended by the step
in whose directory it works, or by the last step that ends.
"""

import ctypes
import math
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock

from cleveragents.errors import Failed
from cleveragents.storage.owner import process_fields, start_time

MARK = "CLEVERAGENTS_STEP"
ALWAYS_PASSED = ("HOME", "PATH", "LANG", "TERM")
OUTPUT_CAP = 10 << 20  # bytes of output kept per step
TAIL = 4096  # bytes of output kept at hand for messages
LOOK_SECONDS = 0.2  # between two looks whether a step must stop
GRACE_SECONDS = 1.0  # between asking a step to stop and making it
KILL_SECONDS = 10.0  # after which a process that cannot be killed is reported
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER

_adopts_orphans = Event()  # set once, for the whole process


@dataclass
class _Started:
    """What this process has started itself; every other child of it is some step's orphan."""

    lock: Lock = field(default_factory=Lock)  # held while one is started, and while all are seen
    pids: set[int] = field(default_factory=set[int])
    steps: dict[str, int] = field(default_factory=dict[str, int])  # running: mark and session


_started = _Started()


@dataclass(frozen=True)
class Job:
    """One command to run for a step."""

    arguments: Sequence[str]
    directory: Path
    environment: Mapping[str, str]
    mark: str
    output: Path
    timeout: float | None = None
    given: bytes | None = None  # what it reads on its standard input


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    exit_code: int
    timed_out: bool
    stopped: bool  # because it was asked for
    tail: str  # the last of what it printed

    @property
    def ended(self) -> bool:
        """Whether it came to its end by itself."""
        return not (self.timed_out or self.stopped)


def adopt_orphans() -> None:
    """Makes this process the parent of its orphaned descendants.

    Only for a process that starts nothing but steps: unknown children are taken for a step's.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl") and libc.prctl(_SUBREAPER, 1, 0, 0, 0) == 0:
        _adopts_orphans.set()


@dataclass(frozen=True)
class StepEnvironment:
    """What steps may see of the caller's environment."""

    caller: Mapping[str, str]
    passed: tuple[str, ...] = ()

    def seen(self, passed: Sequence[str], own: Mapping[str, str], mark: str) -> dict[str, str]:
        """Builds what one step sees; nothing of git's ever passes."""
        wanted = (*ALWAYS_PASSED, *self.passed, *passed)
        names = [name for name in wanted if not name.startswith("GIT_")]
        found = {name: self.caller[name] for name in names if name in self.caller}
        return {**found, **own, MARK: mark}


def run(
    job: Job,
    *,
    on_start: Callable[[int, str], None],
    on_line: Callable[[str], None],
    must_stop: Callable[[], bool],
) -> Finished:
    """Runs the command to its end; when this returns or raises, nothing it started survives."""
    pipe, theirs = os.pipe()
    with (
        open(job.output, "wb") as output,
        os.fdopen(pipe, "rb", buffering=0),
        _standard_input(job.given) as given,
    ):
        try:
            process = _start(job, given, theirs)
        finally:
            os.close(theirs)
        reader = _Reader(process.pid, pipe, output.write, on_line, must_stop)
        try:
            on_start(process.pid, start_time(process.pid))
            if not reader.until_exit(job.timeout):
                _ask_to_stop(process)
        finally:
            _end(job, process)
            reader.drain()
    return Finished(process.wait(), reader.timed_out, reader.stopped, reader.tail)


@contextmanager
def _standard_input(given: bytes | None) -> Generator[int]:
    """A file rather than a pipe: a process that reads nothing keeps nobody waiting."""
    if given is None:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(given)
        file.seek(0)
        yield file.fileno()


@contextmanager
def helper(start: Callable[[], subprocess.Popen[bytes]]) -> Generator[subprocess.Popen[bytes]]:
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


def end_left_behind(mark: str, session: int | None) -> None:
    """Kills every process that a step of a dead run left behind."""
    _end_survivors(mark, session, None)


def kill_steps() -> None:
    """Kills the processes of every step that runs here, on the way out; nothing is waited for."""
    for leader in list(_started.steps.values()):
        with suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)


def _start(job: Job, given: int, output: int) -> subprocess.Popen[bytes]:
    with _started.lock:
        process = subprocess.Popen(
            list(job.arguments),
            cwd=job.directory,
            env=dict(job.environment),
            stdin=given,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        _started.pids.add(process.pid)
        _started.steps[job.mark] = process.pid
    return process


def _end(job: Job, leader: subprocess.Popen[bytes]) -> None:
    """Ends the leader and whatever is left of its step."""
    try:
        if leader.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(leader.pid, signal.SIGKILL)
            leader.wait()
        _end_survivors(job.mark, leader.pid, job.directory)
    finally:
        with _started.lock:
            _started.pids.discard(leader.pid)
            del _started.steps[job.mark]


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


class _Reader:
    """Reads a process's output while waiting for its end."""

    def __init__(
        self,
        pid: int,
        pipe: int,
        keep: Callable[[bytes], object],
        on_line: Callable[[str], None],
        must_stop: Callable[[], bool],
    ) -> None:
        self._pid = pid
        self._pipe = pipe
        self._keep = keep
        self._on_line = on_line
        self._must_stop = must_stop
        self._next_look = time.monotonic()
        self.timed_out = False
        self.stopped = False
        self._left = OUTPUT_CAP
        self._tail = b""
        self._line = b""

    @property
    def tail(self) -> str:
        """The last of what was printed."""
        return self._tail.decode(errors="replace")

    def until_exit(self, timeout: float | None) -> bool:
        """Waits for the process, not for those it left behind; False if it has to be ended."""
        deadline = time.monotonic() + (math.inf if timeout is None else timeout)
        with selectors.DefaultSelector() as selector:
            selector.register(self._pipe, selectors.EVENT_READ)
            exited = os.pidfd_open(self._pid)
            selector.register(exited, selectors.EVENT_READ)
            try:
                while not self._is_over(deadline):
                    wait = max(0.0, min(deadline, self._next_look) - time.monotonic())
                    ready = [key.fd for key, _ in selector.select(wait)]
                    if self._pipe in ready and not self._read_some():
                        selector.unregister(self._pipe)
                    elif exited in ready:
                        return True
            finally:
                os.close(exited)
        return False

    def _is_over(self, deadline: float) -> bool:
        """Whether the process has to be ended, because of its time or because of somebody."""
        moment = time.monotonic()
        self.timed_out = moment >= deadline
        if moment >= self._next_look:
            self._next_look = moment + LOOK_SECONDS
            self.stopped = self._must_stop()
        return self.timed_out or self.stopped

    def drain(self) -> None:
        """Reads what is still in the pipe once nobody can write to it any more."""
        while self._read_some():
            pass
        if self._line:
            self._tell(self._line)

    def _read_some(self) -> bool:
        data = os.read(self._pipe, 1 << 16)
        kept = data[: self._left]
        self._left -= len(kept)
        self._keep(kept)
        self._tail = (self._tail + data)[-TAIL:]
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-TAIL:]
        if lines:
            self._tell(lines[-1])
        return bool(data)

    def _tell(self, line: bytes) -> None:
        self._on_line(line.decode(errors="replace"))


def _ask_to_stop(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_SECONDS)


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
    return not others or (directory is not None and _works_in(pid, directory))


def _marks(pid: int) -> set[str]:
    prefix = f"{MARK}=".encode()
    return {
        os.fsdecode(value.removeprefix(prefix))
        for value in _environ(pid)
        if value.startswith(prefix)
    }


def _works_in(pid: int, directory: Path) -> bool:
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd")).is_relative_to(directory)
    except OSError:
        return False  # it is gone, or not ours to look at


def _environ(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []  # it is gone, or it is another user's and so not ours


def _has_no_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False
