"""Places the files an operation has stored as its target; if they are damaged, takes it back."""

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.stored import safeguard_of
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.saving import Saves
from cleveragents.engine.back.workplaces import Workplaces
from cleveragents.errors import Damaged
from cleveragents.events import Reporter, afterwards
from cleveragents.ids import SnapshotId
from cleveragents.operations.act import TakenBack
from cleveragents.operations.in_sandbox import Place, Restore
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.plan import PlanRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import RestoreResult
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held


class Placements:
    """Makes the files of plans what their operations have stored."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        workplaces: Workplaces,
        saves: Saves,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._workplaces = workplaces
        self._saves = saves
        self._report = report

    def place(
        self, held: Held, operation: Operation[Place] | Operation[Restore], target: SnapshotId
    ) -> RestoreResult:
        """Makes the files of the plan those of the target; closing is the caller's.

        A target that cannot be read leaves them as they were before, and the operation aborted.
        """
        with self._database.reading() as connection:
            project_id = PlanRepository(connection).get(operation.plan_id).project_id
            saved = safeguard_of(connection, operation.intent.ends.was)
        archive = self._sandboxes.archive(project_id)
        place = self._workplaces.of(held, project_id, operation.kind.noun)
        try:
            brought = place.bring_to(archive.load(target), saved)
        except Damaged as error:
            place.bring_to(archive.load(saved), saved)
            with self._database.writing(held) as connection:
                OperationRepository(connection).close(operation.operation_id, Status.ABORTED, {})
            message = f"{error.message}; the files are as they were before"
            raise TakenBack(message, detail=error.detail, hints=error.hints) from error
        finally:
            place.purge()
        return brought

    def mark_done(self, held: Held, reason: str) -> None:
        """Saves the state that an act has led to; the act is done even if that fails.

        Also one that recovery has finished: the plan goes on from its latest checkpoint.
        """
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(held.plan_id)
        if plan.keeps_checkpoints:
            wanted = CheckpointRequest(CheckpointType.MANUAL, reason, even_if_unchanged=False)
            with afterwards(self._report, held.plan_id, "the checkpoint after it"):
                self._saves.save(held, wanted)
