"""Runs the command of a step; when it has ended, so has every process that it started.

A step runs in its own session, with an environment built from an allow-list, closed descriptors,
capped output and, but for what the call is given, no standard input.
"""

import math
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from cleveragents.confinement.cell import OPEN, Cell
from cleveragents.confinement.launch import Launch
from cleveragents.counting import size
from cleveragents.masking import Masking
from cleveragents.records import field, frozen
from cleveragents.sandbox.rooms import room
from cleveragents.sandbox.survivors import MARK, end_step, sign_leader, start_step, still_runs
from cleveragents.storage.scratch import scratch_file
from cleveragents.storage.space import disk_use

ALWAYS_PASSED = ("HOME", "PATH", "LANG", "TERM")
OUTPUT_CAP = 10 << 20  # bytes of output kept per step
CUT = f"[all that follows was left out: {size(OUTPUT_CAP)} of output are kept]"
TAIL = 4096  # bytes of output kept at hand for messages
LOOK_SECONDS = 0.2  # between two looks whether a step must stop
DISK_SECONDS = 1.0  # between two looks at what it holds
GRACE_SECONDS = 1.0  # between asking a step to stop and making it


@frozen
class Job:
    """One command to run for a step."""

    arguments: Sequence[str]
    directory: Path
    environment: Mapping[str, str]
    mark: str
    output: Path
    timeout: float | None = None
    given: bytes | None = None  # what it reads on its standard input
    masking: Masking = field(default_factory=Masking)  # of what it prints
    cell: Cell = OPEN
    rooms: Path = Path()  # where a temporary directory of its own is made, if it needs one
    handed: Sequence[Path] = ()  # files that it may write to, wherever they lie


@frozen
class ProcessEnd:
    """How a command ended."""

    exit_code: int
    timed_out: bool
    stopped: bool  # because it was asked for
    tail: str  # the last of what it printed
    cut: bool  # it printed more than is kept
    exceeded: str | None = None  # what it used more of than it may

    @property
    def ended(self) -> bool:
        """Whether it came to its end by itself."""
        return not (self.timed_out or self.stopped or self.exceeded)


@frozen
class StepEnvironment:
    """The part of the caller's environment that steps may see."""

    caller: Mapping[str, str]
    passed: tuple[str, ...] = ()

    def handed(self, passed: Iterable[str]) -> list[str]:
        """Returns what is handed on because somebody named it."""
        wanted = {*self.passed, *passed}.difference(ALWAYS_PASSED)
        return [self.caller[name] for name in wanted if name in self.caller]

    def seen(self, passed: Sequence[str], own: Mapping[str, str], mark: str) -> dict[str, str]:
        """Builds what one step sees; nothing of git's ever passes."""
        wanted = (*ALWAYS_PASSED, *self.passed, *passed)
        names = [name for name in wanted if not name.startswith("GIT_")]
        found = {name: self.caller[name] for name in names if name in self.caller}
        return {**found, **own, MARK: mark}


def run(
    job: Job,
    *,
    on_line: Callable[[str], None],
    must_stop: Callable[[], bool],
) -> ProcessEnd:
    """Runs the command to its end; when this returns or raises, nothing it started survives."""
    pipe, theirs = os.pipe()
    with (
        open(job.output, "wb") as output,
        os.fdopen(pipe, "rb", buffering=0),
        _standard_input(job.given) as given,
        _own_room(job) as own,
        job.cell.counting() as group,
        job.cell.launching(job.arguments, own, job.handed, group) as launch,
    ):
        seen = {**job.environment, **job.cell.variables(own)}
        try:
            process = start_step(
                job.mark, lambda: _started(launch, job.directory, seen, given, theirs)
            )
        finally:
            os.close(theirs)

        disk = _Disk(job, own)

        def is_due() -> bool:
            still_runs(job.output.parent)
            output.flush()  # others may read along
            return must_stop() or disk.is_exceeded()

        reader = _Reader(process.pid, pipe, output.write, on_line, is_due, job.masking)
        try:
            sign_leader(job.mark, job.output.parent, process.pid)
            if not reader.until_exit(job.timeout):
                _ask_to_stop(process)
        finally:
            end_step(job.mark, process, job.directory)
            reader.drain()
        job.cell.refuse(launch)
        exceeded = job.cell.limits.ended(group) or disk.look()
    stopped = reader.stopped and exceeded is None
    return ProcessEnd(process.wait(), reader.timed_out, stopped, reader.tail, reader.cut, exceeded)


class _Disk:
    """How much a command leaves on the disk, looked at once a second if there is a limit."""

    def __init__(self, job: Job, own: Path | None) -> None:
        self._limits = job.cell.limits
        self._places = [job.directory] if own is None else [job.directory, own]
        self._next = time.monotonic() + DISK_SECONDS
        self._found: str | None = None

    def is_exceeded(self) -> bool:
        """Tells while it runs, if a second has passed since the last look."""
        moment = time.monotonic()
        if moment >= self._next:
            self._next = moment + DISK_SECONDS
            self.look()
        return self._found is not None

    def look(self) -> str | None:
        """Tells of what there was too much, ever."""
        self._found = self._found or self._limits.exceeded(disk_use, *self._places)
        return self._found


@contextmanager
def _standard_input(given: bytes | None) -> Generator[int]:
    """A file rather than a pipe: a process that reads nothing keeps nobody waiting."""
    if given is None:
        yield subprocess.DEVNULL
        return
    with scratch_file() as file:
        file.write(given)
        file.seek(0)
        yield file.fileno()


def _own_room(job: Job) -> AbstractContextManager[Path | None]:
    """A temporary directory of its own, if it may not use the one that all share."""
    return room(job.rooms) if job.cell.needs_room else nullcontext()


def _started(
    launch: Launch, directory: Path, seen: Mapping[str, str], given: int, output: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(launch.arguments),
        cwd=directory,
        env=dict(seen),
        pass_fds=launch.descriptors,
        stdin=given,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


class _Reader:
    """Reads a process's output while waiting for its end."""

    def __init__(
        self,
        pid: int,
        pipe: int,
        keep: Callable[[bytes], object],
        on_line: Callable[[str], None],
        must_stop: Callable[[], bool],
        masking: Masking,
    ) -> None:
        self._pid = pid
        self._pipe = pipe
        self._keep = keep
        self._on_line = on_line
        self._must_stop = must_stop
        self._masked = masking.stream()
        self._next_look = time.monotonic()
        self.timed_out = False
        self.stopped = False
        self.cut = False
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
        self._take(self._masked.finish())
        if self._line:
            self._tell(self._line)

    def _read_some(self) -> bool:
        data = os.read(self._pipe, 1 << 16)
        self._take(self._masked.feed(data))
        return bool(data)

    def _take(self, data: bytes) -> None:
        """Keeps and tells what was printed, secrets masked."""
        kept = data[: self._left]
        self._left -= len(kept)
        self._keep(kept)
        if len(kept) < len(data) and not self.cut:
            self.cut = True
            self._keep(f"\n{CUT}\n".encode())
        self._tail = (self._tail + data)[-TAIL:]
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-TAIL:]
        if lines:
            self._tell(lines[-1])

    def _tell(self, line: bytes) -> None:
        self._on_line(line.decode(errors="replace"))


def _ask_to_stop(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_SECONDS)
