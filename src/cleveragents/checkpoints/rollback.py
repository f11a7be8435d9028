"""Rollback: everything after a checkpoint is taken back, as one act that a crash cannot tear.

Verify the target, save the present as a safety checkpoint, record the intent, undo the calls that
say how, restore the files, verify them, make them durable, then one transaction for plan, steps,
decisions and the closing of the intent. Success is reported from what was seen, never from what
was meant.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Protocol

from cleveragents.checkpoints.besides import Besides
from cleveragents.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointRepository,
    left_behind,
    record_of_rollback,
)
from cleveragents.checkpoints.file_change import FileChange, described, without_top
from cleveragents.checkpoints.stored import document_of, last_known, verified
from cleveragents.checkpoints.undo import CallLeft, CallsAfter, UndoDue, Undoing
from cleveragents.errors import Damaged, Failed
from cleveragents.events import PlanMoved, Reporter, RolledBack
from cleveragents.ids import CheckpointId, PlanId, new_id
from cleveragents.operations.act import TakenBack
from cleveragents.operations.in_sandbox import Ending, GoBack
from cleveragents.operations.intent import Going
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.decision import DecisionRepository
from cleveragents.plans.document import PlanDocument, make_current
from cleveragents.plans.lifecycle import STRATEGIZED, STRATEGIZING
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.undo_run import UndoRun, UndoRunRepository
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import RestoreResult
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.way import Changes, Way
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held

NOTHING = PlanDocument("0", (), ())  # of a subplan that goes nothing counts
_Party = Mapping[PlanId, Held]  # a plan and the subplans that go along, by their ids


@dataclass(frozen=True)
class RollbackResult:
    """What a rollback did, all of it observed."""

    plan: Plan
    target: Checkpoint
    safety: Checkpoint | None  # None: there was nothing to do
    changes: tuple[FileChange, ...]
    kept: tuple[str, ...]  # directories that stay because they hold excluded files
    tool_calls: int  # how many stopped counting
    decisions: int
    children: int  # plans that were cancelled
    checkpoints_remaining: int
    undo: tuple[UndoRun, ...] = ()  # what became of each call that declares an undo
    left: tuple[CallLeft, ...] = ()  # what nothing could undo

    @property
    def not_undone(self) -> tuple[UndoRun, ...]:
        """The calls whose undo did not work, as far as is known."""
        return tuple(run for run in self.undo if not run.worked)


class Safety(Protocol):
    """What was there before, durable or about to be."""

    def stored(self) -> Checkpoint: ...

    def record(self, connection: Connection) -> None: ...


@dataclass(frozen=True)
class RecordedCheckpoint:
    """A checkpoint that has its row."""

    checkpoint: Checkpoint

    def stored(self) -> Checkpoint:
        """Returns it."""
        return self.checkpoint

    def record(self, connection: Connection) -> None:
        """Its row is there."""


@dataclass(frozen=True)
class _Goal:
    """Where an operation takes a plan."""

    plan: Plan  # as it is
    checkpoint: Checkpoint
    snapshot: Snapshot


class Rollbacks:
    """Opens and carries out rollback operations."""

    def __init__(
        self, database: Database, sandboxes: Sandboxes, undoing: Undoing, report: Reporter
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._undoing = undoing
        self._report = report

    def preview(self, plan: Plan, target: Checkpoint) -> Changes:
        """Tells what a rollback would change, after verifying that it could."""
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        return archive.way_to(verified(archive, target), sandbox.roots).changes

    def besides(self, plan: Plan, target: Checkpoint, document: PlanDocument) -> Besides:
        """Tells what else going to a checkpoint would touch, if the document is to count then."""
        with self._database.reading() as connection:
            counting = DecisionRepository(connection).counting(plan.plan_id)
            rows = CheckpointRepository(connection).of_plan(plan.plan_id)
        return Besides(
            self.calls_after(plan, document),
            tuple(self.going(plan, document)),
            tuple(row for row in counting if row.decision_id not in document.decisions),
            left_behind(rows, target),
        )

    def calls_after(self, plan: Plan, document: PlanDocument) -> CallsAfter:
        """Tells which calls a rollback would undo, those of subplans included, and which not."""
        with self._database.reading() as connection:
            due, left = self._calls(connection, plan, document)
        return CallsAfter(tuple(call for _, call in due), left)

    def document(self, plan: Plan, target: Checkpoint) -> PlanDocument:
        """Returns the plan document of a checkpoint, held against its row."""
        return document_of(verified(self._sandboxes.archive(plan.project_id), target))

    def going(self, plan: Plan, document: PlanDocument) -> list[Plan]:
        """Returns the subplans that a rollback would cancel."""
        with self._database.reading() as connection:
            return ChildRepository(connection).going(plan.plan_id, document.children)

    def _calls(
        self, connection: Connection, plan: Plan, document: PlanDocument
    ) -> tuple[list[tuple[Plan, UndoDue]], tuple[CallLeft, ...]]:
        """Returns the calls to undo, newest first and each with its plan, and those that stay."""
        going = ChildRepository(connection).going(plan.plan_id, document.children)
        counts = [(plan, document), *((child, NOTHING) for child in going)]
        found = [
            (one, self._undoing.calls_after(connection, one, counting)) for one, counting in counts
        ]
        due = [(one, call) for one, calls in found for call in calls.due]
        due.sort(key=lambda call: call[1].run.step_run_id, reverse=True)  # ids go up with time
        return due, tuple(call for _, calls in found for call in calls.left)

    def open(
        self,
        held: Held,
        target: Checkpoint,
        safety: Safety,
        ending: Ending,
        going: Going,
    ) -> Operation[GoBack]:
        """Records the intent, and with it the row of the safety checkpoint.

        From here on a crash is finished by recovery. `going` are the subplans that it takes along.
        """
        intent = GoBack(
            target=target.checkpoint_id,
            safety=safety.stored().checkpoint_id,
            record=CheckpointId(new_id()),
            ending=ending,
            going=going,
        )
        with self._database.writing(held) as connection:
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
                self._undoing.give_up(held, operation.operation_id)
            with self._database.reading() as connection:
                goal = self._goal(connection, operation.plan_id, operation.intent.safety)
            undone = self._restore(party, operation, goal, Status.ABORTED).undo
            raise TakenBack(
                f"{error.message}; the files are as they were before the rollback",
                detail=[*error.detail, *(f"and stays so: {run.told}" for run in undone)],
                hints=error.hints,
            ) from error

    def _go(self, party: _Party, operation: Operation[GoBack], way: Way | None) -> RollbackResult:
        with self._database.reading() as connection:
            goal = self._goal(connection, operation.plan_id, operation.intent.target)
            due, left = self._calls(connection, goal.plan, document_of(goal.snapshot))
        if due:
            self._undo(party, operation, goal, due)
            way = None  # they may have changed anything
        return replace(self._restore(party, operation, goal, Status.DONE, way), left=left)

    def _undo(
        self,
        party: _Party,
        operation: Operation[GoBack],
        goal: _Goal,
        due: Sequence[tuple[Plan, UndoDue]],
    ) -> None:
        """Undoes the calls after the target, once it is sure that it can be gone to."""
        self._refilled(party[goal.plan.plan_id], goal.plan)
        self.preview(goal.plan, goal.checkpoint)
        for plan, call in due:
            held = party[plan.plan_id]
            sandbox = self._refilled(held, plan)
            self._undoing.carry_out(held, operation.operation_id, plan, [call], sandbox.path)

    def _refilled(self, held: Held, plan: Plan) -> Sandbox:
        """A plan's sandbox; files that were lost come back as they were last known."""
        with self._database.reading() as connection:
            reference = last_known(connection, plan)
        return self._sandboxes.refill(held, plan.project_id, reference)

    def _goal(self, connection: Connection, plan_id: PlanId, checkpoint_id: CheckpointId) -> _Goal:
        plan = PlanRepository(connection).get(plan_id)
        checkpoint = CheckpointRepository(connection).get(checkpoint_id)
        archive = self._sandboxes.archive(plan.project_id)
        return _Goal(plan, checkpoint, verified(archive, checkpoint))

    def _restore(
        self,
        party: _Party,
        operation: Operation[GoBack],
        goal: _Goal,
        status: Status,
        way: Way | None = None,
    ) -> RollbackResult:
        plan, held = goal.plan, party[goal.plan.plan_id]
        archive = self._sandboxes.archive(plan.project_id)
        was_there = way is not None or self._sandboxes.is_there(plan.plan_id)
        with self._sandboxes.refilling(held, archive, goal.snapshot) as sandbox:
            restored = archive.put_back(goal.snapshot, sandbox.roots, sandbox.staging, way)
        if not was_there:
            restored = replace(restored, changes=without_top(restored.changes))
        for child_id in operation.intent.going.removed if status is Status.DONE else ():
            self._sandboxes.remove(party[child_id])
        result = self._close(held, operation, goal, status, restored)
        archive.purge(sandbox.staging)
        moved, checkpoint, files = result.plan, goal.checkpoint, len(result.changes)
        self._report(PlanMoved(plan.plan_id, moved.phase, moved.state))
        self._report(RolledBack(plan.plan_id, checkpoint.seq, checkpoint.checkpoint_id, files))
        return result

    def _close(
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
        return plans.move(plan.plan_id, ending.stage, error=ending.error)


def _plans_of(operation: Operation[GoBack]) -> tuple[PlanId, ...]:
    """The plans whose calls an operation undoes."""
    return operation.plan_id, *operation.intent.going.plans
