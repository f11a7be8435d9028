"""Runs plans at the same time: the seam where another engine could take over.

A dispatcher is handed ids and knows nothing else of plans. It runs as many as it may at once, tells
what has ended, and stops what is no longer wanted.
"""

from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from cleveragents.ids import PlanId
from cleveragents.records import frozen

T = TypeVar("T")


class WorkStatus(StrEnum):
    """How far a plan has come."""

    QUEUED = "queued"
    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"  # before it began


@frozen
class Work(Generic[T]):
    """A job: what to do with a plan, and how to make it stop once it has begun."""

    run: Callable[[PlanId], T]
    stop: Callable[[PlanId], None]


@frozen
class WorkEnd(Generic[T]):
    """The outcome of a plan; neither result nor error: it was cancelled before it began."""

    plan_id: PlanId
    result: T | None = None
    error: BaseException | None = None


class Dispatcher(Protocol[T]):
    """Runs plans; on leaving its block, whatever still runs is stopped and waited for."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def submit(self, plan_id: PlanId) -> None: ...
    def wait(self, seconds: float) -> WorkEnd[T] | None: ...
    def cancel(self, plan_id: PlanId) -> None: ...
    def status(self, plan_id: PlanId) -> WorkStatus: ...
