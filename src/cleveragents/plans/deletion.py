"""Deletes all rows of a plan; `features/plan_delete.feature` holds this against the schema."""

from cleveragents.ids import PlanId
from cleveragents.storage.connection import Connection

# Those that others refer to come after them.
_STATEMENTS = (
    "DELETE FROM undo_runs WHERE plan_id = :plan_id",
    "DELETE FROM correction_attempts WHERE plan_id = :plan_id",
    "DELETE FROM conflicts WHERE plan_id = :plan_id",
    "DELETE FROM step_runs WHERE plan_id = :plan_id",
    "DELETE FROM moments WHERE plan_id = :plan_id",
    "DELETE FROM chats WHERE plan_id = :plan_id",
    "DELETE FROM checkpoints WHERE plan_id = :plan_id",
    """DELETE FROM decision_influences WHERE decision_id IN
        (SELECT decision_id FROM decisions WHERE plan_id = :plan_id)""",
    """DELETE FROM decision_influences WHERE influenced_by IN
        (SELECT decision_id FROM decisions WHERE plan_id = :plan_id)""",
    "DELETE FROM decisions WHERE plan_id = :plan_id",
    "DELETE FROM operations WHERE plan_id = :plan_id",
    "DELETE FROM journal WHERE plan_id = :plan_id",
    "DELETE FROM plan_definitions WHERE plan_id = :plan_id",
    "DELETE FROM plan_steps WHERE plan_id = :plan_id",
    "DELETE FROM sandboxes WHERE plan_id = :plan_id",
    "DELETE FROM plans WHERE plan_id = :plan_id",
)


def delete_plan(connection: Connection, plan_id: PlanId) -> None:
    """Deletes a plan that has no subplans any more."""
    for statement in _STATEMENTS:
        connection.execute(statement, plan_id=plan_id)
