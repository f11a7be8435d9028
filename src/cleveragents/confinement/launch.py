"""Starts commands through the launcher, which confines itself and becomes the command.

It is told what to do in a file without a name, and tells on a descriptor of its own why it could
not: so its failure is never taken for one of the command.
"""

import errno
import os
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from cleveragents.confinement.walls import Act
from cleveragents.errors import Failed
from cleveragents.records import frozen

HERE = Path(__file__).parent
COMPILED = HERE / "confine.compiled"
# Without the site the twin starts in half the time; from its directory its bytecode is used.
_TWIN = f"import sys; sys.path.insert(0, {str(HERE)!r}); import confine; confine.main()"
PYTHON = (sys.executable, "-I", "-S", "-c", _TWIN)
RUN = "run"  # the last act
_MOST = 1 << 16  # bytes of an answer


class Unconfinable(Failed):
    """It could not be confined, and was not run."""

    def __init__(self, why: str) -> None:
        super().__init__(f"it could not be confined, and was not run: {why} (see: agents doctor)")


class Launch(Protocol):
    """A command as it is started, and what is told of that."""

    @property
    def arguments(self) -> Sequence[str]: ...
    @property
    def descriptors(self) -> tuple[int, ...]: ...  # handed on to it

    def problem(self) -> str | None: ...  # why it was not run, once all of its processes have ended


@frozen
class Plain:
    """A command that is started as it is."""

    arguments: Sequence[str]
    descriptors: tuple[int, ...] = ()

    def problem(self) -> None:
        """Tells of none: the system says at once what cannot be started."""


@frozen
class Launched:
    """A command as our launcher starts it."""

    arguments: Sequence[str]
    descriptors: tuple[int, ...]  # handed on to it; the last is for its answer

    def problem(self) -> str | None:
        """Why it could not be confined.

        That the command itself cannot be run is an error of the system, as it is without walls.
        """
        said = os.fsdecode(os.pread(self.descriptors[-1], _MOST, 0).rstrip(b"\n"))
        if not said:
            return None
        number, act, what = said.split(" ", 2)
        reason = os.strerror(int(number))
        if act == RUN:
            raise OSError(int(number), reason, what)
        if (act, int(number)) == ("enter", errno.ENOSPC):
            return "no more namespaces may be made (sysctl user.max_user_namespaces and the like)"
        return f"{act}: {reason}{f': {what}' if what else ''}"


def launcher() -> tuple[str, ...]:
    """The command that confines itself: the compiled one, where the set-up found a compiler."""
    return (str(COMPILED),) if is_compiled() else PYTHON


def is_compiled() -> bool:
    """Tells whether there is a compiled launcher."""
    return os.access(COMPILED, os.X_OK)


@contextmanager
def launching(
    acts: Iterable[Act], command: Sequence[str], more: Iterable[int] = ()
) -> Generator[Launched]:
    """Prepares a start, for as long as the block lasts; acts may name more descriptors."""
    orders = os.memfd_create("orders", os.MFD_CLOEXEC)
    answer = os.memfd_create("answer", os.MFD_CLOEXEC)
    try:
        os.write(orders, written(acts, command))
        yield Launched((*launcher(), str(orders), str(answer)), (*more, orders, answer))
    finally:
        os.close(orders)
        os.close(answer)


def written(acts: Iterable[Act], command: Sequence[str]) -> bytes:
    """The acts and the command, as the launcher reads them."""
    words = [word for act in acts for word in act]
    return b"".join(os.fsencode(word) + b"\0" for word in (*words, RUN, *command))
