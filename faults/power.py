"""Power cuts: data directory and sandbox on two disks that lose what was not made durable.

Both are ext4 on loop devices. A cut is EXT4_IOC_SHUTDOWN without a flush of the log: what the
kernel still had in memory never reaches the disk, and the next mount replays the journal, as after
a real one. On two disks nothing keeps the order of what is written but the program itself.
"""

import ctypes
import fcntl
import os
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from faults import naive
from faults.campaign import Campaign, Extent, Trial
from faults.operations import EXECUTE, RUN, Operation, Way
from faults.product import Product
from faults.room import Program, Room
from faults.tracing import Injection, SystemCall

SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
NO_LOG_FLUSH = 2
NEW_MOUNTS = 0x00020000  # CLONE_NEWNS
IMAGE_BYTES = 320 << 20  # more than what a doctor calls little; hardly any of it is written
OPTIONS = "loop,commit=600"  # nothing reaches the disk by the mere passing of time
# A run of steps has children that would keep the disks busy; a first use has nothing to lose.
# What a whole run leaves is cut only after its end: before, there may be no plan to go on with.
WHOLE_RUN = Operation(
    "run", "nothing", RUN, (Way((RUN,), "3"),), EXECUTE, owed=None, counts_rows=False
)
OPERATIONS = ("checkpoint", "rollback", "rollback in git", "delete", "prune", "recover", "migrate")


def missing() -> str | None:
    """Tells why no power can be cut here, if so."""
    if os.geteuid() != 0:
        return "mounting disks needs root"
    attempt = 'cd "$(mktemp -d)"; truncate -s 16M i; mkfs.ext4 -q i; mount --mkdir -o loop i m'
    probe = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", f'{attempt}; umount m; rm -r "$PWD"'],
        capture_output=True,
        text=True,
        check=False,
    )
    return f"no disk can be mounted here: {probe.stderr.strip()}" if probe.returncode else None


def run(extent: Extent) -> list[Trial]:
    """Kills operations and cuts the power at once; also right after they reported success."""
    operations = [one for one in extent.operations() if one.name in OPERATIONS]
    run_to_its_end = _run(Product(), [WHOLE_RUN], replace(extent, points=0, workers=1))
    return [*_run(Product(), operations, extent), *run_to_its_end]


def run_naive(extent: Extent) -> list[Trial]:
    """The same done to the naive order."""
    return _run(naive.Naive(), naive.OPERATIONS, extent)


def _run(program: Program, operations: Sequence[Operation], extent: Extent) -> list[Trial]:
    def choose(calls: Sequence[SystemCall]) -> list[Injection | None]:
        changing = [call for call in calls if call.changes]
        return [None, *(Injection(call, "signal=SIGKILL") for call in extent.of(changing))]

    return Campaign(program, choose, extent, PoweredRoom).run(operations)


class PoweredRoom(Room):
    """A room whose data directory and sandboxes are each on a disk of their own."""

    def __init__(self, home: Path, program: Program) -> None:
        super().__init__(home, program)
        _leave_the_mounts_of_others()
        self.disks = {self.data: home / "data.img", self.data / "sandboxes": home / "sandbox.img"}

    def put_back(self, name: str) -> None:
        """Fills new disks with what was remembered, durably."""
        super().put_back(name)
        os.sync()

    def clear(self) -> None:
        """Takes new disks."""
        self._unmount()
        for path, image in self.disks.items():
            image.unlink(missing_ok=True)
            with image.open("wb") as file:
                file.truncate(IMAGE_BYTES)
            subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
            self._mount(path, image)

    def settle(self) -> None:
        """Cuts the power and lets the machine come up again."""
        for path in self.disks:
            fd = os.open(path, os.O_RDONLY)
            fcntl.ioctl(fd, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
            os.close(fd)
        self._unmount()
        for path, image in self.disks.items():
            self._mount(path, image)

    def remove(self) -> None:
        """Removes everything."""
        self._unmount()
        super().remove()

    def _mount(self, path: Path, image: Path) -> None:
        path.mkdir(exist_ok=True)
        subprocess.run(["mount", "-o", OPTIONS, image, path], check=True)

    def _unmount(self) -> None:
        for path in reversed(self.disks):
            if path.is_mount():
                subprocess.run(["umount", path], check=True)


@cache
def _leave_the_mounts_of_others() -> None:
    """Gives this process mounts of its own, which end with it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "no mounts of our own can be had")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
