"""Mends a line of checkpoints that leads nowhere: a row names a parent that is none.

Versions before this one linked rows to a neighbour that went in the same act. What such a row names
did lead to it; what led to that is told by the journal, which remembers every checkpoint that was
made. Numbers are given one after the other and never twice: a checkpoint went on from the one made
before it, or, after a rollback, from the one that its reason names.
"""

import re
from collections.abc import Mapping, Sequence

from cleveragents.checkpoints.checkpoint import PREFIX, Checkpoint, CheckpointRepository
from cleveragents.checkpoints.line import broken
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.plans.journal import Happening, entries
from cleveragents.storage.connection import Connection

_NAMED = re.compile(rf"\b{PREFIX}(\d+)\b")
_START = 1  # planning anew goes on from the first and names no number

Origins = Mapping[int, int]  # by number: the one it went on from


def mend(connection: Connection, plan_id: PlanId) -> Sequence[str]:
    """Links torn rows to the nearest of those they came from that is left; returns their names."""
    repository = CheckpointRepository(connection)
    if not broken(repository.parents(plan_id)):
        return []
    rows = repository.of_plan(plan_id)
    torn = broken({row.checkpoint_id: row.parent_id for row in rows})
    numbers, origins = _told(connection, plan_id)
    left = {row.seq: row.checkpoint_id for row in rows}
    found = [row for row in rows if row.checkpoint_id in torn]
    repository.relink({row.checkpoint_id: _left(row, left, numbers, origins) for row in found})
    return [row.name for row in found]


def _left(
    row: Checkpoint, left: Mapping[int, CheckpointId], numbers: Mapping[str, int], origins: Origins
) -> CheckpointId | None:
    """Returns the nearest one that is left of those that led to a row; None: none is."""
    number = numbers.get(row.parent_id or "", row.seq)
    while number > 0:
        number = min(origins.get(number, number - 1), number - 1)
        if number in left:
            return left[number]
    return None


def _told(connection: Connection, plan_id: PlanId) -> tuple[Mapping[str, int], Origins]:
    """Reads the journal: the number of each checkpoint ever made, and where rollbacks led."""
    numbers: dict[str, int] = {}
    origins: dict[int, int] = {}
    for entry in entries(connection, plan_id):
        if entry.kind is Happening.CHECKPOINT and entry.detail:
            number = int(entry.detail["name"].removeprefix(PREFIX))
            numbers[entry.ref_id] = number
            if entry.detail["type"] == CheckpointType.ROLLBACK:
                named = _NAMED.search(entry.detail["reason"])
                origins[number] = int(named[1]) if named else _START
    return numbers, origins
