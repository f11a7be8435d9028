"""Long work on files that may be given up at any of them, because all it makes is ours and new."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Check = Callable[[], None]  # raises if the work shall be given up


def _go_on() -> None:
    """What is not made to be given up comes to its end."""


_check: ContextVar[Check] = ContextVar("check", default=_go_on)  # each thread has its own


@contextmanager
def at_any_file(check: Check) -> Generator[None]:
    """While inside, this thread asks at each file it reads or writes whether to go on."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def look() -> None:
    """Asks whether to go on; call it for each file."""
    _check.get()()
