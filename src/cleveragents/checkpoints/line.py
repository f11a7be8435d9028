"""The line of checkpoints: which one each went on from, whatever was forgotten in between.

Pure functions on `parent_id` by id, the oldest first.
"""

from collections.abc import Collection, Mapping

from cleveragents.ids import CheckpointId

_NONE = CheckpointId("")
Parents = Mapping[CheckpointId, CheckpointId | None]


def line(parents: Parents) -> set[CheckpointId]:
    """Returns the ids on the line that leads to the newest."""
    found: set[CheckpointId] = set()
    current = next(reversed(list(parents)), _NONE)
    while current in parents and current not in found:  # a damaged row may lead round
        found.add(current)
        current = parents[current] or _NONE
    return found


def closed_around(
    parents: Parents, gone: Collection[CheckpointId]
) -> dict[CheckpointId, CheckpointId | None]:
    """Returns new parents for those that went on from what goes: the nearest one that stays."""
    closed: dict[CheckpointId, CheckpointId | None] = {}
    for child, parent in parents.items():
        if child not in gone and parent in gone:
            closed[child] = _nearest_left(parent, parents, gone)
    return closed


def broken(parents: Parents) -> list[CheckpointId]:
    """Returns the ids whose parent is none of the rows."""
    return [child for child, parent in parents.items() if parent and parent not in parents]


def _nearest_left(
    checkpoint_id: CheckpointId | None, parents: Parents, gone: Collection[CheckpointId]
) -> CheckpointId | None:
    while checkpoint_id in gone and checkpoint_id is not None:
        checkpoint_id = parents.get(checkpoint_id)
    return checkpoint_id
