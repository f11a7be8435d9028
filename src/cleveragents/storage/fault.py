"""Tells failures of the machine, which pass or can be mended, from all others."""

import errno
import sqlite3
from collections.abc import Iterator

from cleveragents.errors import (
    Busy,
    CleverAgentsError,
    Differs,
    Gone,
    Interrupted,
    Unsettled,
)
from cleveragents.storage.space import OUT_OF_SPACE

# What the machine, or whoever moves things about on it, is to blame for: to try again may help.
PASSING = frozenset(
    {
        errno.EACCES,
        errno.EAGAIN,
        errno.EBUSY,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EINTR,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENODEV,
        errno.ENOENT,
        errno.ENOLCK,
        errno.ENOMEM,
        errno.ENOSPC,
        errno.ENOTCONN,
        errno.ENOTDIR,
        errno.ENXIO,
        errno.EPERM,
        errno.EROFS,
        errno.ESTALE,
        errno.ETIMEDOUT,
        errno.ETXTBSY,
        errno.EXDEV,  # something is mounted there
    }
)
PASSING_TYPES = (
    *(Busy, Differs, Gone, Interrupted, Unsettled),
    *(MemoryError, sqlite3.OperationalError),
)
TRACE_CHARACTERS = 4000  # of where a surprise happened, the end


def is_the_machines(error: BaseException) -> bool:
    """Tells whether what failed may work later, as it is: no space, no permission, busy, …"""
    return any(_is_passing(one) for one in _chain(error))


def is_out_of_space(error: BaseException) -> bool:
    """Tells whether what failed found no room on the disk, in a file or in the database."""
    return any(
        (isinstance(one, OSError) and one.errno in OUT_OF_SPACE)
        or getattr(one, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
        for one in _chain(error)
    )


def told(error: BaseException) -> dict[str, str]:
    """Why something failed, to be kept: in a sentence, and where if nobody foresaw it."""
    if isinstance(error, CleverAgentsError):
        return {"reason": "; ".join([error.message, *error.detail[:3]])}
    import traceback  # noqa: PLC0415 - slow to import, and hardly ever needed

    trace = "".join(traceback.format_exception(error))[-TRACE_CHARACTERS:]
    return {"reason": f"{type(error).__name__}: {error}", "trace": trace}


def _is_passing(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in PASSING
    return isinstance(error, PASSING_TYPES)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yields an error and all that led to it."""
    if error is not None:
        yield error
        yield from _chain(error.__cause__)
        yield from _chain(None if error.__suppress_context__ else error.__context__)
