"""How files differ."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.checkpoints.comparison import FileDiff
from cleveragents.shapes.name import PathName, path_name


class DifferenceRow(PathName):
    """How one path differs; that of a directory ends with /."""

    status: str  # added | modified | deleted
    insertions: int
    deletions: int


class DifferenceTotal(TypedDict):
    """All paths that differ, together."""

    files: int
    insertions: int
    deletions: int


class Differences(TypedDict):
    """Which files differ, and by how many lines."""

    files: Sequence[DifferenceRow]
    total: DifferenceTotal


def difference_of(diff: FileDiff) -> DifferenceRow:
    """How one path differs."""
    return {
        **path_name(diff.path),
        "status": diff.status,
        "insertions": diff.insertions,
        "deletions": diff.deletions,
    }


def differences_of(found: Sequence[FileDiff]) -> Differences:
    """How all of them do."""
    return {
        "files": [difference_of(diff) for diff in found],
        "total": {
            "files": len(found),
            "insertions": sum(diff.insertions for diff in found),
            "deletions": sum(diff.deletions for diff in found),
        },
    }
