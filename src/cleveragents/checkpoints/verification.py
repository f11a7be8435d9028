"""Verification: the content of checkpoints is read back and compared with its hashes."""

from dataclasses import dataclass

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.rollback import verified
from cleveragents.errors import Damaged
from cleveragents.snapshots.archive import Archive


@dataclass(frozen=True)
class Verified:
    """What became of a checkpoint when it was read back."""

    checkpoint: Checkpoint
    problem: str | None  # why it cannot be read at all
    damaged: tuple[str, ...]  # the paths whose content is damaged or missing

    @property
    def is_intact(self) -> bool:
        """Whether it restores byte for byte."""
        return self.problem is None and not self.damaged


class Verification:
    """One run over checkpoints of a project; what they share is read once."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._verifier = archive.verifier()

    def of(self, checkpoint: Checkpoint) -> Verified:
        """Reads a checkpoint back."""
        try:
            snapshot = verified(self._archive, checkpoint)
        except Damaged as error:
            return Verified(checkpoint, error.message, ())
        return Verified(checkpoint, None, tuple(self._archive.damaged(snapshot, self._verifier)))
