"""A request to cancel a plan: a file beside the lock of the plan, seen by whoever owns it."""

import os
from pathlib import Path

from cleveragents.ids import PlanId
from cleveragents.storage.durability import sync_directory


class CancelRequests:
    """The requests of a data directory; they need no lock and outlive whoever made them."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def ask(self, plan_id: PlanId) -> None:
        """Asks for a plan to be cancelled, durably."""
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(self._path(plan_id), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        sync_directory(self._directory)

    def is_asked(self, plan_id: PlanId) -> bool:
        """Tells whether somebody wants the plan cancelled."""
        return self._path(plan_id).exists()

    def withdraw(self, plan_id: PlanId) -> None:
        """Forgets the request; call it once the plan does what was asked, or never will."""
        self._path(plan_id).unlink(missing_ok=True)

    def _path(self, plan_id: PlanId) -> Path:
        return self._directory / f"plan-{plan_id}.cancel"
