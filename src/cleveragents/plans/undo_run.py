"""An undo run: one compensation of one call, recorded before it starts and after it ends."""

import json
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from cleveragents.ids import OperationId, PlanId, StepRunId, new_id, now
from cleveragents.plans.journal import Happening, record
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection, Row


class UndoStatus(StrEnum):
    """How an undo ended."""

    STARTED = "started"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"  # it had started when its process died, and may not be run twice


@frozen
class UndoRun:
    """One row of undo runs, with the names of its step and tool."""

    undo_run_id: str
    plan_id: PlanId
    operation_id: OperationId  # the rollback it is part of
    step_run_id: StepRunId  # the call it compensates
    status: UndoStatus
    summary: str
    output_path: str
    started_at: datetime
    finished_at: datetime | None
    step: str
    tool: str

    @property
    def worked(self) -> bool:
        """Whether the call is known to be undone."""
        return self.status is UndoStatus.SUCCEEDED

    @property
    def told(self) -> str:
        """Its outcome, in one line."""
        if self.worked:
            return f"step {self.step}: {self.tool} undone"
        words = {UndoStatus.STARTED: "was begun", UndoStatus.FAILED: f"failed: {self.summary}"}
        became = words.get(self.status, f"may not have worked: {self.summary}")
        return f"step {self.step}: the undo of {self.tool} {became}"


_SELECT = """SELECT undo_runs.*, step_runs.name AS step, step_runs.tool
    FROM undo_runs JOIN step_runs ON step_runs.step_run_id = undo_runs.step_run_id"""
_BY_ID = f"{_SELECT} WHERE undo_runs.undo_run_id = :undo_run_id"
_OF_PLAN = f"{_SELECT} WHERE undo_runs.plan_id = :plan_id ORDER BY undo_runs.undo_run_id"


class UndoRunRepository:
    """The rows of undo runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def start(
        self, plan_id: PlanId, operation_id: OperationId, step_run_id: StepRunId, output_dir: Path
    ) -> UndoRun:
        """Records an undo that is about to start."""
        undo_run_id = new_id()
        self._connection.insert(
            "undo_runs",
            undo_run_id=undo_run_id,
            plan_id=plan_id,
            operation_id=operation_id,
            step_run_id=step_run_id,
            status=UndoStatus.STARTED,
            output_path=str(output_dir / f"{undo_run_id}.log"),
            started_at=now(),
        )
        record(self._connection, plan_id, Happening.UNDO, undo_run_id)
        return self.get(undo_run_id)

    def end(self, undo_run_id: str, status: UndoStatus, summary: str, tail: str) -> UndoRun:
        """Records how an undo ended."""
        self._connection.update(
            "undo_runs",
            {"undo_run_id": undo_run_id},
            status=status,
            result_json=json.dumps({"summary": summary, "tail": tail}),
            finished_at=now(),
        )
        return self.get(undo_run_id)

    def get(self, undo_run_id: str) -> UndoRun:
        """Returns one run."""
        (row,) = self._connection.rows(_BY_ID, undo_run_id=undo_run_id)
        return _from_row(row)

    def of_plan(self, plan_id: PlanId) -> Sequence[UndoRun]:
        """Returns every undo of a plan's calls, in order."""
        return [_from_row(row) for row in self._connection.rows(_OF_PLAN, plan_id=plan_id)]

    def latest(self, plan_id: PlanId) -> dict[str, UndoRun]:
        """Returns the newest undo of each call of a plan that has one, by the call's id."""
        return {run.step_run_id: run for run in self.of_plan(plan_id)}

    def of_operation(self, plan_id: PlanId, operation_id: OperationId) -> Sequence[UndoRun]:
        """Returns what became of each call that an operation had to undo, in order."""
        found = self.latest(plan_id).values()
        return [run for run in found if run.operation_id == operation_id]


def _from_row(fields: Row) -> UndoRun:
    result = json.loads(fields.pop("result_json") or '{"summary": ""}')
    status = UndoStatus(fields.pop("status"))
    return UndoRun(**fields, status=status, summary=result["summary"])
