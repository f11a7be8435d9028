"""A state that never was: the files of a checkpoint with another plan document.

Going there is the act of any rollback. Its content is kept before its row is: add the row in the
transaction that records the intent.
"""

from cleveragents.checkpoints.checkpoint import Checkpoint, state_hash
from cleveragents.checkpoints.stored import verified
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.ids import CheckpointId, new_id, now
from cleveragents.plans.cursor import top_index
from cleveragents.plans.document import PlanDocument
from cleveragents.records import replace
from cleveragents.snapshots.archive import Archive


def restated(
    archive: Archive, target: Checkpoint, document: PlanDocument, *, seq: int, reason: str
) -> Checkpoint:
    """Keeps the content of such a state; returns the row to be added for it."""
    snapshot = verified(archive, target)
    checkpoint_id = CheckpointId(new_id())
    about = {**snapshot.about, "checkpoint_id": checkpoint_id, "seq": seq}
    reference = archive.keep_again(snapshot, {**about, "document": document.to_record()})
    return replace(
        target,
        checkpoint_id=checkpoint_id,
        seq=seq,
        decision_id=None,
        checkpoint_type=CheckpointType.ROLLBACK,
        sandbox_ref=reference,
        size_bytes=0,
        created_at=now(),
        label=None,
        step_index=top_index(document.cursor),
        state_hash=state_hash(snapshot.roots, document),
        parent_id=target.checkpoint_id,
        pinned=False,
        metadata={"reason": reason, "target": target.checkpoint_id},
    )
