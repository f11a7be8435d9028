"""Forgetting checkpoints: the row goes first, the content afterwards, when the store is free."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import cast

from cleveragents.checkpoints.beyond import beyond_limit
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, Total
from cleveragents.checkpoints.needs import judged, live
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy, Verdict
from cleveragents.counting import counted
from cleveragents.engine.back import line_mending
from cleveragents.errors import Busy
from cleveragents.events import NO_PLAN, Note, Reporter, afterwards
from cleveragents.ids import PlanId, ProjectId, SnapshotId
from cleveragents.operations.in_sandbox import Prune
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import (
    POSTPONED,
    AnyOperation,
    Operation,
    OperationRepository,
)
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
    """The checkpoints that the limit let go and left, and how much content waits to be freed."""

    gone: Sequence[Checkpoint]
    kept: Total
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
            line_mending.mend(connection, held.plan_id)
            verdicts = judged(connection, held.plan_id, self._policy)
            doomed = [verdict.checkpoint for verdict in verdicts if not verdict.stays]
            unfinished = OperationRepository(connection).unfinished(held.plan_id)
            retired = self._retired(connection, held.plan_id, doomed, unfinished)
        self.follow_up(held, retired)
        return verdicts

    def retire(self, connection: Connection, plan_id: PlanId) -> PruneResult | None:
        """Applies the policy in the transaction that has added a checkpoint, if it is one too many.

        One commit instead of two: it is what a checkpoint waits for. Follow it up afterwards.
        """
        count = CheckpointRepository(connection).total(plan_id).checkpoints
        if count <= self._policy.limit:
            return None
        line_mending.mend(connection, plan_id)  # by a broken line it would let the wrong ones go
        unfinished = OperationRepository(connection).unfinished(plan_id)
        doomed = beyond_limit(connection, plan_id, count - self._policy.limit, unfinished)
        return self._retired(connection, plan_id, doomed, unfinished)

    def follow_up(self, held: Held, retired: PruneResult) -> None:
        """Frees space if it is worth it by now, and warns of what the limit does and cannot do."""
        plan_id = held.plan_id
        much = max(MUCH_BYTES, retired.kept.size_bytes // 2)
        if retired.waiting_bytes > much or retired.waiting >= MANY:
            with self.afterwards(plan_id, "freeing space"):
                self.free(plan_id)
        self._tell_of_limit(plan_id, retired.gone)
        if retired.kept.checkpoints > self._policy.limit:
            kept = f"{retired.kept.checkpoints} checkpoints are kept"
            text = f"{kept}, more than the limit of {self._policy.limit}"
            self._report(Note(plan_id, text))

    def _tell_of_limit(self, plan_id: PlanId, gone: Sequence[Checkpoint]) -> None:
        """Says once that the oldest go from here on, and how they stay."""
        if not gone or plan_id in self._warned:
            return
        self._warned.add(plan_id)
        names = gone[0].name + (f"…{gone[-1].name}" if gone[1:] else "")
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
            unfinished = OperationRepository(connection).unfinished(held.plan_id)
            chosen = [row.name for row in doomed]
            _forget(connection, held.plan_id, doomed, unfinished, chosen)

    def let_go(self, connection: Connection, plan_id: PlanId, doomed: Sequence[Checkpoint]) -> None:
        """Deletes rows of a chat in a transaction of the caller's; their content goes later."""
        unfinished = OperationRepository(connection).unfinished(plan_id)
        self._retired(connection, plan_id, doomed, unfinished)

    def _retired(
        self,
        connection: Connection,
        plan_id: PlanId,
        doomed: Sequence[Checkpoint],
        unfinished: Sequence[AnyOperation],
    ) -> PruneResult:
        intent = _forget(connection, plan_id, doomed, unfinished) if doomed else Prune()
        kept = CheckpointRepository(connection).total(plan_id)
        return PruneResult(doomed, kept, len(intent.refs), intent.size_bytes)

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
        if archive.is_erasing:
            with self.afterwards(plan_id, "forgetting"), suppress(Busy):
                self.scour(project_id, wait=False)
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

    def free_project(self, project_id: ProjectId) -> None:
        """Frees what nothing of a project needs any more, unless the store is in use just now."""
        archive = self._sandboxes.archive(project_id)
        archive.sweep(lambda: self._needed(project_id), self._forgotten(project_id))

    def scour(self, project_id: ProjectId, *, wait: bool) -> int:
        """Takes all out of a store that nothing needs, whatever a pack holds beside it.

        Whoever has erased paths waits for it; after a crash the next one who may does it.
        """
        with self._database.reading() as connection:
            plans = PlanRepository(connection).of_any_kind(project_id)
        found = [self._sandboxes.find(plan.plan_id) for plan in plans]
        return self._sandboxes.archive(project_id).eraser.finish(
            lambda: self._needed(project_id),
            self._forgotten(project_id),
            [sandbox.roots for sandbox in found if sandbox is not None],
            wait=wait,
        )

    def forgotten(self, connection: Connection, project_id: ProjectId) -> set[SnapshotId]:
        """Returns every snapshot of a project whose row was deleted.

        All that ever were: a pack outlives its snapshot while others need half of it.
        """
        noted = self._sandboxes.archive(project_id).forgotten
        return noted | OperationRepository(connection).forgotten(project_id)

    def _forgotten(self, project_id: ProjectId) -> set[SnapshotId]:
        with self._database.reading() as connection:
            return self.forgotten(connection, project_id)

    def _waiting(self, connection: Connection, plan_id: PlanId) -> list[Operation[Prune]]:
        return _waiting(OperationRepository(connection).unfinished(plan_id))

    def _needed(self, project_id: ProjectId) -> set[SnapshotId]:
        with self._database.reading() as connection:
            OperationRepository(connection).refuse_unreadable(project_id)
        return self.live(project_id)

    def live(self, project_id: ProjectId) -> set[SnapshotId]:
        """Returns every snapshot of a project that something still needs."""
        with self._database.reading() as connection:
            return live(connection, project_id)


def _waiting(unfinished: Sequence[AnyOperation]) -> list[Operation[Prune]]:
    """Returns the prunes among what was begun that can still be carried out."""
    prunes = (one for one in unfinished if isinstance(one.intent, Prune) and not one.is_stuck)
    return [cast("Operation[Prune]", prune) for prune in prunes]


def _forget(
    connection: Connection,
    plan_id: PlanId,
    doomed: Sequence[Checkpoint],
    unfinished: Sequence[AnyOperation],
    by_hand: Sequence[str] = (),
) -> Prune:
    """Deletes rows, and adds them to the prune that waits already, or opens one."""
    CheckpointRepository(connection).delete(*doomed)
    operations = OperationRepository(connection)
    waiting = _waiting(unfinished)[-1:]
    earlier = waiting[0].intent if waiting else Prune()
    intent = Prune(
        refs=(*earlier.refs, *(row.sandbox_ref for row in doomed)),
        names=(*earlier.names, *(row.name for row in doomed)),
        by_hand=(*(earlier.by_hand or ()), *by_hand),
        size_bytes=earlier.size_bytes + sum(row.size_bytes for row in doomed),
    )
    if waiting:
        operations.extend(waiting[0].operation_id, intent)
    else:
        operations.open(plan_id, intent)
    return intent
