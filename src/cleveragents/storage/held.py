"""The right to change one plan, held for one block of one thread.

Whatever changes a plan is handed a `Held`, so nothing can change one that it does not own; what
only looks is handed none, so it cannot.
"""

import os
from contextlib import AbstractContextManager
from threading import get_ident
from typing import Protocol

from cleveragents.errors import Refused
from cleveragents.ids import PlanId

ENDED = "the plan is not held any more"
CALL_INSIDE = "call it inside the block, or open the plan again"
CALL_THERE = "call it where it was opened; nothing was changed"


class Held:
    """A plan that nobody else changes; it ends with the block that took it, and refuses then."""

    def __init__(self, plan_id: PlanId, hold: "Hold") -> None:
        self.plan_id = plan_id
        self._hold = hold
        self._process, self._thread = os.getpid(), get_ident()
        self._is_over = False
        self.has_changed = False  # whether anything was written by this right

    def with_(
        self, plan_id: PlanId, doing: str, *, files: bool = True
    ) -> AbstractContextManager["Held"]:
        """Holds a subplan that goes along: after its parent, never before it."""
        self.check()
        return self._hold(plan_id, doing, files=files)

    def check(self) -> None:
        """Refuses whoever comes after the block has ended, or from another process or thread."""
        is_forked = self._process != os.getpid()  # such a process has all but the locks
        for is_so, why, hint in (
            (self._is_over, f"{ENDED}: the block that held it has ended", CALL_INSIDE),
            (is_forked, "the plan is held by another process, which forked this one", CALL_THERE),
            (self._thread != get_ident(), "the plan is held by another thread", CALL_THERE),
        ):
            if is_so:
                raise Refused(why, hints=[hint])

    def end(self) -> None:
        """From now on it refuses everybody."""
        self._is_over = True


class Hold(Protocol):
    """Takes a plan for one act; `files`: whether that may change them, so that none is half-way."""

    def __call__(
        self, plan_id: PlanId, doing: str, *, files: bool = True
    ) -> AbstractContextManager[Held]: ...
