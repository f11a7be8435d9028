"""Long work on files, told while it goes on: how far it has come, of how much."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from cleveragents.records import frozen

FIRST_SECONDS = 1.0  # before it is told at all: what is done by then was not long
TELL_SECONDS = 0.2  # between two times that it is told


@frozen
class Extent:
    """How far some work has come."""

    doing: str
    seconds: float  # since it began
    files: int
    size: int  # bytes
    of_files: int  # 0: that is not known before
    of_size: int


Watch = Callable[[Extent], None]


class _Work:
    """Counts what is done, and tells it now and then."""

    def __init__(
        self, watch: Watch, doing: str, of: tuple[int, int], clock: Callable[[], float]
    ) -> None:
        self._watch = watch
        self._doing = doing
        self._of = of
        self._clock = clock
        self._began = clock()
        self._next = self._began + FIRST_SECONDS
        self._files = self._size = 0

    def passed(self, size: int, files: int) -> None:
        self._size += size
        self._files += files
        now = self._clock()
        if now >= self._next:
            self._next = now + TELL_SECONDS
            self._watch(Extent(self._doing, now - self._began, self._files, self._size, *self._of))


_work: ContextVar[_Work | None] = ContextVar("work", default=None)  # each thread has its own


@contextmanager
def told(
    watch: Watch,
    doing: str,
    *,
    of_files: int = 0,
    of_size: int = 0,
    clock: Callable[[], float] = time.monotonic,
) -> Generator[None]:
    """While inside, the files that this thread reads and writes are counted and told."""
    token = _work.set(_Work(watch, doing, (of_files, of_size), clock))
    try:
        yield
    finally:
        _work.reset(token)


def passed(size: int, files: int = 1) -> None:
    """Counts what was read or written; call it for each file, and for each piece of a large one."""
    work = _work.get()
    if work is not None:
        work.passed(size, files)
