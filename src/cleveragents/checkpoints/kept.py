"""The checkpoints that are kept, as their rows tell: no file is looked at."""

from collections.abc import Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.needs import judged
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy, Verdict
from cleveragents.errors import InvalidInput
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.plans.plan import PlanRepository
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database


class KeptCheckpoints:
    """Lists and finds the checkpoints of plans, and tells why each of them is kept."""

    def __init__(self, database: Database, limit: CheckpointRetentionPolicy) -> None:
        self._database = database
        self._limit = limit

    def list_checkpoints(self, plan_id: PlanId) -> Sequence[Checkpoint]:
        """Returns the checkpoints of a plan, the oldest first."""
        with self._database.reading() as connection:
            rows = CheckpointRepository(connection).of_plan(plan_id)
            return rows or _none_of(connection, plan_id)

    def latest_checkpoint(self, plan_id: PlanId) -> Checkpoint | None:
        """Returns the newest checkpoint of a plan; None: it has none yet."""
        with self._database.reading() as connection:
            latest = CheckpointRepository(connection).latest(plan_id)
            if latest is None:
                _none_of(connection, plan_id)
            return latest

    def get_checkpoint(self, plan_id: PlanId, text: str) -> Checkpoint:
        """Finds a checkpoint by number, id, prefix or `@`."""
        with self._database.reading() as connection:
            return CheckpointRepository(connection).resolve(plan_id, text)

    def current_line(self, plan_id: PlanId) -> set[CheckpointId]:
        """Returns the ids of the checkpoints that no rollback left behind."""
        with self._database.reading() as connection:
            found = CheckpointRepository(connection).lineage(plan_id)
            return found or set(_none_of(connection, plan_id))

    def retention(self, plan_id: PlanId) -> list[Verdict]:
        """Tells of each checkpoint whether it would be kept now, and why; changes nothing."""
        with self._database.reading() as connection:
            return judged(connection, plan_id, self._limit)


def refuse_foreign(plan_id: PlanId, checkpoint: Checkpoint) -> None:
    """Refuses a checkpoint of another plan than the one that is named with it."""
    if checkpoint.plan_id != plan_id:
        raise InvalidInput(
            f"checkpoint {checkpoint.checkpoint_id} belongs to another plan, {checkpoint.plan_id}",
            hints=[f"name that plan, or a checkpoint of {plan_id}"],
        )


def _none_of(connection: Connection, plan_id: PlanId) -> tuple[()]:
    """Refuses a plan that there is not; one that has no checkpoint yet has none."""
    PlanRepository(connection).get(plan_id)
    return ()
