"""Who is at work in a sandbox, and which of them a step of a dead run has left there.

A daemon may shed session and mark; what it cannot shed is when it began and where it works. It is
ended if it began while the step ran and has no terminal; somebody's shell or editor is only told.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cleveragents.errors import Failed
from cleveragents.records import frozen
from cleveragents.storage.owner import process_fields

KILL_SECONDS = 10.0  # after which a process that cannot be killed is reported
SLACK_SECONDS = 1.0  # a step that ran on was seen less than this ago
TICKS = os.sysconf("SC_CLK_TCK")
NO_TERMINAL = "0"


@frozen
class Span:
    """When a step ran, in the kernel's ticks since the machine started."""

    began: int
    ended: float

    @classmethod
    def until_last_seen(cls, began: int, seen_at: float) -> "Span":
        """The span of a step that was last seen running at a time of the clock on the wall."""
        ago = max(0.0, time.time() - seen_at - SLACK_SECONDS)
        return cls(began, (time.clock_gettime(time.CLOCK_BOOTTIME) - ago) * TICKS)


@frozen
class Ground:
    """A directory of ours that a plan works in."""

    home: Path
    kept_beside: Path  # what only we have open: the data directory, but for its sandboxes
    sandboxes: Path

    def at_work(self) -> Iterator[int]:
        """Yields who works here or has a file open, but for us and those who started us."""
        spared = set(_line_of(os.getpid()))
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) not in spared:
                opened = list(_opened(int(name)))
                if any(path.is_relative_to(self.home) for path in opened) and not any(
                    map(self._is_ours, opened)
                ):
                    yield int(name)

    def _is_ours(self, path: Path) -> bool:
        return path.is_relative_to(self.kept_beside) and not path.is_relative_to(self.sandboxes)


def end_those_of(span: Span | None, ground: Ground) -> list[str]:
    """Ends who began in a span; returns who else is at work there, by pid and command."""
    deadline = time.monotonic() + KILL_SECONDS
    while left := [pid for pid in ground.at_work() if _is_of(span, pid)]:
        if time.monotonic() > deadline:
            raise Failed(f"processes of the step cannot be ended: {sorted(left)}")
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
    return [f"{pid} ({_command(pid)})" for pid in ground.at_work()]


def _is_of(span: Span | None, pid: int) -> bool:
    fields = process_fields(pid)
    if span is None or fields is None or fields[4] != NO_TERMINAL:
        return False
    return span.began <= int(fields[19]) <= span.ended


def _line_of(pid: int) -> Iterator[int]:
    """A process and those it comes from."""
    while pid > 0:
        yield pid
        fields = process_fields(pid)
        pid = int(fields[1]) if fields else 0


def _opened(pid: int) -> Iterator[Path]:
    """The directory a process works in and the files it has open, as far as we may look."""
    with suppress(OSError):
        yield Path(os.readlink(f"/proc/{pid}/cwd"))
        for fd in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                yield Path(os.readlink(f"/proc/{pid}/fd/{fd}"))


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "just gone"
    return b" ".join(words).decode(errors="replace").strip()
