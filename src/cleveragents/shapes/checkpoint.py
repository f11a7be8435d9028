"""Checkpoints: their rows, what keeps them, and whether they can be read back."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from cleveragents.checkpoints.checkpoint import Checkpoint, forgotten
from cleveragents.checkpoints.retention import Verdict
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.ids import CheckpointId, DecisionId, PlanId, SnapshotId
from cleveragents.shapes.name import PathName, path_name

if TYPE_CHECKING:
    from cleveragents.checkpoints.verification import VerificationResult


class CheckpointRow(TypedDict):
    """A checkpoint: the columns of the table."""

    checkpoint_id: CheckpointId
    plan_id: PlanId
    seq: int  # its number in the plan
    decision_id: DecisionId | None
    checkpoint_type: CheckpointType
    resource_id: str | None  # the sandbox; a chat has none
    sandbox_ref: SnapshotId  # the snapshot
    filesystem_path: str
    size_bytes: int  # what it added to the store
    created_at: str
    label: str | None
    step_index: int
    state_hash: str  # of the files and the plan document
    parent_id: CheckpointId | None  # the checkpoint whose state it continues
    pinned: bool
    metadata_json: Mapping[str, object]  # reason, source tool, phase, trigger, filter and more


class ListedCheckpoint(CheckpointRow):
    """A checkpoint in the list of its plan."""

    marked: bool  # a rollback left it behind
    kept: str  # why it is kept, or that it goes next


class CheckpointList(TypedDict):
    """The checkpoints of a plan, the oldest first."""

    checkpoints: Sequence[ListedCheckpoint]
    forgotten: int  # how many were deleted, or let go by the limit


class Deletion(TypedDict):
    """A checkpoint that is gone."""

    deleted: CheckpointId
    seq: int


class DeletionPreview(TypedDict):
    """A checkpoint that would be gone."""

    would_delete: CheckpointId
    seq: int
    moving: bool  # another process is at work on the plan


class DamageRow(TypedDict):
    """The damage to a checkpoint."""

    plan_id: PlanId
    checkpoint_id: CheckpointId
    seq: int
    problem: str | None  # why it cannot be read at all
    paths: Sequence[PathName]  # whose content is damaged or missing


class ReadingBack(TypedDict):
    """Which checkpoints restore byte for byte, and which do not."""

    verified: Sequence[CheckpointId]
    damaged: Sequence[DamageRow]


def checkpoint_of(row: Checkpoint) -> CheckpointRow:
    """A checkpoint as it is stored."""
    return {
        "checkpoint_id": row.checkpoint_id,
        "plan_id": row.plan_id,
        "seq": row.seq,
        "decision_id": row.decision_id,
        "checkpoint_type": row.checkpoint_type,
        "resource_id": row.resource_id,
        "sandbox_ref": row.sandbox_ref,
        "filesystem_path": row.filesystem_path,
        "size_bytes": row.size_bytes,
        "created_at": row.created_at.isoformat(),
        "label": row.label,
        "step_index": row.step_index,
        "state_hash": row.state_hash,
        "parent_id": row.parent_id,
        "pinned": row.pinned,
        "metadata_json": dict(row.metadata),
    }


def list_of(verdicts: Sequence[Verdict], line: Collection[CheckpointId]) -> CheckpointList:
    """The checkpoints of a plan; what is not on the line was left behind."""
    rows = [verdict.checkpoint for verdict in verdicts]
    return {
        "checkpoints": [
            {
                **checkpoint_of(verdict.checkpoint),
                "marked": verdict.checkpoint.checkpoint_id not in line,
                "kept": verdict.why,
            }
            for verdict in verdicts
        ],
        "forgotten": forgotten(rows),
    }


def deletion_of(row: Checkpoint) -> Deletion:
    """The result of a deletion."""
    return {"deleted": row.checkpoint_id, "seq": row.seq}


def deletion_preview_of(row: Checkpoint, *, moving: bool) -> DeletionPreview:
    """The preview of a deletion."""
    return {"would_delete": row.checkpoint_id, "seq": row.seq, "moving": moving}


def reading_back_of(found: Sequence["VerificationResult"]) -> ReadingBack:
    """The result of reading checkpoints back."""
    return {
        "verified": [one.checkpoint.checkpoint_id for one in found if one.is_intact],
        "damaged": [_damage(one) for one in found if not one.is_intact],
    }


def _damage(found: "VerificationResult") -> DamageRow:
    return {
        "plan_id": found.checkpoint.plan_id,
        "checkpoint_id": found.checkpoint.checkpoint_id,
        "seq": found.checkpoint.seq,
        "problem": found.problem,
        "paths": [path_name(path) for path in found.damaged],
    }
