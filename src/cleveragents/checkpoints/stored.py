"""The stored snapshot of a checkpoint, held against its row."""

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, state_hash
from cleveragents.errors import Damaged
from cleveragents.ids import SnapshotId
from cleveragents.operations.intent import CheckpointState, SnapshotState
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.plan import Plan
from cleveragents.sandbox.sandbox import SandboxRepository
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.healing import Safeguard
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.storage.connection import Connection


def verified(archive: Archive, target: Checkpoint) -> Snapshot:
    """Loads a checkpoint's snapshot and holds it against its row."""
    try:
        snapshot = archive.load(target.sandbox_ref)
        matches = state_hash(snapshot.roots, document_of(snapshot)) == target.state_hash
    except (Damaged, ValueError, KeyError) as error:
        raise Damaged(f"the snapshot of {target.name} cannot be read: {error}") from error
    if not matches:
        raise Damaged(f"the snapshot of {target.name} does not match its state hash")
    return snapshot


def last_known(connection: Connection, plan: Plan) -> SnapshotId:
    """Returns the snapshot of a plan's files that is nearest to what they were last."""
    latest = CheckpointRepository(connection).latest(plan.plan_id)
    if latest is not None:
        return latest.sandbox_ref
    return plan.merged_ref or SandboxRepository(connection).get(plan.plan_id).started_from


def safeguard_of(connection: Connection, was: CheckpointState | SnapshotState) -> Safeguard:
    """Returns the safeguard of an intent: its state was read back before that was recorded."""
    if isinstance(was, SnapshotState):
        return Safeguard(was.reference)
    return Safeguard(CheckpointRepository(connection).get(was.checkpoint_id).sandbox_ref)


def document_of(snapshot: Snapshot) -> PlanDocument:
    """Returns the plan document that a checkpoint's snapshot holds."""
    return PlanDocument.from_record(snapshot.about["document"])
