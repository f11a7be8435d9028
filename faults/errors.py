"""System calls that fail: a full disk, a broken one, a read-only one, no descriptors left."""

from collections.abc import Sequence

from faults.campaign import Campaign, Extent, Trial
from faults.product import Product
from faults.tracing import Injection, SystemCall

RENAMES = ("renameat", "renameat2")
# What each error is said by; opening says it only where it would create, but for EMFILE.
MAKING = ("openat", "mkdirat", "linkat", "symlinkat", *RENAMES, "mknodat")
WRITING = ("write", "pwrite64", "fallocate", "ftruncate", "fsetxattr")
SYNCING = ("fsync", "fdatasync", "syncfs")
CHANGING = ("unlinkat", "fchmod", "fchmodat", "utimensat")
SAID_BY = {
    "ENOSPC": (*MAKING, *WRITING, *SYNCING),
    "EIO": (*MAKING, *WRITING, *SYNCING, *CHANGING),
    "EMFILE": ("openat",),
    "EROFS": (*MAKING, *WRITING, *CHANGING),
}
# What puts files in place; a restore must notice if one of them did nothing.
LIARS = ("mkdirat", "linkat", "symlinkat", *RENAMES, "unlinkat", "fchmod", "utimensat")
LIED_TO = ("rollback", "rollback in git", "recover")


def run(extent: Extent) -> list[Trial]:
    """Makes calls of every operation fail with each error, once or from there on."""

    def choose(calls: Sequence[SystemCall]) -> list[Injection]:
        return [
            Injection(call, f"error={error}", lasting=bool(turn % 2))
            for error, names in SAID_BY.items()
            for turn, call in enumerate(extent.of(_able(calls, error, names)))
        ]

    return Campaign(Product(), choose, extent).run(extent.operations())


def run_lies(extent: Extent) -> list[Trial]:
    """Lets calls that put files in place succeed without doing anything."""

    def choose(calls: Sequence[SystemCall]) -> list[Injection]:
        placing = [call for call in calls if "/tree" in call.text and call.name in LIARS]
        return [
            Injection(call, "retval=0")
            for call in extent.of([one for one in placing if one.changes])
        ]

    operations = [one for one in extent.operations() if one.name in LIED_TO]
    return Campaign(Product(), choose, extent).run(operations)


def _able(calls: Sequence[SystemCall], error: str, names: Sequence[str]) -> list[SystemCall]:
    return [call for call in calls if call.name in names and (call.changes or error == "EMFILE")]
