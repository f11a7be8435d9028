"""Rollback: everything after a checkpoint is taken back, as one act that a crash cannot tear.

Verify the target, save the present as a safety checkpoint, record the intent, undo the calls that
say how, restore the files, verify them, make them durable, then one transaction for plan, steps,
decisions and the closing of the intent. Success is reported from what was seen, never from what
was meant.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from cleveragents.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointRepository,
    record_of_rollback,
)
from cleveragents.checkpoints.file_change import described
from cleveragents.checkpoints.rollback import RollbackReads, RollbackResult
from cleveragents.checkpoints.stored import document_of, last_known, safeguard_of
from cleveragents.checkpoints.undo import UndoDue
from cleveragents.engine.back.saving import SafetyCheckpoint
from cleveragents.engine.back.workplaces import Workplaces
from cleveragents.errors import Damaged, Failed
from cleveragents.events import PlanMoved, Reporter, RolledBack
from cleveragents.ids import CheckpointId, PlanId, SnapshotId, new_id
from cleveragents.operations.act import TakenBack
from cleveragents.operations.in_sandbox import Ending, GoBack
from cleveragents.operations.intent import NO_RETRACE, Companions, Retrace, SnapshotState
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.document import make_current
from cleveragents.plans.lifecycle import MOVES, QUEUED, STRATEGIZED, STRATEGIZING
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.undo_run import UndoRunRepository
from cleveragents.records import frozen, replace
from cleveragents.sandbox.workplace import SandboxWorkplace
from cleveragents.snapshots.archive import RestoreResult
from cleveragents.snapshots.healing import Safeguard
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.way import Way
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held

if TYPE_CHECKING:
    from cleveragents.engine.back.undoing import UndoCalls

_Party = Mapping[PlanId, Held]  # a plan and the subplans that go along, by their ids


@frozen
class _Goal:
    """Where an operation takes a plan."""

    plan: Plan  # as it is
    checkpoint: Checkpoint
    snapshot: Snapshot
    saved: Safeguard  # what was there


class Rollbacks:
    """Opens and carries out rollback operations."""

    def __init__(
        self,
        database: Database,
        reads: RollbackReads,
        workplaces: Workplaces,
        undoing: Callable[[], "UndoCalls"],  # what runs them is slow to import, and few are due
        report: Reporter,
    ) -> None:
        self._database = database
        self._reads = reads
        self._workplaces = workplaces
        self._undoing = undoing
        self._report = report

    def open(
        self,
        held: Held,
        target: Checkpoint,
        safety: SafetyCheckpoint,
        ending: Ending,
        going: Companions,
        retraces: Retrace = NO_RETRACE,
    ) -> Operation[GoBack]:
        """Records the intent, and with it the row of the safety checkpoint.

        From here on a crash is finished by recovery. `going` are the subplans that go with it.
        """
        with self._database.writing(held) as connection:
            intent = GoBack(
                target=target.checkpoint_id,
                safety=safety.checkpoint.checkpoint_id,
                record=CheckpointId(new_id()),
                ending=ending,
                going=going,
                was=Ending.where(PlanRepository(connection).get(held.plan_id)),
                retraces=retraces,
            )
            safety.record(connection)
            return OperationRepository(connection).open(held.plan_id, intent)

    def finish(self, held: Held, operation: Operation[GoBack]) -> str:
        """Carries out what was interrupted, and tells of it."""
        name = self.carry_out(held, operation).target.name
        return f"an interrupted {operation.kind.noun} to {name} was finished"

    def carry_out(
        self, held: Held, operation: Operation[GoBack], way: Way | None = None
    ) -> RollbackResult:
        """Undoes calls, restores the target and closes the intent.

        If the target is unreadable, the files go back to the safety checkpoint. `way` is the one
        to the target, for who has just verified it.
        """
        with ExitStack() as stack:
            children = (
                stack.enter_context(held.with_(child_id, "cancelling the subplan", files=False))
                for child_id in operation.intent.going.plans
            )
            party = {one.plan_id: one for one in (held, *children)}
            return self._carry_out(party, operation, way)

    def _carry_out(
        self, party: _Party, operation: Operation[GoBack], way: Way | None
    ) -> RollbackResult:
        try:
            return self._go(party, operation, way)
        except OSError as error:
            raise Failed(
                f"the rollback could not be finished: {error.strerror}; it stays open",
                detail=[] if error.filename is None else [os.fsdecode(error.filename)],
                hints=["mend that; the next command that changes the plan finishes the rollback"],
            ) from error
        except Damaged as error:
            for held in party.values():
                self._undoing().give_up(held, operation.operation_id)
            undone = self._take_back(party, operation).undo
            raise TakenBack(
                f"{error.message}; the files are as they were before the rollback",
                detail=[*error.detail, *(f"and stays so: {run.told}" for run in undone)],
                hints=error.hints,
            ) from error

    def _go(self, party: _Party, operation: Operation[GoBack], way: Way | None) -> RollbackResult:
        with self._database.reading() as connection:
            goal = self._goal(connection, operation, operation.intent.target)
            due, left = self._reads.calls(connection, goal.plan, document_of(goal.snapshot))
        place = self._place(party, operation, goal.plan)
        if due:
            self._undo(party, operation, goal, due)
            way = None  # they may have changed anything, and so may anybody while they ran
        restored = place.bring_to(goal.snapshot, goal.saved, way)
        for child_id in operation.intent.going.removed:
            self._remove_child(party[child_id], operation)
        result = self._close(place, operation, goal, Status.DONE, restored)
        return replace(result, left=left)

    def _take_back(self, party: _Party, operation: Operation[GoBack]) -> RollbackResult:
        """Makes the files what they were before."""
        with self._database.reading() as connection:
            goal = self._goal(connection, operation, operation.intent.safety)
        place = self._place(party, operation, goal.plan)
        restored = place.bring_to(goal.snapshot, goal.saved)
        return self._close(place, operation, goal, Status.ABORTED, restored)

    def _undo(
        self,
        party: _Party,
        operation: Operation[GoBack],
        goal: _Goal,
        due: Sequence[tuple[Plan, UndoDue]],
    ) -> None:
        """Undoes the calls after the target, once it is sure that it can be gone to."""
        place = self._place(party, operation, goal.plan)
        place.refill(self._last_known(goal.plan))
        place.keep_edits(goal.snapshot, goal.saved)
        for plan, call in due:
            place = self._place(party, operation, plan)
            sandbox = place.refill(self._last_known(plan))
            self._undoing().carry_out(
                place.held, operation.operation_id, plan, [call], sandbox.path
            )

    def _place(self, party: _Party, operation: Operation[GoBack], plan: Plan) -> SandboxWorkplace:
        held = party[plan.plan_id]
        return self._workplaces.of(held, plan.project_id, operation.kind.noun)

    def _last_known(self, plan: Plan) -> SnapshotId:
        """The state in which lost files come back."""
        with self._database.reading() as connection:
            return last_known(connection, plan)

    def _remove_child(self, held: Held, operation: Operation[GoBack]) -> None:
        """Removes the files of a subplan that is cancelled: all of them was saved before."""
        with self._database.reading() as connection:
            child = PlanRepository(connection).get(held.plan_id)
            saved = safeguard_of(connection, SnapshotState(last_known(connection, child)))
        self._workplaces.of(held, child.project_id, operation.kind.noun).remove(saved)

    def _goal(
        self, connection: Connection, operation: Operation[GoBack], checkpoint_id: CheckpointId
    ) -> _Goal:
        plan = PlanRepository(connection).get(operation.plan_id)
        checkpoint = CheckpointRepository(connection).get(checkpoint_id)
        saved = safeguard_of(connection, operation.intent.ends.was)
        return _Goal(plan, checkpoint, self._reads.snapshot(plan, checkpoint), saved)

    def _close(
        self,
        place: SandboxWorkplace,
        operation: Operation[GoBack],
        goal: _Goal,
        status: Status,
        restored: RestoreResult,
    ) -> RollbackResult:
        """Closes the intent, then lets what lies aside go, and tells of it."""
        result = self._closed(place.held, operation, goal, status, restored)
        place.purge()
        plan_id, checkpoint, moved = operation.plan_id, goal.checkpoint, result.plan
        files = len(result.changes)
        self._report(PlanMoved(plan_id, moved.phase, moved.state))
        self._report(RolledBack(plan_id, checkpoint.seq, checkpoint.checkpoint_id, files))
        return result

    def _closed(
        self,
        held: Held,
        operation: Operation[GoBack],
        goal: _Goal,
        status: Status,
        restored: RestoreResult,
    ) -> RollbackResult:
        """Makes the plan what the files are, as one transaction."""
        plan_id, operation_id = operation.plan_id, operation.operation_id
        changes = described(restored.changes)
        with self._database.writing(held) as connection:
            taken = make_current(connection, plan_id, document_of(goal.snapshot), operation_id)
            self._append_record(connection, operation, goal.checkpoint)
            moved = self._move(connection, operation, goal.plan, status)
            checkpoints, undos = CheckpointRepository(connection), UndoRunRepository(connection)
            outcome = {"files": len(changes), "tool_calls": taken.tool_calls}
            OperationRepository(connection).close(operation_id, status, outcome)
            return RollbackResult(
                moved,
                goal.checkpoint,
                checkpoints.get(operation.intent.safety),
                changes,
                restored.kept,
                taken.tool_calls,
                taken.decisions,
                taken.children,
                len(checkpoints.lineage(plan_id)),
                tuple(
                    run
                    for one in _plans_of(operation)
                    for run in undos.of_operation(one, operation_id)
                ),
            )

    def _append_record(
        self, connection: Connection, operation: Operation[GoBack], goal: Checkpoint
    ) -> None:
        repository = CheckpointRepository(connection)
        seq = repository.next_seq(operation.plan_id)
        repository.add(record_of_rollback(goal, seq, operation.intent.record))

    def _move(
        self, connection: Connection, operation: Operation[GoBack], plan: Plan, status: Status
    ) -> Plan:
        if status is Status.ABORTED:
            return plan
        ending, plans = operation.intent.ending, PlanRepository(connection)
        if ending.stage == STRATEGIZED:  # it is planned anew: that is a phase of its own
            plans.move(plan.plan_id, STRATEGIZING)
        elif ending.stage not in MOVES[plan.stage]:  # an act on a plan at rest is taken back
            plans.move(plan.plan_id, QUEUED)
        return plans.move(plan.plan_id, ending.stage, error=ending.error)


def _plans_of(operation: Operation[GoBack]) -> tuple[PlanId, ...]:
    """The plans whose calls an operation undoes."""
    return operation.plan_id, *operation.intent.going.plans
