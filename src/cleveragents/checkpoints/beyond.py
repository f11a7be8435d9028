"""Which checkpoints the limit lets go, asked of the database: the rules of `retention` in SQL.

A plan beyond its limit asks with every checkpoint, and to read all of its rows for one that goes
took longer than to write the new one. Why each of the others stays is told by `needs.judged`.
"""

from collections.abc import Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.ids import PlanId
from cleveragents.operations.operation import AnyOperation
from cleveragents.plans.lifecycle import APPLIED
from cleveragents.plans.step_run import SUCCEEDED
from cleveragents.storage.connection import Connection

# The line is needed only where a decision can be corrected: no database makes it for other rows.
_OLDEST = """WITH RECURSIVE line (checkpoint_id, parent_id) AS (
        SELECT checkpoint_id, parent_id FROM checkpoints WHERE plan_id = :plan_id
            AND seq = (SELECT max(seq) FROM checkpoints WHERE plan_id = :plan_id)
        UNION
        SELECT before.checkpoint_id, before.parent_id FROM checkpoints AS before
            JOIN line ON line.parent_id = before.checkpoint_id WHERE before.plan_id = :plan_id)
    SELECT one.* FROM checkpoints AS one WHERE one.plan_id = :plan_id AND NOT one.pinned
    AND one.seq > (SELECT min(seq) FROM checkpoints WHERE plan_id = :plan_id)
    AND one.seq < (SELECT max(seq) FROM checkpoints WHERE plan_id = :plan_id)
    AND NOT (one.checkpoint_type = :safety AND one.seq = (
        SELECT max(seq) FROM checkpoints WHERE plan_id = :plan_id AND checkpoint_type = :safety))
    AND NOT (one.checkpoint_type = :pre_apply AND one.seq = (
            SELECT max(seq) FROM checkpoints
            WHERE plan_id = :plan_id AND checkpoint_type = :pre_apply)
        AND EXISTS (SELECT 1 FROM plans
            WHERE plan_id = :plan_id AND phase = :phase AND state = :state))
    AND NOT EXISTS (SELECT 1 FROM step_runs AS run
        WHERE run.plan_id = :plan_id AND run.checkpoint_id = one.checkpoint_id
        AND run.superseded_by IS NULL AND run.status != :succeeded)
    AND NOT EXISTS (SELECT 1 FROM correction_attempts AS attempt
        WHERE attempt.plan_id = :plan_id AND attempt.before_id = one.checkpoint_id)
    AND NOT EXISTS (SELECT 1 FROM decisions AS active
        WHERE active.decision_id = one.decision_id AND active.plan_id = :plan_id
        AND active.superseded_by IS NULL
        AND one.checkpoint_id IN (SELECT checkpoint_id FROM line)
        AND NOT EXISTS (SELECT 1 FROM checkpoints AS later
            WHERE later.plan_id = :plan_id AND later.decision_id = one.decision_id
            AND later.seq > one.seq AND later.checkpoint_id IN (SELECT checkpoint_id FROM line)))
    ORDER BY one.seq LIMIT :wanted"""


def beyond_limit(
    connection: Connection, plan_id: PlanId, surplus: int, unfinished: Sequence[AnyOperation]
) -> list[Checkpoint]:
    """Returns the oldest checkpoints of a plan that nothing protects, as many as are too many.

    What an unfinished operation needs is said by its intent alone, which no database reads.
    """
    needed = {named for operation in unfinished for named in operation.intent.checkpoints}
    found = CheckpointRepository(connection).found(
        _OLDEST,
        plan_id=plan_id,
        safety=CheckpointType.SAFETY,
        pre_apply=CheckpointType.PRE_APPLY,
        phase=APPLIED[0],
        state=APPLIED[1],
        succeeded=SUCCEEDED,
        wanted=surplus + len(needed),
    )
    return [row for row in found if row.checkpoint_id not in needed][:surplus]
