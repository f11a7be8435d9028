"""A step run: one attempt at one step, recorded before it starts and after it ends."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cleveragents.confinement.level import Confined, Level, Way
from cleveragents.ids import CauseId, CheckpointId, PlanId, StepRunId, new_id, now
from cleveragents.plans.journal import Happening, record
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection, Row

if TYPE_CHECKING:
    from cleveragents.plans.plan import Plan

STARTED, SUCCEEDED, FAILED = "started", "succeeded", "failed"

_BY_ID = "SELECT * FROM step_runs WHERE step_run_id = :step_run_id"
_OF_PLAN = "SELECT * FROM step_runs WHERE plan_id = :plan_id ORDER BY seq"
_LATEST = "SELECT * FROM step_runs WHERE plan_id = :plan_id ORDER BY seq DESC LIMIT 1"
_NEWEST = "SELECT max(seq) FROM step_runs WHERE plan_id = :plan_id"
_MARKS = "SELECT step_run_id, superseded_by FROM step_runs WHERE plan_id = :plan_id"
_ENDED = """SELECT * FROM step_runs
    WHERE plan_id = :plan_id AND superseded_by IS NULL AND status != :started ORDER BY seq"""
_UNFINISHED = """SELECT * FROM step_runs
    WHERE plan_id = :plan_id AND superseded_by IS NULL AND status != :succeeded ORDER BY seq"""


@frozen
class StepRun:
    """One row of step runs."""

    step_run_id: StepRunId
    plan_id: PlanId
    seq: int
    cursor: str
    name: str
    tool: str
    attempt: int
    status: str
    checkpoint_id: CheckpointId | None  # the state it started from
    summary: str
    exit_code: int | None
    tail: str
    output_path: str
    superseded_by: str | None  # the operation that took it back
    level: str  # how its processes were confined …
    way: str | None  # … and by what; None: they were not
    started_at: datetime
    finished_at: datetime | None

    @property
    def confined(self) -> Confined:
        """How its processes were confined."""
        return Confined(Level(self.level), None if self.way is None else Way(self.way))


class StepRunRepository:
    """The rows of step runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def start(
        self,
        plan: "Plan",
        *,
        name: str,
        tool: str,
        attempt: int,
        checkpoint_id: CheckpointId | None,
        output_dir: Path,
        confined: Confined,
    ) -> StepRun:
        """Records an attempt at the step at the cursor that is about to start."""
        plan_id = plan.plan_id
        newest = self._connection.value(_NEWEST, plan_id=plan_id)
        step_run_id = StepRunId(new_id())
        self._connection.insert(
            "step_runs",
            step_run_id=step_run_id,
            plan_id=plan_id,
            seq=(newest or 0) + 1,
            cursor=plan.cursor,
            name=name,
            tool=tool,
            attempt=attempt,
            status=STARTED,
            checkpoint_id=checkpoint_id,
            output_path=str(output_dir / f"{step_run_id}.log"),
            level=confined.level,
            way=confined.way,
            started_at=now(),
        )
        detail = {"checkpoint_id": checkpoint_id, "definition": plan.definition}
        record(self._connection, plan_id, Happening.STEP, step_run_id, detail)
        return self.get(step_run_id)

    def get(self, step_run_id: StepRunId) -> StepRun:
        """Returns one run."""
        (row,) = self._connection.rows(_BY_ID, step_run_id=step_run_id)
        return _from_row(row)

    def end(
        self, step_run_id: StepRunId, *, ok: bool, summary: str, exit_code: int | None, tail: str
    ) -> None:
        """Records how a run ended."""
        result = {"summary": summary, "exit_code": exit_code, "tail": tail}
        self._update(
            step_run_id,
            status=SUCCEEDED if ok else FAILED,
            result_json=json.dumps(result),
            finished_at=now(),
        )

    def of_plan(self, plan_id: PlanId) -> Sequence[StepRun]:
        """Returns every run of a plan in order, those taken back included."""
        return [_from_row(row) for row in self._connection.rows(_OF_PLAN, plan_id=plan_id)]

    def ended(self, plan_id: PlanId) -> Sequence[StepRun]:
        """Returns the last run that counts and has ended of each step, in order."""
        rows = self._connection.rows(_ENDED, plan_id=plan_id, started=STARTED)
        last = {run.cursor: run for run in map(_from_row, rows)}
        return sorted(last.values(), key=lambda run: run.seq)

    def unfinished(self, plan_id: PlanId) -> Sequence[StepRun]:
        """Returns the runs that count and have not succeeded."""
        rows = self._connection.rows(_UNFINISHED, plan_id=plan_id, succeeded=SUCCEEDED)
        return [_from_row(row) for row in rows]

    def latest(self, plan_id: PlanId) -> StepRun:
        """Returns the newest run of a plan that has one."""
        (row,) = self._connection.rows(_LATEST, plan_id=plan_id)
        return _from_row(row)

    def not_in(self, plan_id: PlanId, listed: Sequence[StepRunId]) -> Sequence[StepRun]:
        """Returns the runs that count at present and are not listed, the oldest first."""
        return [
            run
            for run in self.of_plan(plan_id)
            if run.superseded_by is None and run.step_run_id not in listed
        ]

    def make_active(self, plan_id: PlanId, listed: Sequence[StepRunId], cause: CauseId) -> int:
        """Makes exactly the listed runs count; returns how many calls were taken back."""
        marks = dict(self._connection.tuples(_MARKS, plan_id=plan_id))
        wanted = set(listed)
        taken_back = [run for run, mark in marks.items() if mark is None and run not in wanted]
        for step_run_id in taken_back:
            self._update(step_run_id, superseded_by=cause)
        for step_run_id in wanted:
            if marks.get(step_run_id) is not None:
                self._update(step_run_id, superseded_by=None)
        return len(taken_back)

    def _update(self, step_run_id: StepRunId, **values: object) -> None:
        self._connection.update("step_runs", {"step_run_id": step_run_id}, **values)


def failed_for_good(runs: Sequence[StepRun]) -> set[str]:
    """Returns the cursors of the steps whose runs count and have only failed."""
    counting = [run for run in runs if run.superseded_by is None]
    done = {run.cursor for run in counting if run.status == SUCCEEDED}
    return {run.cursor for run in counting if run.status == FAILED} - done


def _from_row(fields: Row) -> StepRun:
    result = json.loads(
        fields.pop("result_json") or '{"summary": "", "exit_code": null, "tail": ""}'
    )
    return StepRun(**fields, **result)
