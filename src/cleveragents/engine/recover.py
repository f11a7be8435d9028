"""Recovery: whoever comes to change a plan first finishes what a crash left open."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

from cleveragents.checkpoints.operations import Kind, Operation, OperationRepository
from cleveragents.checkpoints.pruning import Pruning
from cleveragents.checkpoints.rollback import Rollbacks
from cleveragents.errors import Damaged
from cleveragents.events import Note, Reporter
from cleveragents.storage.database import Database
from cleveragents.storage.lock import PlanLocks


class Ownership:
    """Takes the lock of a plan, then recovers it; a plan already owned is recovered already."""

    def __init__(
        self,
        database: Database,
        locks: PlanLocks,
        rollbacks: Rollbacks,
        pruning: Pruning,
        report: Reporter,
    ) -> None:
        self._database = database
        self._locks = locks
        self._rollbacks = rollbacks
        self._pruning = pruning
        self._report = report

    @contextmanager
    def own(self, plan_id: str, doing: str) -> Generator[None]:
        """While inside, this process is the only one that changes the plan."""
        with self._locks.own(plan_id, doing) as taken_now:
            if taken_now:
                self._recover(plan_id)
            yield

    def is_owned(self, plan_id: str) -> bool:
        """Tells whether a living process owns the plan."""
        return self._locks.is_owned(plan_id)

    def _recover(self, plan_id: str) -> None:
        """Finishes open operations in the order they were opened; may itself be killed."""
        finish: Mapping[Kind, Callable[[Operation], None]] = {
            Kind.ROLLBACK: self._finish_rollback,
            Kind.PRUNE: self._pruning.carry_out,
        }
        with self._database.unit_of_work() as connection:
            unfinished = OperationRepository(connection).unfinished(plan_id)
        for operation in unfinished:
            finish[operation.kind](operation)

    def _finish_rollback(self, operation: Operation) -> None:
        try:
            result = self._rollbacks.carry_out(operation)
        except Damaged as error:
            text = f"an interrupted rollback could not be finished and was taken back: {error}"
        else:
            text = f"an interrupted rollback to {result.target.name} was finished"
        self._report(Note(operation.plan_id, text))
