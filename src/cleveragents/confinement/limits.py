"""How much of the machine a command may use: what the system counts, and disk.

The system ends or refuses who wants more processor time, memory, processes or open files: it counts
for each process, but memory and processes for the whole command where it lets us make a group.
Disk is looked at once a second: what the sandbox holds, with the temporary directory of the step's
own.
"""

import re
import resource
import signal
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cleveragents.confinement import groups
from cleveragents.confinement.groups import Group
from cleveragents.confinement.level import LIMITS
from cleveragents.confinement.walls import Act
from cleveragents.counting import size
from cleveragents.records import frozen

# What programs print that are refused more.
_SAID: Mapping[str, re.Pattern[str]] = {
    "memory": re.compile(
        r"[Cc]annot allocate memory|MemoryError|[Oo]ut of memory|memory exhausted"
        r"|bad_alloc|ENOMEM| OOM"
    ),
    "processes": re.compile(
        r"Resource temporarily unavailable|[Cc]annot fork|start new thread|EAGAIN"
    ),
    "files": re.compile(r"Too many open files|EMFILE|: Error 24"),
}
_OUT_OF_TIME = (-signal.SIGXCPU, 128 + signal.SIGXCPU)  # the second is how shells tell it


@frozen
class Limits:
    """The limits; zero: there is none."""

    cpu: int = 0  # seconds of processor time, of each process
    memory: int = 0  # bytes: of addresses, of each process; in a group all that is used
    processes: int = 0  # of the step
    files: int = 0  # that each process has open
    disk: int = 0  # bytes

    @classmethod
    def of(cls, number: Callable[[str], int]) -> "Limits":
        """Reads them where settings are."""
        names = ("cpu", "memory", "processes", "files", "disk")
        return cls(**{name: number(f"{LIMITS}{name}") for name in names})

    @contextmanager
    def counting(self, beside: int) -> Generator[Group | None]:
        """Has a group count a command, and so many processes beside it, where one can be had."""
        home = groups.home() if self.memory or self.processes else None
        if home is None:
            yield None
            return
        with groups.group(home) as made:
            if self.memory:
                made.set("memory.max", self.memory)
                made.set("memory.swap.max", 0)
                made.set("memory.oom.group", 1)  # half a command is of no use
            if self.processes:
                made.set("pids.max", self.processes + beside)
            yield made

    def acts(self, group: Group | None) -> Iterator[Act]:
        """Yields the acts that set what the system counts."""
        for kind, most, spare in (
            (resource.RLIMIT_CPU, self.cpu, 1),  # who is asked to end has a second left
            (resource.RLIMIT_AS, 0 if group else self.memory, 0),
            (resource.RLIMIT_NPROC, 0 if group else self.processes, 0),
            (resource.RLIMIT_NOFILE, self.files, 0),
        ):
            if most:
                yield ("limit", str(kind), str(most), str(most + spare))
        if group:
            yield ("join", str(group.joining))

    def ended(self, group: Group | None) -> str | None:
        """Tells that the system ended a command for what its group used; None: it did not."""
        if group is None or not self.memory or not group.happened("memory", "oom_kill"):
            return None
        return f"it used more than {size(self.memory)} of memory ({LIMITS}memory)"

    def met(self, exit_code: int, printed: str) -> str | None:
        """Names the limit that a command has failed for, as far as its end tells."""
        if self.cpu and exit_code in _OUT_OF_TIME:
            return f"it took more than {self.cpu} s of processor time ({LIMITS}cpu)"
        most = {"memory": size(self.memory), "processes": self.processes, "files": self.files}
        for name, said in _SAID.items():
            if getattr(self, name) and said.search(printed):
                return f"{LIMITS}{name} is {most[name]}"
        return None

    def exceeded(self, used: Callable[[Path], int], *places: Path) -> str | None:
        """Tells that more is on the disk than may be; None: it is not, or nobody asked."""
        if not self.disk or sum(map(used, places)) <= self.disk:
            return None
        return f"its sandbox held more than {size(self.disk)} ({LIMITS}disk)"


NO_LIMITS = Limits()
