"""Verification: the content of checkpoints is read back and compared with its hashes."""

from collections.abc import Mapping

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.stored import document_of, verified
from cleveragents.errors import Damaged
from cleveragents.plans.document import PlanDocument
from cleveragents.records import frozen
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.tree.record import Snapshot


@frozen
class VerificationResult:
    """The result of reading one checkpoint back."""

    checkpoint: Checkpoint
    problem: str | None  # why it cannot be read at all
    damaged: tuple[str, ...]  # the paths whose content is damaged or missing
    document: PlanDocument | None = None  # what of the plan counted there; None: unreadable

    @property
    def is_intact(self) -> bool:
        """Whether it restores byte for byte."""
        return self.problem is None and not self.damaged


class Verification:
    """One run over checkpoints of a project; what they share is read once."""

    def __init__(self, archive: Archive, known: Mapping[bytes, bool] | None = None) -> None:
        self._archive = archive
        self._verifier = archive.verifier(known)

    @property
    def missed(self) -> set[bytes]:
        """The objects that what was read so far needs and that nobody has intact."""
        return self._verifier.missed

    def of(self, checkpoint: Checkpoint) -> VerificationResult:
        """Reads a checkpoint back."""
        try:
            snapshot = verified(self._archive, checkpoint)
        except Damaged as error:
            self._verifier.missed.add(bytes.fromhex(checkpoint.sandbox_ref))
            return VerificationResult(checkpoint, error.message, ())
        with self._archive.reading_back(checkpoint.name):
            damaged = self.of_snapshot(snapshot)
        return VerificationResult(checkpoint, None, damaged, document_of(snapshot))

    def of_snapshot(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Reads a snapshot back; returns the paths that are damaged or missing."""
        return tuple(self._archive.damaged(snapshot, self._verifier))
