"""A state that never was: the files of a checkpoint with another plan document.

Going there is the act of any rollback. Its content is kept before its row is: add the row in the
transaction that records the intent.
"""

from typing import TYPE_CHECKING, Any

from cleveragents.checkpoints.checkpoint import Checkpoint, state_hash
from cleveragents.checkpoints.stored import ACTION, verified
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.ids import CheckpointId, new_id, now
from cleveragents.plans.cursor import top_index
from cleveragents.plans.document import PlanDocument
from cleveragents.records import replace
from cleveragents.snapshots.archive import Archive

if TYPE_CHECKING:
    from cleveragents.plans.action import Action


def restated(
    archive: Archive,
    target: Checkpoint,
    document: PlanDocument,
    *,
    seq: int,
    reason: str,
    action: "Action | None" = None,
) -> Checkpoint:
    """Keeps the content of such a state; returns the row to be added for it.

    `action` is the one that the document names, unless that is the target's.
    """
    snapshot = verified(archive, target)
    made: dict[str, Any] = {
        "checkpoint_id": CheckpointId(new_id()),
        "seq": seq,
        "decision_id": None,
        "checkpoint_type": CheckpointType.ROLLBACK,
        "label": None,
        "step_index": top_index(document.cursor),
        "state_hash": state_hash(snapshot.roots, document),
        "parent_id": target.checkpoint_id,
        "pinned": False,
    }
    kept = {} if action is None else {ACTION: action.model_dump_json(by_alias=True)}
    about = {**snapshot.about, **made, "document": document.to_record(), **kept}
    return replace(
        target,
        **made,
        sandbox_ref=archive.keep_again(snapshot, about),
        size_bytes=0,
        created_at=now(),
        metadata={"reason": reason, "target": target.checkpoint_id},
    )
