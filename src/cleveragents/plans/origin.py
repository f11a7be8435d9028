"""Where a fork came from: kept in the first entry of its journal."""

from collections.abc import Mapping
from typing import Any

from cleveragents.ids import CheckpointId, PlanId
from cleveragents.plans.journal import Happening, entries
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection

FORKED_FROM = "forked_from"


@frozen
class Origin:
    """The checkpoint of another plan that a plan goes on from."""

    plan_id: PlanId
    plan_name: str
    checkpoint_id: CheckpointId
    checkpoint_name: str  # as it was called then

    def to_record(self) -> dict[str, object]:
        """Returns it as the journal keeps it."""
        return {FORKED_FROM: dict(vars(self))}


def origin_in(detail: Mapping[str, Any]) -> Origin | None:
    """Reads it back from what the journal tells of the making of a plan."""
    told = detail.get(FORKED_FROM)
    return None if told is None else Origin(**told)


def origin_of(connection: Connection, plan_id: PlanId) -> Origin | None:
    """Returns where a plan was forked from; None: it is no fork, or an older version made it."""
    made = [row for row in entries(connection, plan_id) if row.kind is Happening.MADE]
    return origin_in(made[0].detail) if made else None
