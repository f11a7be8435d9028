"""Follows a plan that another process runs: what its rows tell becomes the events of a run."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from cleveragents.checkpoints.checkpoint import PREFIX, CheckpointRepository
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.read.plans import is_interrupted
from cleveragents.events import (
    CallUndone,
    CheckpointSaved,
    Decided,
    Event,
    Reporter,
    RolledBack,
    StepFailed,
    StepFinished,
    StepOutput,
    StepStarted,
    SubplanEnded,
    SubplanMerged,
    SubplanStarted,
)
from cleveragents.ids import CheckpointId, PlanId, StepRunId
from cleveragents.operations.in_sandbox import GoBack, Merge
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.cursor import title_at, top_index
from cleveragents.plans.decision import STRATEGY_CHOICE, DecisionRepository
from cleveragents.plans.journal import Happening, JournalEntry, entries
from cleveragents.plans.lifecycle import CANCELLED, ERRORED, RUNNING, written
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step_run import STARTED, SUCCEEDED, StepRun, StepRunRepository
from cleveragents.plans.undo_run import UndoRunRepository, UndoStatus
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database

LOOK_SECONDS = 0.2
OWNER_LOOKS = 5  # of which one asks whether the process is still there
TAIL_BYTES = 1 << 16  # of what a step prints between two looks
BEGUN = written(RUNNING)
ENDED = {written(ERRORED), written(CANCELLED)}

Told = tuple[datetime, Event]


class Watching:
    """Follows plans; changes nothing and owns nothing."""

    def __init__(
        self, database: Database, is_owned: Callable[[str], bool], report: Reporter
    ) -> None:
        self._database = database
        self._is_owned = is_owned
        self._report = report

    def follow(self, plan: Plan) -> Plan:
        """Tells what the present run of a plan does until it ends; returns the plan as it is then.

        What it did before is told first. A run whose process is gone has ended, too.
        """
        run = _Run(plan, self._begun(plan))
        stamp, looks = None, 0
        while True:
            found = self._database.stamp()
            if found != stamp or looks % OWNER_LOOKS == 0:
                stamp = found
                plan = self._look(run)
            if plan.stage != RUNNING or self._is_over(plan, looks):
                return plan
            for event in run.output():
                self._report(event)
            looks += 1
            time.sleep(LOOK_SECONDS)

    def _look(self, run: "_Run") -> Plan:
        """Tells what came since the last look, in the order in which it happened."""
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(run.plan.plan_id)
            told = list(run.since(connection))
        for _, event in sorted(told, key=lambda one: one[0]):
            self._report(event)
        return plan

    def _is_over(self, plan: Plan, looks: int) -> bool:
        is_due = looks % OWNER_LOOKS == 0
        return is_due and is_interrupted(self._database, self._is_owned, plan)

    def _begun(self, plan: Plan) -> datetime:
        """When the present run began."""
        with self._database.reading() as connection:
            happened = entries(connection, plan.plan_id)
        moves = [one.at for one in happened if one.kind is Happening.MOVED and _is_begin(one)]
        return moves[-1] if moves else plan.created_at


def _is_begin(entry: JournalEntry) -> bool:
    return entry.detail["to"] == BEGUN != entry.detail["from"]


class _Run:
    """The story of one run so far, with its subplans."""

    def __init__(self, plan: Plan, begun: datetime) -> None:
        self.plan = plan
        self._begun = begun
        self._seen: dict[PlanId, int] = {}  # the last entry that was told
        self._steps: dict[StepRunId, tuple[Path, int]] = {}  # that run, and how far they are told
        self._plans: dict[StepRunId, PlanId] = {}
        self._open: set[str] = set()  # operations and undo calls

    def since(self, connection: Connection) -> Iterator[Told]:
        """Yields what came since it was asked last."""
        for plan in [self.plan, *ChildRepository(connection).below(self.plan.plan_id)]:
            after = self._seen.get(plan.plan_id, 0)
            for entry in entries(connection, plan.plan_id, after):
                self._seen[plan.plan_id] = entry.seq
                if entry.at >= self._begun:
                    yield from self._begin(connection, plan, entry)
            yield from self._ended(connection, plan)

    def output(self) -> Iterator[Event]:
        """Yields the newest line that each step has printed since it was asked last."""
        for run_id, (path, at) in list(self._steps.items()):
            data = _tail(path, at)
            end = data.rfind(b"\n")
            if end >= 0:
                self._steps[run_id] = path, path.stat().st_size - len(data) + end + 1
                line = data[:end].rpartition(b"\n")[2].decode(errors="replace")
                yield StepOutput(self._plans[run_id], line)

    def _begin(self, connection: Connection, plan: Plan, entry: JournalEntry) -> Iterator[Told]:
        match entry.kind:
            case Happening.STEP:
                run = StepRunRepository(connection).get(StepRunId(entry.ref_id))
                self._steps[run.step_run_id] = Path(run.output_path), 0
                self._plans[run.step_run_id] = plan.plan_id
                yield entry.at, _started(plan, run)
            case Happening.CHECKPOINT if entry.detail:
                yield from _saved(plan, entry)
            case Happening.DECIDED:
                yield from _decided(connection, plan, entry)
            case Happening.OPERATION | Happening.UNDO:
                self._open.add(entry.ref_id)
            case Happening.MOVED if plan.parent_plan_id is not None:
                yield from _moved(plan, plan.parent_plan_id, entry)
            case _:
                return

    def _ended(self, connection: Connection, plan: Plan) -> Iterator[Told]:
        """Yields what had begun and has come to its end since."""
        for run_id in [one for one, of in self._plans.items() if of == plan.plan_id]:
            run = StepRunRepository(connection).get(run_id)
            if run.finished_at is not None and run.status != STARTED:
                del self._steps[run_id], self._plans[run_id]
                yield run.finished_at, _finished(run, run.finished_at)
        if self._open:
            yield from self._closed(connection, plan)

    def _closed(self, connection: Connection, plan: Plan) -> Iterator[Told]:
        for operation in OperationRepository(connection).of_plan(plan.plan_id):
            if operation.operation_id in self._open and operation.closed_at is not None:
                self._open.remove(operation.operation_id)
                for event in _carried_out(connection, operation):
                    yield operation.closed_at, event
        for undo in UndoRunRepository(connection).of_plan(plan.plan_id):
            if undo.undo_run_id in self._open and undo.status is not UndoStatus.STARTED:
                self._open.remove(undo.undo_run_id)
                event = CallUndone(plan.plan_id, worked=undo.worked, text=undo.told)
                yield undo.finished_at or undo.started_at, event


def _started(plan: Plan, run: StepRun) -> Event:
    about = (top_index(run.cursor), plan.step_count, run.name, run.tool, run.attempt)
    return StepStarted(plan.plan_id, *about)


def _finished(run: StepRun, at: datetime) -> Event:
    seconds = max((at - run.started_at).total_seconds(), 0.0)
    about = (run.plan_id, top_index(run.cursor), run.name, seconds, run.summary)
    if run.status == SUCCEEDED:
        return StepFinished(*about)
    return StepFailed(*about, 0)  # whether it is tried again is told by its next attempt


def _saved(plan: Plan, entry: JournalEntry) -> Iterator[Told]:
    """A checkpoint; the record of a rollback is told by the rollback."""
    if entry.detail["type"] != CheckpointType.ROLLBACK:
        seq = int(str(entry.detail["name"]).removeprefix(PREFIX))
        about = (seq, CheckpointId(entry.ref_id), str(entry.detail["reason"]))
        yield entry.at, CheckpointSaved(plan.plan_id, *about)


def _decided(connection: Connection, plan: Plan, entry: JournalEntry) -> Iterator[Told]:
    for row in DecisionRepository(connection).of_plan(plan.plan_id):
        if row.decision_id == entry.ref_id and row.decision_type == STRATEGY_CHOICE:
            title = title_at(plan.outlined_steps, row.cursor or "")
            yield entry.at, Decided(plan.plan_id, title, row.chosen, row.rationale or "")


def _moved(plan: Plan, parent_id: PlanId, entry: JournalEntry) -> Iterator[Told]:
    """How a subplan begins, and how it ends if that is not well."""
    moved = entry.detail
    if _is_begin(entry):
        yield entry.at, SubplanStarted(parent_id, plan.plan_id, plan.name, moved["attempt"])
    elif moved["to"] in ENDED:
        state = str(moved["to"]).partition("/")[2]
        yield entry.at, SubplanEnded(parent_id, plan.name, state, moved["error"] or state, 0)


def _carried_out(connection: Connection, operation: AnyOperation) -> Sequence[Event]:
    outcome, intent = operation.outcome or {}, operation.intent
    if operation.status is not Status.DONE or not isinstance(intent, Merge | GoBack):
        return []
    if isinstance(intent, Merge):
        name = PlanRepository(connection).get(intent.child).name
        conflicts = int(str(outcome.get("conflicts", 0)))
        return [SubplanMerged(operation.plan_id, name, intent.files, conflicts)]
    rows = CheckpointRepository(connection).of_plan(operation.plan_id)
    targets = [row for row in rows if row.checkpoint_id == intent.target]
    files = int(str(outcome.get("files", 0)))
    return [RolledBack(row.plan_id, row.seq, row.checkpoint_id, files) for row in targets]


def _tail(path: Path, at: int) -> bytes:
    """The rest of a file from there on, as much of its end as is worth a look."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(at, size - TAIL_BYTES))
            return file.read(TAIL_BYTES)
    except FileNotFoundError:  # it has printed nothing yet
        return b""
