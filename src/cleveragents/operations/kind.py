"""The kinds of operations, and how far one can have come."""

from enum import StrEnum


class Kind(StrEnum):
    """The kind of an operation."""

    ROLLBACK = "rollback"
    CORRECT = "correct"
    REVERT = "revert"
    PRUNE = "prune"
    REFRESH = "refresh"
    RESTORE = "restore"
    RESOLVE = "resolve"
    MERGE = "merge"
    VALIDATE = "validate"
    APPLY = "apply"
    UNAPPLY = "unapply"
    UNDO = "undo"  # of what an agent did in a chat
    REDO = "redo"  # of such an undo
    UNKNOWN = "unknown"  # as another version of this program may have begun

    @property
    def noun(self) -> str:
        """The name of one of them."""
        return {Kind.CORRECT: "correction", Kind.REVERT: "reversion"}.get(self, self.value)


class Status(StrEnum):
    """How far an operation has come."""

    OPEN = "open"
    DONE = "done"
    ABORTED = "aborted"  # taken back to where it started, or given up as it was
    STUCK = "stuck"  # it cannot be carried out, for a reason that does not pass
