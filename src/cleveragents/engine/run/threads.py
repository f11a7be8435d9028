"""Runs plans in threads of this process."""

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Generic, Self, TypeVar

from cleveragents.engine.run.dispatch import Work, WorkEnd, WorkStatus
from cleveragents.ids import PlanId

STOP_SECONDS = 0.1  # between asking what runs to stop, and asking again

T = TypeVar("T")


class ThreadDispatcher(Generic[T]):
    """Runs plans in threads of this process, at most so many at once."""

    def __init__(self, most: int, work: Work[T]) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="subplan")
        self._work = work
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
        while going := [one for one, future in self._futures.items() if not future.done()]:
            for plan_id in going:  # again and again: one may just be about to begin
                self.cancel(plan_id)
            wait([self._futures[one] for one in going], STOP_SECONDS)
        self._pool.shutdown()

    def submit(self, plan_id: PlanId) -> None:
        """Queues a plan; the same one may be submitted again once it has ended."""
        self._told.discard(plan_id)
        self._futures[plan_id] = self._pool.submit(self._work.run, plan_id)

    def wait(self, seconds: float) -> WorkEnd[T] | None:
        """Returns a plan that has ended since, each once; None if nothing does in time."""
        open_ = {future: one for one, future in self._futures.items() if one not in self._told}
        # The pool tells of what was cancelled only once it comes to it.
        ended = {future for future in open_ if future.cancelled()}
        ended = ended or wait(open_, seconds, FIRST_COMPLETED).done
        if not ended:
            return None
        future = min(ended, key=lambda one: open_[one])
        self._told.add(open_[future])
        if future.cancelled():
            return WorkEnd(open_[future])
        problem = future.exception()
        return WorkEnd(open_[future], None if problem else future.result(), problem)

    def cancel(self, plan_id: PlanId) -> None:
        """Takes a plan out of the queue, or asks it to stop if it has begun."""
        future = self._futures[plan_id]
        if not future.done() and not future.cancel():
            self._work.stop(plan_id)

    def status(self, plan_id: PlanId) -> WorkStatus:
        """Tells how far a plan has come."""
        future = self._futures[plan_id]
        if future.cancelled():
            return WorkStatus.CANCELLED
        if future.done():
            return WorkStatus.ENDED
        return WorkStatus.RUNNING if future.running() else WorkStatus.QUEUED
