"""The act of an undo or a redo in the user's directory: recorded first, then carried out whole."""

import time

from cleveragents.chats.acts import End, act_moment
from cleveragents.chats.moment import Moment
from cleveragents.chats.moment_rows import MomentRepository
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, state_hash
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.chat import saving
from cleveragents.engine.chat.place import LivePlace, LivePlaces
from cleveragents.engine.chat.saving import DOCUMENT, SavedState
from cleveragents.errors import CleverAgentsError, Unsettled
from cleveragents.ids import CheckpointId, new_id, now
from cleveragents.operations.in_project import InFiles, TakeBack
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.records import frozen, replace
from cleveragents.sandbox.workplace import ExchangeOutcome, ProjectWorkplace
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.merging import MergeResult
from cleveragents.snapshots.write import owners
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held

TRIED_AGAIN = "mend that; the next agents undo or agents redo here goes on with it first"


@frozen
class TakeBackOutcome:
    """How taking something back ended."""

    operation: Operation[TakeBack]
    kept: tuple[str, ...] = ()  # directories that stay because they hold other files
    error: CleverAgentsError | None = None  # why nothing was changed


class TakingBack:
    """Opens such operations and carries them out."""

    def __init__(self, database: Database, places: LivePlaces) -> None:
        self._database = database
        self._places = places

    def place_of(
        self, place: LivePlace, safety: Checkpoint, merge: MergeResult, *, keeps_times: bool
    ) -> InFiles:
        """Stores what is to come, and reads back what is to go."""
        document = DOCUMENT.to_record()  # a row is made of it, as soon as the files are so
        about = {"kind": "undo", "plan_id": safety.plan_id, "document": document}
        new = place.archive.keep_merge(merge, about)
        going = {MAIN: list(merge.changes)}
        saved = place.archive.secure_outside(safety.sandbox_ref, place.root, going)
        known = owners.owners(
            place.root, (change.path for change in merge.changes if change.before is not None)
        )
        return InFiles(saved, new, 0 if keeps_times else time.time_ns(), known)

    def open(self, held: Held, safety: SavedState, intent: TakeBack) -> Operation[TakeBack]:
        """Records the checkpoint of what is there and the intent, in one transaction."""
        with self._database.writing(held) as connection:
            saving.record(connection, safety)
            operation = OperationRepository(connection).open(held.plan_id, intent)
            begin = _moment(operation, intent.safety, "begin")
            MomentRepository(connection).add(begin)
        return operation

    def carry_out(
        self, held: Held, operation: Operation[TakeBack], *, again: bool = False
    ) -> TakeBackOutcome:
        """Brings the paths to where the operation leads, or leaves all as it was; closes it."""
        place, intent = self._places.of_chat(operation.plan_id), operation.intent
        with self._places.owned(place, "taking back what an agent did"):
            workplace = ProjectWorkplace(
                root=place.root,
                archive=place.archive,
                saved=intent.place.old,
                target=intent.place.new,
                mark=operation.operation_id,
                stamp_ns=intent.place.stamp,
                owners=intent.place.owners,
            )
            brought = _brought(workplace, again=again)
            with self._database.writing(held) as connection:
                if brought.error is not None:
                    self._abort(connection, operation)
                else:
                    self._close(connection, place, operation)
        return TakeBackOutcome(operation, brought.kept, brought.error)

    def finish(self, held: Held, operation: Operation[TakeBack]) -> str:
        """Carries out what was interrupted, and tells how it ended."""
        done = self.carry_out(held, operation, again=True)
        if done.error is None:
            return f"an interrupted {operation.kind} was finished"
        told = "; ".join([done.error.message, *done.error.detail])
        return f"an interrupted {operation.kind} was taken back: {told}"

    def _close(
        self, connection: Connection, place: LivePlace, operation: Operation[TakeBack]
    ) -> None:
        intent = operation.intent
        checkpoints = CheckpointRepository(connection)
        safety = checkpoints.get(intent.safety)
        there = place.archive.load(intent.place.new)
        checkpoints.add(
            replace(
                safety,
                checkpoint_id=intent.record,
                seq=checkpoints.next_seq(operation.plan_id),
                checkpoint_type=CheckpointType.ROLLBACK,
                sandbox_ref=intent.place.new,
                size_bytes=0,
                created_at=now(),
                state_hash=state_hash(there.roots, DOCUMENT),
                parent_id=intent.safety,
                metadata={**safety.metadata, "reason": f"{operation.kind} of t{intent.turn}"},
            )
        )
        MomentRepository(connection).add(_moment(operation, intent.record, "end"))
        OperationRepository(connection).close(
            operation.operation_id, Status.DONE, {"files": len(intent.paths)}
        )

    def _abort(self, connection: Connection, operation: Operation[TakeBack]) -> None:
        MomentRepository(connection).add(_moment(operation, operation.intent.safety, "end"))
        OperationRepository(connection).close(operation.operation_id, Status.ABORTED, {})


def _brought(workplace: ProjectWorkplace, *, again: bool) -> ExchangeOutcome:
    """Brings the files there; what is left half-way is told with what finishes it in a chat."""
    try:
        return workplace.bring_to(again=again)
    except Unsettled as error:
        raise Unsettled(error.message, detail=error.detail, hints=[TRIED_AGAIN]) from error


def _moment(operation: Operation[TakeBack], checkpoint_id: CheckpointId, end: End) -> Moment:
    """One of the two moments around it, each with the state of the files."""
    turn, identity = operation.intent.turn, operation.operation_id
    return act_moment(operation.plan_id, turn, identity, operation.kind, end, checkpoint_id)


def record_id() -> CheckpointId:
    """A new id for the row that closing adds: known to the intent, so that it is added once."""
    return CheckpointId(new_id())
