"""Who stands in the way of the database: one that was stopped in a change holds up all others."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from cleveragents.errors import Busy
from cleveragents.records import frozen
from cleveragents.storage.kernel_locks import holders
from cleveragents.storage.owner import Owner, process_fields, start_time

PROGRAM = ("agents", "cleveragents")
KEEPER = "keeper.lock"  # as `storage.address` has it
STOPPED = "Tt"  # by a signal, or by who traces it
END_SECONDS = 10.0
LOOK_SECONDS = 0.02


@frozen
class Holder:
    """A process that has locked the database, as the kernel tells of it."""

    pid: int
    started: str
    is_stopped: bool
    words: tuple[str, ...]  # its command line; empty if that is not ours to see

    @classmethod
    def of(cls, pid: int) -> "Holder":
        """Looks at a process; one that is gone is not stopped."""
        fields = process_fields(pid) or ["?"]
        return cls(pid, start_time(pid), fields[0] in STOPPED, _command_line(pid))

    @property
    def is_agents(self) -> bool:
        """Whether it is this program, run by this user: then a crash of it is provided for."""
        program = {os.path.basename(word) for word in self.words[:5]}  # python -P -m cleveragents
        return not program.isdisjoint(PROGRAM) and _user(self.pid) == os.geteuid()

    def __str__(self) -> str:
        command = f" ({' '.join(self.words)})" if self.words else ""
        state = "is stopped in the middle of" if self.is_stopped else "is in the middle of"
        return f"process {self.pid} {state} a change of the database{command}"


def in_the_way(database: Path) -> Sequence[Holder]:
    """Returns who has locked the database: those that are stopped, else all."""
    files = (database, database.with_name(f"{database.name}-shm"))
    pids = {pid for file in files for pid in holders(file)} - {os.getpid()}
    found = [Holder.of(pid) for pid in sorted(pids)]
    return [holder for holder in found if holder.is_stopped] or found


def busy(database: Path) -> Busy:
    """The refusal of whoever waited for the database in vain, naming who holds it up."""
    found = in_the_way(database)
    who = found[0] if found else "another process is in the middle of a change of the database"
    hints = ["wait for it to finish, then try again"]
    if found and found[0].is_stopped:
        hints = [
            f"let it go on: kill -CONT {found[0].pid}",
            "or end it, if it is of agents, and resume: agents plan resume @ --take-over",
        ]
    return Busy(f"busy: {who}", detail=[f"file: {database}"], hints=hints)


def end_stopped(database: Path) -> Sequence[Holder]:
    """Ends the processes of this program that were stopped in a change; returns them.

    What they had begun is taken back by whoever opens the database next, as after a crash.
    """
    doomed = [one for one in in_the_way(database) if one.is_stopped and one.is_agents]
    for holder in doomed:
        Owner(holder.pid, holder.started, "", "").end()
    deadline = time.monotonic() + END_SECONDS
    while {one.pid for one in doomed} & {one.pid for one in in_the_way(database)}:
        if time.monotonic() > deadline:
            raise busy(database)
        time.sleep(LOOK_SECONDS)
    return doomed


def end_keeper(data: Path) -> None:
    """Ends the process that records for coding agents, before the database becomes another.

    It loses nothing that it has acknowledged, and the next event starts one that knows the new.
    """
    lock = data / KEEPER
    deadline = time.monotonic() + END_SECONDS
    while (pids := holders(lock)) and time.monotonic() < deadline:
        for pid in pids:
            Owner(pid, start_time(pid), "", "").end()
        time.sleep(LOOK_SECONDS)


def _command_line(pid: int) -> tuple[str, ...]:
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ()
    return tuple(os.fsdecode(word) for word in raw.split(b"\0") if word)


def _user(pid: int) -> int | None:
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return None
