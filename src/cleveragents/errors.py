"""The errors users meet, as one tree; each family says what the user can do about it.

CleverAgentsError
├── InvalidInput     2  the request itself is wrong: fix it and try again
├── NotFound         3  nothing of that name exists
├── Refused          4  the present state does not allow it
│   └── Busy         4  another process owns the plan, the project or the store
├── Failed           1  it was tried and did not work
│   ├── Declined     1  the user said no: that is no error
│   ├── Damaged      1  stored content is missing or does not match its hash
│   └── Differs      1  the disk does not hold what was just written
├── Unforeseen       1  a mistake of the program itself: what is known of it is in a log file
└── Interrupted    130  the user stopped it
"""

import os
from collections.abc import Sequence


class CleverAgentsError(Exception):
    """An expected failure: a message, hints on what to type next, and an exit code."""

    code = "error"
    exit_code = 1

    def __init__(
        self, message: str, *, hints: Sequence[str] = (), detail: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hints = tuple(hints)
        self.detail = tuple(detail)


def in_words(error: CleverAgentsError | OSError) -> str:
    """Returns an error as people read it: one of the system without its number, with its path."""
    if isinstance(error, CleverAgentsError):
        return error.message
    where = f": {os.fsdecode(error.filename)}" if error.filename else ""
    return f"{error.strerror or error}{where}"


class InvalidInput(CleverAgentsError):
    """The request itself is wrong."""

    code = "invalid_input"
    exit_code = 2


class NotFound(CleverAgentsError):
    """Nothing of that name exists."""

    code = "not_found"
    exit_code = 3


class Refused(CleverAgentsError):
    """The present state does not allow it."""

    code = "refused"
    exit_code = 4


class Busy(Refused):
    """Another process owns what is needed."""

    code = "busy"


class Failed(CleverAgentsError):
    """It was tried and did not work."""

    code = "failed"


class Declined(Failed):
    """The user was asked and said no."""

    def __init__(self) -> None:
        super().__init__("declined; nothing was changed")


class Damaged(Failed):
    """Stored content is missing or does not match its hash."""

    code = "damaged"


class Gone(Refused):
    """A directory is not where it was: moved, deleted, or on a disk that is not mounted."""


class Unsettled(Failed):
    """Something is half-way, or may not survive a power cut: it waits until it can be finished."""


class Differs(Failed):
    """The disk does not hold what was just written: it, or somebody else, is to blame."""


class Unforeseen(CleverAgentsError):
    """A mistake of the program itself, met where nobody expected one."""

    code = "unforeseen"


class Interrupted(CleverAgentsError):
    """The user stopped it."""

    code = "interrupted"
    exit_code = 130
