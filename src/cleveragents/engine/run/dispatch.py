from cleveragents.ids import PlanId

"""Runs pieces of work at the same time: the seam where another engine could take over.

A dispatcher knows nothing of plans. It starts what it is given, as many as it may at once, tells
what has ended, and stops what is no longer wanted.
"""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

STOP_SECONDS = 0.1  # between asking what runs to stop, and asking again

T = TypeVar("T")


class WorkStatus(StrEnum):
    """How far a piece of work has come."""

    QUEUED = "queued"
    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"  # before it began


@dataclass(frozen=True)
class Work(Generic[T]):
    """Something to do, and how to make it stop once it has begun."""

    run: Callable[[], T]
    stop: Callable[[], None]


@dataclass(frozen=True)
class Ended(Generic[T]):
    """What came of a piece of work; neither result nor error: it was cancelled before it began."""

    key: PlanId
    result: T | None = None
    error: BaseException | None = None


class Dispatcher(Protocol[T]):
    """Runs work; on leaving its block, whatever still runs is stopped and waited for."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def submit(self, key: PlanId, work: Work[T]) -> None: ...
    def wait(self, seconds: float) -> Ended[T] | None: ...
    def cancel(self, key: PlanId) -> None: ...
    def status(self, key: PlanId) -> WorkStatus: ...


class ThreadDispatcher(Generic[T]):
    """Runs work in threads of this process, at most so many at once."""

    def __init__(self, most: int) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="subplan")
        self._work: dict[PlanId, Work[T]] = {}
        self._futures: dict[PlanId, Future[T]] = {}
        self._told: set[PlanId] = set()  # whose end somebody was told of

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        while going := [key for key, future in self._futures.items() if not future.done()]:
            for key in going:  # again and again: one may just be about to begin
                self.cancel(key)
            wait([self._futures[key] for key in going], STOP_SECONDS)
        self._pool.shutdown()

    def submit(self, key: PlanId, work: Work[T]) -> None:
        """Queues work; the same key may be submitted again once it has ended."""
        self._told.discard(key)
        self._work[key] = work
        self._futures[key] = self._pool.submit(work.run)

    def wait(self, seconds: float) -> Ended[T] | None:
        """Returns work that has ended since, each once; None if nothing does in time."""
        open_ = {future: key for key, future in self._futures.items() if key not in self._told}
        # The pool tells of what was cancelled only once it comes to it.
        ended = {future for future in open_ if future.cancelled()}
        ended = ended or wait(open_, seconds, FIRST_COMPLETED).done
        if not ended:
            return None
        future = min(ended, key=lambda one: open_[one])
        self._told.add(open_[future])
        if future.cancelled():
            return Ended(open_[future])
        problem = future.exception()
        return Ended(open_[future], None if problem else future.result(), problem)

    def cancel(self, key: PlanId) -> None:
        """Takes work out of the queue, or asks it to stop if it has begun."""
        future = self._futures[key]
        if not future.done() and not future.cancel():
            self._work[key].stop()

    def status(self, key: PlanId) -> WorkStatus:
        """Tells how far a piece of work has come."""
        future = self._futures[key]
        if future.cancelled():
            return WorkStatus.CANCELLED
        if future.done():
            return WorkStatus.ENDED
        return WorkStatus.RUNNING if future.running() else WorkStatus.QUEUED
