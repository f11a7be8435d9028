"""A project that was moved, and the plans that follow it."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.engine.care.relocation import Relocation
from cleveragents.ids import PlanId


class ProjectMove(TypedDict):
    """Where a project was and is, and its plans; what was or, with --dry-run, would be done."""

    moved_from: str
    moved_to: str
    plans: Sequence[PlanId]
    dry_run: bool


def move_of(found: Relocation, *, dry_run: bool) -> ProjectMove:
    """Tells of a move."""
    return {
        "moved_from": str(found.old),
        "moved_to": str(found.new),
        "plans": [plan.plan_id for plan in found.plans],
        "dry_run": dry_run,
    }
