"""System calls that fail: a full disk, a broken one, a read-only one, no descriptors left."""

from collections.abc import Sequence

from faults.campaign import Campaign, Extent, Tried
from faults.product import Product
from faults.tracing import Injection, SystemCall

# What each error is said by; opening says it only where it would create, but for EMFILE.
MAKING = ("openat", "mkdirat", "linkat", "symlinkat", "renameat", "renameat2", "mknodat")
WRITING = ("write", "pwrite64", "fallocate", "ftruncate", "fsetxattr")
SYNCING = ("fsync", "fdatasync", "syncfs")
CHANGING = ("unlinkat", "fchmod", "fchmodat", "utimensat")
SAID_BY = {
    "ENOSPC": (*MAKING, *WRITING, *SYNCING),
    "EIO": (*MAKING, *WRITING, *SYNCING, *CHANGING),
    "EMFILE": ("openat",),
    "EROFS": (*MAKING, *WRITING, *CHANGING),
}


def run(extent: Extent) -> list[Tried]:
    """Makes calls of every operation fail with each error, once or from there on."""

    def choose(calls: Sequence[SystemCall]) -> list[Injection]:
        return [
            Injection(call, f"error={error}", lasting=bool(turn % 2))
            for error, names in SAID_BY.items()
            for turn, call in enumerate(extent.of(_able(calls, error, names)))
        ]

    return Campaign(Product(), choose, extent.workers).run(extent.operations())


def _able(calls: Sequence[SystemCall], error: str, names: Sequence[str]) -> list[SystemCall]:
    return [call for call in calls if call.name in names and (call.changes or error == "EMFILE")]
