"""Places the files an operation has stored as its target; if they are damaged, takes it back."""

from cleveragents.errors import Damaged
from cleveragents.operations.act import TakenBack
from cleveragents.operations.in_sandbox import Place
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.plan import PlanRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held


def place(
    held: Held, database: Database, sandboxes: Sandboxes, operation: Operation[Place]
) -> None:
    """Makes the files of the plan those of the target, whatever is there; closing is the caller's.

    A target that cannot be read leaves the files as they were before, and the operation aborted.
    """
    with database.reading() as connection:
        project_id = PlanRepository(connection).get(operation.plan_id).project_id
    archive = sandboxes.archive(project_id)
    target, present = operation.intent.target, operation.intent.present
    try:
        state = archive.load(target)
        with sandboxes.refilling(held, archive, state) as sandbox:
            archive.restore(state, sandbox.roots, sandbox.staging)
    except Damaged as error:
        state = archive.load(present)
        with sandboxes.refilling(held, archive, state) as sandbox:
            archive.restore(state, sandbox.roots, sandbox.staging)
        with database.writing(held) as connection:
            OperationRepository(connection).close(operation.operation_id, Status.ABORTED, {})
        raise TakenBack(error.message, detail=error.detail, hints=error.hints) from error
