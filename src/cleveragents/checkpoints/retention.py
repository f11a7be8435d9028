"""Which checkpoints are kept: a pure function that also says why it keeps each one."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.records import frozen

if TYPE_CHECKING:  # settings need the limit alone
    from cleveragents.checkpoints.checkpoint import Checkpoint

DEFAULT_LIMIT = 50
BEYOND = "beyond the limit"  # the only reason to let one go


@frozen
class CheckpointRetentionPolicy:
    """How many checkpoints a plan keeps."""

    limit: int = DEFAULT_LIMIT


@frozen
class Verdict:
    """Whether one checkpoint stays, and why."""

    checkpoint: "Checkpoint"
    why: str
    needed: str = ""  # what would be missed without it

    @property
    def stays(self) -> bool:
        """Whether it stays."""
        return self.why != BEYOND


def judge(
    rows: "Sequence[Checkpoint]", policy: CheckpointRetentionPolicy, needed: Mapping[str, str]
) -> list[Verdict]:
    """Judges all checkpoints of a plan, the oldest first.

    `needed` names checkpoints that something else relies on, each with the reason. Kept ones may
    exceed the limit; the oldest that nothing protects go first.
    """
    reasons = {**_protected(rows), **needed}
    surplus = len(rows) - policy.limit
    verdicts: list[Verdict] = []
    for row in rows:
        why = reasons.get(row.checkpoint_id)
        if why is not None:
            verdicts.append(Verdict(row, why, needed.get(row.checkpoint_id, "")))
        elif surplus > 0:
            verdicts.append(Verdict(row, BEYOND))
            surplus -= 1
        else:
            verdicts.append(Verdict(row, "within the limit"))
    return verdicts


def _protected(rows: "Sequence[Checkpoint]") -> dict[str, str]:
    reasons: dict[str, str] = {}
    for row in rows:
        if row.pinned:
            reasons[row.checkpoint_id] = "pinned"
    safeties = [row for row in rows if row.checkpoint_type == CheckpointType.SAFETY]
    for row, why in (
        *((row, "the latest safety checkpoint") for row in safeties[-1:]),
        *((row, "the newest") for row in rows[-1:]),
        *((row, "the first") for row in rows[:1]),
    ):
        reasons[row.checkpoint_id] = why
    return reasons
