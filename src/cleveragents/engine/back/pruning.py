"""Forgetting checkpoints: the row goes first, the content afterwards, when the store is free."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.needs import judged, live
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy, Verdict
from cleveragents.counting import counted
from cleveragents.engine.back import line_mending
from cleveragents.events import NO_PLAN, Note, Reporter, afterwards
from cleveragents.ids import PlanId, ProjectId, SnapshotId
from cleveragents.operations.in_sandbox import Prune
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import POSTPONED, Operation, OperationRepository
from cleveragents.plans.plan import PlanRepository
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.store.store import CleanResult, Swept
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.fault import is_the_machines, told
from cleveragents.storage.held import Held

# A long run frees space as it goes: a sweep looks at the whole store, so it must be worth it.
MUCH_BYTES = 16 << 20
SMALL_STORE = 1 << 20  # bytes: to look at all of it takes no time that anybody notices
SWEPT_SHARE = 16  # of a larger one, a sweep is to free at least one byte of so many
MANY = 250  # of them, however small: the intent that lists them is written at each checkpoint


@frozen
class PruneResult:
    """What became of the checkpoints of a plan, and how much content waits to be freed."""

    verdicts: list[Verdict]
    waiting: int = 0
    waiting_bytes: int = 0


class Prunes:
    """Opens and carries out prune operations."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        policy: CheckpointRetentionPolicy,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._policy = policy
        self._report = report
        self._warned: set[str] = set()  # plans of which it is told that the oldest go

    def prune(self, held: Held) -> list[Verdict]:
        """Applies the policy; returns what became of each checkpoint and why."""
        with self._database.writing(held) as connection:
            retired = self._retired(connection, held.plan_id)
        self.follow_up(held, retired)
        return retired.verdicts

    def retire(self, connection: Connection, plan_id: PlanId) -> PruneResult | None:
        """Applies the policy in the transaction that has added a checkpoint, if it is one too many.

        One commit instead of two: it is what a checkpoint waits for. Follow it up afterwards.
        """
        if CheckpointRepository(connection).count(plan_id) <= self._policy.limit:
            return None
        return self._retired(connection, plan_id)

    def follow_up(self, held: Held, retired: PruneResult) -> None:
        """Frees space if it is worth it by now, and warns of what the limit does and cannot do."""
        plan_id = held.plan_id
        kept = [verdict.checkpoint for verdict in retired.verdicts if verdict.stays]
        much = max(MUCH_BYTES, sum(row.size_bytes for row in kept) // 2)
        if retired.waiting_bytes > much or retired.waiting >= MANY:
            with self.afterwards(plan_id, "freeing space"):
                self.free(plan_id)
        self._tell_of_limit(plan_id, [one for one in retired.verdicts if not one.stays])
        if len(kept) > self._policy.limit:
            text = f"{len(kept)} checkpoints are kept, more than the limit of {self._policy.limit}"
            self._report(Note(plan_id, text))

    def _tell_of_limit(self, plan_id: PlanId, gone: Sequence[Verdict]) -> None:
        """Says once that the oldest go from here on, and how they stay."""
        if not gone or plan_id in self._warned:
            return
        self._warned.add(plan_id)
        names = gone[0].checkpoint.name + (f"…{gone[-1].checkpoint.name}" if gone[1:] else "")
        text = (
            f"the limit of {self._policy.limit} checkpoints is reached: {names} went, and from"
            " here on the oldest one goes with each new one;"
            f" to keep one: agents plan checkpoint pin {plan_id} CHECKPOINT;"
            " to keep more: sandbox.checkpoint.max-checkpoints-per-plan"
        )
        self._report(Note(plan_id, text))

    def afterwards(self, plan_id: PlanId, doing: str) -> AbstractContextManager[None]:
        """Lets nothing that fails in here undo the truth of what was done before."""
        return afterwards(self._report, plan_id, doing)

    def forget(self, held: Held, doomed: Sequence[Checkpoint]) -> None:
        """Deletes rows that somebody chose, and notes that their content may go."""
        with self._database.writing(held) as connection:
            self._forget(connection, held.plan_id, doomed, by_hand=True)

    def _retired(self, connection: Connection, plan_id: PlanId) -> PruneResult:
        line_mending.mend(connection, plan_id)  # by a broken line it would let the wrong ones go
        verdicts = judged(connection, plan_id, self._policy)
        doomed = [verdict.checkpoint for verdict in verdicts if not verdict.stays]
        if not doomed:
            return PruneResult(verdicts)
        intent = self._forget(connection, plan_id, doomed, by_hand=False)
        return PruneResult(verdicts, len(intent.refs), intent.size_bytes)

    def _forget(
        self,
        connection: Connection,
        plan_id: PlanId,
        doomed: Sequence[Checkpoint],
        *,
        by_hand: bool,
    ) -> Prune:
        CheckpointRepository(connection).delete(*doomed)
        waiting = self._waiting(connection, plan_id)
        chosen = [row.name for row in doomed if by_hand]
        return _note(connection, plan_id, waiting[-1] if waiting else None, doomed, chosen)

    def finish(self, held: Held, operation: Operation[Prune]) -> str:  # noqa: ARG002 - all at once
        """Frees the content of forgotten rows; stays open while the store is in use."""
        self.free(held.plan_id)
        return ""

    def free(self, plan_id: PlanId) -> None:
        """Carries out all prune operations of a plan in one sweep.

        The store says who may sweep it; the plan changes nothing by it and need not be held.
        """
        with self._database.reading() as connection:
            waiting = self._waiting(connection, plan_id)
            project_id = PlanRepository(connection).get(plan_id).project_id
        archive = self._sandboxes.archive(project_id)
        self.clean(archive, plan_id)
        if not waiting:
            return None
        if not self._is_worth_it(project_id, archive.size, waiting):
            return self._close(plan_id, waiting, POSTPONED)
        try:
            swept = archive.sweep(lambda: self._needed(project_id), self._forgotten(project_id))
        except Exception as error:
            if is_the_machines(error):
                raise
            return self._set_aside(plan_id, waiting, error)
        if swept is None:
            return None
        with self._database.noting() as connection:
            OperationRepository(connection).settle_postponed(project_id)
        self._tell_what_stays(plan_id, waiting, swept)
        return self._close(plan_id, waiting, {"bytes_freed": swept.bytes_freed})

    def _tell_what_stays(
        self, plan_id: PlanId, waiting: Sequence[Operation[Prune]], swept: Swept
    ) -> None:
        """Tells who has deleted checkpoints to free space that it did not, and what will."""
        names = ", ".join(name for one in waiting for name in one.intent.by_hand or ())
        if names and swept.bytes_freed <= 0:
            why = (
                "there is no room to write anew what is needed beside it; it goes when there is"
                if swept.lacked_room
                else "other checkpoints hold the same content; it goes with them"
            )
            more = "the files of sandboxes go with: agents sandbox prune"
            self._report(Note(plan_id, f"no space was freed by deleting {names}: {why}; {more}"))

    def _close(
        self, plan_id: PlanId, waiting: Sequence[Operation[Prune]], outcome: Mapping[str, object]
    ) -> None:
        """Closes what was carried out; one that means more by now waits for the next sweep."""
        with self._database.noting() as connection:
            now = {one.operation_id: one.intent for one in self._waiting(connection, plan_id)}
            for operation in waiting:
                if now.get(operation.operation_id) == operation.intent:
                    OperationRepository(connection).close(
                        operation.operation_id, Status.DONE, outcome
                    )

    def _is_worth_it(
        self, project_id: ProjectId, size: int, waiting: Sequence[Operation[Prune]]
    ) -> bool:
        """Tells whether to look at a whole store now; else the next sweep frees it as well.

        What a user forgets by hand is freed at once, and in a small store everything is.
        """
        if size <= SMALL_STORE or any(one.intent.by_hand for one in waiting):
            return True
        with self._database.reading() as connection:
            postponed = OperationRepository(connection).postponed_bytes(project_id)
        found = postponed + sum(one.intent.size_bytes for one in waiting)
        return found * SWEPT_SHARE >= size

    def _set_aside(
        self, plan_id: PlanId, waiting: Sequence[Operation[Prune]], error: Exception
    ) -> None:
        """Notes that space could not be freed; the next prune tries it again for all of them."""
        why = told(error)
        with self._database.noting() as connection:
            for operation in waiting:
                OperationRepository(connection).set_stuck(operation.operation_id, why)
        self._report(Note(plan_id, f"space could not be freed: {why['reason']}"))

    def clean(self, archive: Archive, plan_id: PlanId = NO_PLAN) -> CleanResult:
        """Removes what killed processes left in the store, and says how much it was."""
        cleaned = archive.clean()
        if cleaned.files:
            left = "of killed processes"
            files = counted(
                cleaned.files, f"unfinished file {left} was", f"unfinished files {left} were"
            )
            size = counted(cleaned.size_bytes, "byte")
            self._report(Note(plan_id, f"{files} removed ({size})"))
        return cleaned

    def _forgotten(self, project_id: ProjectId) -> set[SnapshotId]:
        # All that ever were: a pack outlives its snapshot while others need half of it.
        with self._database.reading() as connection:
            return OperationRepository(connection).forgotten(project_id)

    def _waiting(self, connection: Connection, plan_id: PlanId) -> list[Operation[Prune]]:
        prunes = OperationRepository(connection).unfinished_of(plan_id, Prune)
        return [prune for prune in prunes if not prune.is_stuck]

    def _needed(self, project_id: ProjectId) -> set[SnapshotId]:
        with self._database.reading() as connection:
            OperationRepository(connection).refuse_unreadable(project_id)
        return self.live(project_id)

    def live(self, project_id: ProjectId) -> set[SnapshotId]:
        """Returns every snapshot of a project that something still needs."""
        with self._database.reading() as connection:
            return live(connection, project_id)


def _note(
    connection: Connection,
    plan_id: PlanId,
    waiting: Operation[Prune] | None,
    doomed: Sequence[Checkpoint],
    by_hand: Sequence[str],
) -> Prune:
    """Adds forgotten checkpoints to the prune that waits already, or opens one."""
    operations = OperationRepository(connection)
    earlier = waiting.intent if waiting else Prune()
    intent = Prune(
        refs=(*earlier.refs, *(row.sandbox_ref for row in doomed)),
        names=(*earlier.names, *(row.name for row in doomed)),
        by_hand=(*(earlier.by_hand or ()), *by_hand),
        size_bytes=earlier.size_bytes + sum(row.size_bytes for row in doomed),
    )
    if waiting is None:
        operations.open(plan_id, intent)
    else:
        operations.extend(waiting.operation_id, intent)
    return intent
