"""How much of the machine a command may use: what the system counts for each process, and disk.

The system ends or refuses who wants more processor time, memory, processes or open files. Disk is
looked at once a second: what the sandbox holds, with the temporary directory of the step's own.
"""

import resource
from collections.abc import Callable, Iterator
from pathlib import Path

from cleveragents.confinement.level import LIMITS
from cleveragents.confinement.walls import Act
from cleveragents.counting import size
from cleveragents.records import frozen


@frozen
class Limits:
    """The limits; zero: there is none."""

    cpu: int = 0  # seconds of processor time, of each process
    memory: int = 0  # bytes of addresses, of each process
    processes: int = 0  # of the step
    files: int = 0  # that each process has open
    disk: int = 0  # bytes

    @classmethod
    def of(cls, number: Callable[[str], int]) -> "Limits":
        """Reads them where settings are."""
        names = ("cpu", "memory", "processes", "files", "disk")
        return cls(**{name: number(f"{LIMITS}{name}") for name in names})

    def acts(self) -> Iterator[Act]:
        """Yields the acts that set what the system counts."""
        for kind, most in (
            (resource.RLIMIT_CPU, self.cpu),
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_NOFILE, self.files),
        ):
            if most:
                yield ("limit", str(kind), str(most))

    def exceeded(self, used: Callable[[Path], int], *places: Path) -> str | None:
        """Tells that more is on the disk than may be; None: it is not, or nobody asked."""
        if not self.disk or sum(map(used, places)) <= self.disk:
            return None
        return f"its sandbox held more than {size(self.disk)} ({LIMITS}disk)"


NO_LIMITS = Limits()
