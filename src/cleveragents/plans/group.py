"""A group of subplans: which may start, which never will, and whose turn it is to be merged.

Pure: it knows how far each has come, and starts, merges and stops nothing itself. Merging follows
the order in which the subplans are written, or depend on each other, never that in which they
happen to end.
"""

from collections.abc import Mapping
from enum import StrEnum

from cleveragents.plans.step import GroupMode, Subplan, Subplans


class Progress(StrEnum):
    """How far a subplan has come in its group."""

    WAITING = "waiting"  # not spawned
    RUNNING = "running"  # spawned, and not at its end
    COMPLETE = "complete"  # at its end, not merged
    CONFLICTED = "conflicted"  # has open conflicts of its own, and waits until they are resolved
    MERGED = "merged"
    FAILED = "failed"  # for good
    SKIPPED = "skipped"


SETTLED = (Progress.MERGED, Progress.FAILED, Progress.SKIPPED)


class Group:
    """The subplans of one step, and how far each has come."""

    def __init__(self, subplans: Subplans, progress: Mapping[str, Progress]) -> None:
        self._subplans = subplans
        self._order = subplans.in_order()
        self.progress = {
            plan.name: progress.get(plan.name, Progress.WAITING) for plan in self._order
        }

    @property
    def at_once(self) -> int:
        """How many may run at the same time."""
        return 1 if self._subplans.mode is GroupMode.SEQUENTIAL else self._subplans.max_parallel

    @property
    def is_stopped(self) -> bool:
        """Whether a failure keeps everything else from starting."""
        return self._subplans.fail_fast and Progress.FAILED in self.progress.values()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return all(progress in SETTLED for progress in self.progress.values())

    def names(self, *wanted: Progress) -> list[str]:
        """Returns the subplans that have come so far, in order."""
        return [name for name, progress in self.progress.items() if progress in wanted]

    def ready(self) -> list[Subplan]:
        """Returns the subplans that may be spawned now."""
        if self.is_stopped:
            return []
        waiting = self._waiting()
        if self._subplans.mode is GroupMode.PARALLEL:
            return waiting
        if self._subplans.mode is GroupMode.DEPENDENCY_ORDERED:
            return [plan for plan in waiting if self._met(plan)]
        open_ = [name for name, progress in self.progress.items() if progress not in SETTLED]
        return [plan for plan in waiting if plan.name in open_[:1]]

    def hopeless(self) -> list[Subplan]:
        """Returns the subplans that will never be spawned, because of what failed."""
        if self.is_stopped:
            return self._waiting()
        lost = {*self.names(Progress.FAILED, Progress.SKIPPED)}
        return [plan for plan in self._waiting() if lost.intersection(plan.needs)]

    def to_merge(self) -> str | None:
        """Returns the subplan whose turn it is to be merged, if it is at its end."""
        for name, progress in self.progress.items():
            if progress is Progress.COMPLETE:
                return name
            if progress not in SETTLED:
                return None
        return None

    def _waiting(self) -> list[Subplan]:
        return [plan for plan in self._order if self.progress[plan.name] is Progress.WAITING]

    def _met(self, plan: Subplan) -> bool:
        return all(self.progress[name] is Progress.MERGED for name in plan.needs)
