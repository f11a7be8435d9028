"""Groups of the system's (cgroups, version 2), which count what a command uses with all it starts.

They can be had where somebody has handed memory and processes on to groups that we may make:
a service manager, or a container. Whoever uses one holds a lock on it: one that nobody holds was
left by a process that was killed.
"""

import fcntl
import os
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

from cleveragents.confinement.mounts import Mount, beneath, mounts
from cleveragents.ids import new_id
from cleveragents.records import frozen

_OWN = Path("/proc/self/cgroup")
_VERSION_2 = "0::"  # begins its line
_NEEDED = {"memory", "pids"}
_PREFIX = "cleveragents-"
_PROCESSES = "cgroup.procs"
_TRIES = 200  # to remove one whose last process is just ending
_PAUSE = 0.005


@frozen
class Group:
    """A group for the moment."""

    place: Path
    joining: int  # who writes 0 there joins it

    def set(self, name: str, value: int) -> None:
        """Sets one of its limits; one that the kernel does not know is none."""
        with suppress(FileNotFoundError), open(self.place / name, "r+") as file:
            file.write(str(value))

    def happened(self, kind: str, event: str) -> bool:
        """Tells whether something of a kind has happened in it; what is not counted has not."""
        try:
            lines = (self.place / f"{kind}.events").read_text().splitlines()
        except FileNotFoundError:
            return False
        return any(line.startswith(f"{event} ") and not line.endswith(" 0") for line in lines)


def home() -> Path | None:
    """Where groups can be made that this process may join; None: nowhere."""
    return home_in(mounts(), _OWN.read_text())


def home_in(table: Iterable[Mount], own: str) -> Path | None:
    """Finds it, as the table of mounts and the groups that this process is in are."""
    paths = [
        line.removeprefix(_VERSION_2) for line in own.splitlines() if line.startswith(_VERSION_2)
    ]
    shown = next((one for one in table if one.kind == "cgroup2"), None)
    found = beneath(shown, paths[0]) if shown and paths else None
    if found is None:
        return None
    place = Path(found)
    return next((one for one in (place, *place.parents) if _lets(one)), None)


def _lets(place: Path) -> bool:
    try:
        handed = (place / "cgroup.subtree_control").read_text().split()
    except OSError:  # it is none, or not for us
        return False
    can = all(os.access(path, os.W_OK) for path in (place, place / _PROCESSES))
    return can and _NEEDED.issubset(handed)


@contextmanager
def group(place: Path) -> Generator[Group]:
    """Makes a group in another for as long as the block lasts; its processes must have ended."""
    with _directory(place) as above:
        fcntl.flock(above, fcntl.LOCK_EX)  # else it could be taken for one that was left
        _remove_abandoned(place)
        path = place / f"{_PREFIX}{new_id()}"
        path.mkdir()
        held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        joining = os.open(path / _PROCESSES, os.O_WRONLY | os.O_CLOEXEC)
        try:
            yield Group(path, joining)
        finally:
            os.close(joining)
    finally:
        _remove(path)
        os.close(held)


@contextmanager
def _directory(place: Path) -> Generator[int]:
    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def _remove(path: Path) -> None:
    """Removes one; what ends too slowly is left for the next that is made."""
    for _ in range(_TRIES):
        try:
            path.rmdir()
        except OSError:  # the kernel has not done with its last process
            time.sleep(_PAUSE)
        else:
            return


def _remove_abandoned(place: Path) -> None:
    for path in place.glob(f"{_PREFIX}*"):
        with suppress(OSError), _directory(path) as fd:  # in use, not empty yet, or gone
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.rmdir()
