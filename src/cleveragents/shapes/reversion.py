"""The preview of planning anew."""

from collections.abc import Sequence

from cleveragents.engine.correct.revert import BackToStart
from cleveragents.ids import PlanId
from cleveragents.shapes.change import ChangeRow, changes_of
from cleveragents.shapes.extent import DryRun, extent_of


class ReversionPreview(DryRun):
    """The preview of planning anew."""

    plan_id: PlanId
    to_phase: str
    times_left: int  # how often it may still be done
    changes: Sequence[ChangeRow]


def reversion_preview_of(would: BackToStart, to_phase: str, *, moving: bool) -> ReversionPreview:
    """The preview of planning anew."""
    return {
        "plan_id": would.plan.plan_id,
        "to_phase": to_phase,
        "times_left": would.times_left,
        "changes": changes_of(would.files),
        **extent_of(would.besides, len(would.files)),
        "moving": moving,
    }
