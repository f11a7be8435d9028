"""Long work on files that may be given up at any of them: nothing has happened, or it is finished.

What is not recorded yet leaves nothing behind, and an open operation is carried out by whoever
comes next; so to end at a file is as safe as a crash, and what is left is tidier.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Check = Callable[[], None]  # raises if the work shall be given up


def _go_on() -> None:
    """Comes to its end where nobody lets it be given up."""


_check: ContextVar[Check] = ContextVar("check", default=_go_on)  # each thread has its own


@contextmanager
def at_any_file(check: Check) -> Generator[None]:
    """While inside, this thread asks at each file it reads or writes whether to go on."""
    before = _check.get()
    _check.set(check)
    try:
        yield
    finally:
        _check.set(before)  # by no token: a notebook may leave the block in another context


def to_the_end() -> AbstractContextManager[None]:
    """While inside, nothing is given up: half of it would be worse than to wait for it."""
    return at_any_file(_go_on)


def look() -> None:
    """Asks whether to go on; call it for each file."""
    _check.get()()
