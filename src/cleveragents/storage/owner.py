"""Who owns a lock: a process, since when and what for; written into the file of the lock."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

from cleveragents.clock import on_the_clock_if_time
from cleveragents.ids import now
from cleveragents.records import frozen
from cleveragents.storage.space import if_there_is_room

RECORD_BYTES = 512  # always the same length: to truncate a file is slow on some disks
BLANK = b" " * RECORD_BYTES


@frozen
class Owner:
    """A process, named for ever by its pid and its start time."""

    pid: int
    started: str
    since: str
    doing: str

    @classmethod
    def this_process(cls, doing: str) -> "Owner":
        """This process, doing something from now on."""
        return cls(os.getpid(), start_time(os.getpid()), now().isoformat(), doing)

    @classmethod
    def read(cls, path: Path) -> "Owner | None":
        """Returns who signed a lock file last; None if it does not say."""
        try:
            return cls(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def sign(self, fd: int) -> None:
        """Writes it into a lock file."""
        _write(fd, json.dumps(vars(self))[:RECORD_BYTES].ljust(RECORD_BYTES).encode())

    def end(self) -> None:
        """Kills this very process, stopped or not; one that is gone already is no problem."""
        with suppress(ProcessLookupError):
            fd = os.pidfd_open(self.pid)
            try:
                # The descriptor holds on to one process, whoever gets its pid afterwards.
                if start_time(self.pid) == self.started:
                    signal.pidfd_send_signal(fd, signal.SIGKILL)
            finally:
                os.close(fd)

    def __str__(self) -> str:
        return f"process {self.pid} is {self.doing} since {on_the_clock_if_time(self.since)}"


def erase(fd: int) -> None:
    """Takes the signature back: whoever is named in a lock file owns it, or is dead."""
    _write(fd, BLANK)


def _write(fd: int, record: bytes) -> None:
    """On a full disk an owner may have no name: what frees space has to own something, too."""
    with if_there_is_room():
        os.pwrite(fd, record, 0)


def start_time(pid: int) -> str:
    """Returns when a process started, in the kernel's ticks; empty if there is none."""
    fields = process_fields(pid)
    return fields[19] if fields else ""


def process_fields(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the name: state, parent, group, session, …"""
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:  # of every process, at every step
            text = file.read()
    except OSError:
        return None
    return text.rpartition(")")[2].split()
