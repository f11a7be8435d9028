"""Operations that cannot be carried out: what they leave as it is, what they refuse, their end.

One that is stuck is not tried again: the files may have been mended by hand since. It refuses what
would change the same files; all else goes on. `agents doctor --repair` gives it up.
"""

from collections.abc import Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.errors import Refused
from cleveragents.ids import PlanId
from cleveragents.operations.in_project import Apply, TakeBack
from cleveragents.operations.in_sandbox import Correct
from cleveragents.operations.intent import Intent
from cleveragents.operations.kind import Kind
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.operations.reading import Unreadable
from cleveragents.plans.correction import CorrectionRepository, CorrectionState
from cleveragents.plans.lifecycle import APPLIED, APPLYING, COMPLETE
from cleveragents.plans.plan import PlanRepository
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection

REPAIR = "agents doctor --repair"
IN_PROJECT = (Kind.APPLY, Kind.UNAPPLY)
OF_CHATS = (Kind.UNDO, Kind.REDO)
LISTED = 5  # paths that are told


@frozen
class Standing:
    """Where a stuck operation has left things."""

    files: str  # what they are, as far as anybody knows
    before: Checkpoint | None  # what its sandbox was when it began
    way: str  # the command that leads on from there; none where no file can have changed


def standing(operation: AnyOperation, rows: Sequence[Checkpoint]) -> Standing:
    """Tells what stands where; given are the checkpoints of its plan."""
    before = _before(operation, rows)
    if not operation.holds_files:
        return Standing("no file was touched", None, "")
    if operation.kind in OF_CHATS:
        look = f"agents {operation.kind} --chat {operation.plan_id} --dry-run"
        return Standing(_in_project(operation), before, look)
    if operation.kind in IN_PROJECT:
        verb = "unapply" if operation.kind is Kind.UNAPPLY else "apply"
        look = f"agents plan {verb} {operation.plan_id} --dry-run"
        return Standing(_in_project(operation), before, look)
    files = "the files of its sandbox are as it left them"
    if before is None:
        return Standing(files, None, f"agents plan diff {operation.plan_id}")
    files = f"{files}; {before.name} holds what was there before"
    return Standing(files, before, f"agents plan rollback {operation.plan_id} {before.seq}")


def _before(operation: AnyOperation, rows: Sequence[Checkpoint]) -> Checkpoint | None:
    """The safety checkpoint, or the newest one that is older than the operation."""
    by_id = {row.checkpoint_id: row for row in rows}
    older = [row for row in rows if row.checkpoint_id < operation.operation_id]  # ids go up
    known = operation.intent.before
    safety = None if known is None else by_id.get(known)
    return safety or (older[-1] if older else None)


def _in_project(operation: AnyOperation) -> str:
    intent = operation.intent
    paths = intent.paths if isinstance(intent, Apply | TakeBack) else ()
    more = f" and {len(paths) - LISTED} more" if len(paths) > LISTED else ""
    named = f": {', '.join(paths[:LISTED])}{more}" if paths else ""
    return f"each of its paths in the project is as before or as after{named}"


def refuse_stuck(connection: Connection, plan_id: PlanId) -> None:
    """Refuses what would change files that a stuck operation has left half-way."""
    found = OperationRepository(connection).unfinished(plan_id)
    stuck = [operation for operation in found if operation.is_stuck and operation.holds_files]
    if stuck:
        rows = CheckpointRepository(connection).of_plan(plan_id)
        kind, reason = stuck[0].kind.noun, stuck[0].reason
        of = "chat" if stuck[0].kind in OF_CHATS else "plan"
        raise Refused(
            f"an interrupted {kind} of this {of} cannot be finished: {reason}",
            detail=[standing(operation, rows).files for operation in stuck],
            hints=[f"give it up, files untouched: {REPAIR}"],
        )


def give_up(connection: Connection, plan_id: PlanId) -> list[AnyOperation]:
    """Ends every stuck operation of a plan and leaves the files as they are; returns them."""
    operations = OperationRepository(connection)
    stuck = [one for one in operations.unfinished(plan_id) if one.is_stuck]
    for operation in stuck:
        operations.give_up(operation)
        attempt = _attempt(operation.intent)
        if attempt is not None:
            CorrectionRepository(connection).set_state(attempt, CorrectionState.FAILED)
    plans = PlanRepository(connection)
    if stuck and plans.get(plan_id).stage == APPLYING:  # or nothing could be done with it any more
        kinds = {operation.kind for operation in stuck}
        plans.move(plan_id, APPLIED if Kind.UNAPPLY in kinds else COMPLETE)
    return stuck


def _attempt(intent: Intent) -> str | None:
    """The correction that an operation carries out, as far as it can be read."""
    if isinstance(intent, Correct):
        return intent.correction
    named = intent.record.get("correction") if isinstance(intent, Unreadable) else None
    return named if isinstance(named, str) else None
