"""Files that go back, each with what becomes of it."""

from collections.abc import Sequence

from cleveragents.checkpoints.file_change import FileChange
from cleveragents.shapes.name import FileName, file_name


class ChangeRow(FileName):
    """What becomes of one path."""

    action: str  # restored | removed; of single paths also relinked: it holds what it did;
    # of an undo or a redo also merged, and applied: brought into the project


def changes_of(changes: Sequence[FileChange]) -> list[ChangeRow]:
    """Changes, in their order."""
    return [{**file_name(change.file), "action": change.action} for change in changes]
