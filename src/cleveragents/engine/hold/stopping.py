"""Stopping: what makes a running plan stop before its end, and where it looks for it."""

from threading import Event

from cleveragents.errors import Interrupted
from cleveragents.ids import PlanId
from cleveragents.storage.request import CancelRequests

NOTHING_CHANGED = "interrupted; nothing was changed"


class CancelAsked(Exception):
    """Somebody wants the plan cancelled; whoever runs it carries that out."""


class StopRequests:
    """Known to every loop of a process: a signal stops all of its plans, a request one."""

    def __init__(self, requests: CancelRequests) -> None:
        self._requests = requests
        self._interrupted = Event()

    def ask(self, plan_id: PlanId) -> None:
        """Asks whoever owns a plan to cancel it."""
        self._requests.ask(plan_id)

    def withdraw(self, plan_id: PlanId) -> None:
        """Forgets that a plan should be cancelled."""
        self._requests.withdraw(plan_id)

    def interrupt(self) -> None:
        """Lets every plan of this process stop at the next moment it can."""
        self._interrupted.set()

    def is_due(self, plan_id: PlanId) -> bool:
        """Tells whether a plan should stop; asked several times a second while a step runs."""
        return self._interrupted.is_set() or self._requests.is_asked(plan_id)

    def check(self, plan_id: PlanId) -> None:
        """Leaves the loop of a plan that should stop; the plan stays where it is."""
        if self._requests.is_asked(plan_id):
            raise CancelAsked
        self.check_interrupted(plan_id)

    def check_interrupted(self, plan_id: PlanId) -> None:
        """Leaves a run that a signal shall stop."""
        if self._interrupted.is_set():
            raise Interrupted(
                "interrupted; the plan stays where it is",
                hints=[f"resume it: agents plan resume {plan_id}"],
            )

    def check_file(self) -> None:
        """Leaves any other work that a signal shall stop; costs next to nothing, for each file."""
        if self._interrupted.is_set():
            raise Interrupted(NOTHING_CHANGED)
