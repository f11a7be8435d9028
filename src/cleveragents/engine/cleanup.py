"""Cleanup: what sandboxes lie around, what they cost, and which of them may go.

Only what a later process can build again goes by itself: the files of applied plans. All other work
goes if somebody says `--discard`, and even then it is kept as a checkpoint first.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cleveragents.checkpoints.saving import Wanted
from cleveragents.checkpoints.service import CheckpointService, Own
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.plans.lifecycle import APPLIED, CANCELLED
from cleveragents.plans.plan import Plan
from cleveragents.sandbox.sandboxes import Sandboxes

ON_TERMINAL = "on_terminal"  # sandboxes of cancelled plans go as well


@dataclass(frozen=True)
class Lying:
    """A sandbox whose files are on the disk."""

    plan: Plan | None  # None: what an interrupted command left
    path: Path
    size_bytes: int

    @property
    def may_go(self) -> bool:
        """Whether nothing is lost with it: its result is applied, or it is nobody's."""
        return self.plan is None or self.plan.stage == APPLIED


@dataclass(frozen=True)
class Pruned:
    """A sandbox that went, and the checkpoint it can be built from again."""

    lying: Lying
    checkpoint: int | None


class Cleanup:
    """Lists and removes sandboxes of the project."""

    def __init__(
        self, policy: str, sandboxes: Sandboxes, checkpoints: CheckpointService, own: Own
    ) -> None:
        self._policy = policy
        self._sandboxes = sandboxes
        self._checkpoints = checkpoints
        self._own = own

    def list(self, plans: Sequence[Plan]) -> Sequence[Lying]:
        """Returns what is on the disk, of these plans and of nobody."""
        found = [(plan, self._sandboxes.find(plan.plan_id)) for plan in plans]
        lying = [
            Lying(plan, sandbox.path, size_of(sandbox.home))
            for plan, sandbox in found
            if sandbox is not None and sandbox.exists
        ]
        left = [Lying(None, path, size_of(path)) for path in self._sandboxes.left_behind()]
        return [*lying, *left]

    def after_cancel(self, plan: Plan) -> None:
        """Removes the sandbox of a cancelled plan if the policy says so and it can be rebuilt."""
        sandbox = self._sandboxes.find(plan.plan_id)
        can_come_back = plan.action.rollback.enabled and sandbox is not None and sandbox.exists
        if self._policy == ON_TERMINAL and plan.stage == CANCELLED and can_come_back and sandbox:
            self._remove(Lying(plan, sandbox.path, 0))

    def prune(self, lying: Sequence[Lying]) -> Sequence[Pruned]:
        """Removes sandboxes; unapplied work is saved as a checkpoint first."""
        return [Pruned(each, self._remove(each)) for each in lying]

    def _remove(self, lying: Lying) -> int | None:
        if lying.plan is None:
            self._sandboxes.remove_left_behind(lying.path)
            return None
        plan = lying.plan
        with self._own(plan.plan_id, "removing its sandbox"):
            saved = None
            if not lying.may_go and plan.action.rollback.enabled:
                reason = "before its sandbox was removed"
                wanted = Wanted(CheckpointType.SAFETY, reason, even_if_unchanged=False)
                saved = self._checkpoints.create_checkpoint(plan.plan_id, wanted).seq
            self._sandboxes.remove(plan.plan_id)
        return saved


def size_of(top: Path) -> int:
    """Returns the bytes that a directory takes on the disk."""
    total = 0
    for folder, _, files in os.walk(top):
        for name in files:
            total += os.lstat(os.path.join(folder, name)).st_blocks * 512
    return total
