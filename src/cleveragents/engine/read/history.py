"""The history of a plan: its journal, told with what the rows it speaks of say by now."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from cleveragents.checkpoints.checkpoint import CheckpointRepository, facts
from cleveragents.counting import counted
from cleveragents.engine.read.operation_story import story
from cleveragents.ids import CheckpointId
from cleveragents.masking import Masking
from cleveragents.operations.in_sandbox import GoBack
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.cursor import number_of
from cleveragents.plans.decision import Decision, DecisionRepository
from cleveragents.plans.handed import handed_by
from cleveragents.plans.journal import Happening, JournalEntry, entries
from cleveragents.plans.origin import Origin, origin_in
from cleveragents.plans.plan import Plan
from cleveragents.plans.step_run import FAILED, STARTED, StepRun, StepRunRepository
from cleveragents.plans.undo_run import UndoRun, UndoRunRepository
from cleveragents.records import frozen, replace
from cleveragents.storage.database import Database


@frozen
class HistoryEvent:
    """One thing that happened to a plan."""

    seq: int
    at: datetime
    kind: str
    what: str  # in a word or two
    story: str  # in a sentence
    facts: Mapping[str, object]  # for programs


Told = tuple[str, str, Mapping[str, object]]  # what, story, facts


class History:
    """Tells the stories of plans; changes nothing and needs no lock."""

    def __init__(self, database: Database, masking: Masking) -> None:
        self._database = database
        self._masking = masking

    def of(self, plan: Plan) -> Sequence[HistoryEvent]:
        """Returns all that happened to a plan, in order."""
        with self._database.reading() as connection:
            happened = entries(connection, plan.plan_id)
            checkpoints = CheckpointRepository(connection).of_plan(plan.plan_id)
            runs = StepRunRepository(connection).of_plan(plan.plan_id)
            operations = OperationRepository(connection).of_plan(plan.plan_id)
            decisions = DecisionRepository(connection).of_plan(plan.plan_id)
            undone = UndoRunRepository(connection).of_plan(plan.plan_id)
            children = ChildRepository(connection).of_plan(plan.plan_id)
        live = {row.checkpoint_id: facts(row) for row in checkpoints}
        saved = {
            entry.ref_id: entry.detail or live[CheckpointId(entry.ref_id)]
            for entry in happened
            if entry.kind is Happening.CHECKPOINT and (entry.detail or entry.ref_id in live)
        }
        telling = _Narration(
            plan,
            saved,
            frozenset(live),
            {run.step_run_id: run for run in runs},
            {operation.operation_id: operation for operation in operations},
            {decision.decision_id: decision for decision in decisions},
            {run.undo_run_id: run for run in undone},
            {child.plan_id: child.name for child in children},
        )
        self._masking.learn(handed_by(plan.action).values)
        return [self._masked(telling.event(entry)) for entry in happened]

    def _masked(self, event: HistoryEvent) -> HistoryEvent:
        """Masks what names and words of the action say, and what earlier versions kept."""
        facts = cast("Mapping[str, object]", self._masking.data(event.facts))
        return replace(event, story=self._masking.text(event.story), facts=facts)


@frozen
class _Narration:
    """The sources of the story of one plan."""

    plan: Plan
    saved: Mapping[str, Mapping[str, Any]]  # every checkpoint there ever was
    live: frozenset[str]
    runs: Mapping[str, StepRun]
    operations: Mapping[str, AnyOperation]
    decisions: Mapping[str, Decision]
    undone: Mapping[str, UndoRun]
    subplans: Mapping[str, str]  # their names

    def event(self, entry: JournalEntry) -> HistoryEvent:
        tell = {
            Happening.MADE: self._made,
            Happening.MOVED: self._moved,
            Happening.DECIDED: self._decided,
            Happening.STEP: self._step,
            Happening.CHECKPOINT: self._checkpoint,
            Happening.OPERATION: self._operation,
            Happening.PINNED: self._pinned,
            Happening.UNDO: self._undone,
            Happening.RELOADED: self._reloaded,
        }[entry.kind]
        what, told, about = tell(entry)
        return HistoryEvent(entry.seq, entry.at, entry.kind, what, told, about)

    def _made(self, entry: JournalEntry) -> Told:
        action = self.plan.action
        count = len(action.steps)
        named = f"{action.name}: {action.description}" if action.description else action.name
        about = {"action": action.name, "steps": count, **entry.detail}
        told = f"{named} ({counted(count, 'step')}){_forked(origin_in(entry.detail))}"
        return "made", told, about

    def _moved(self, entry: JournalEntry) -> Told:
        moved = entry.detail
        again = f" (run {moved['attempt']})" if moved["to"] == "execute/processing" else ""
        why = f": {moved['error']}" if moved["error"] else ""
        return "moved", f"to {moved['to']}{again}{why}", dict(moved)

    def _decided(self, entry: JournalEntry) -> Told:
        row = self.decisions[entry.ref_id]
        why = f", because {row.rationale}" if row.rationale else ""
        about = {
            "decision_id": row.decision_id,
            "type": row.decision_type,
            "question": row.question,
            "chosen": row.chosen,
            "alternatives": list(row.alternatives),
            "rationale": row.rationale,
            "taken_back_by": row.superseded_by,
        }
        told = f"{row.question} {row.chosen}{why}{self._back(row.superseded_by)}"
        return "decided", told, about

    def _step(self, entry: JournalEntry) -> Told:
        run = self.runs[entry.ref_id]
        start = self.saved.get(str(entry.detail.get("checkpoint_id")), {}).get("name")
        seconds = _seconds(run)
        about = {
            "step_run_id": run.step_run_id,
            "cursor": run.cursor,
            "step": run.name,
            "tool": run.tool,
            "attempt": run.attempt,
            "status": run.status,
            "summary": run.summary,
            "exit_code": run.exit_code,
            "level": run.level,
            "way": run.way,
            "seconds": seconds,
            "started_from": start,
            "taken_back_by": run.superseded_by,
        }
        again = f", attempt {run.attempt}" if run.attempt > 1 else ""
        ended = {STARTED: "begun, no end recorded", FAILED: f"failed: {run.summary}"}
        end = ended.get(run.status, run.summary or run.status)
        took = "" if seconds is None else f", {seconds:.1f} s"
        origin = f", from {start}" if start else ""
        told = f"{run.name} ({run.tool}{again}): {end}{took}{origin}"
        return f"step {number_of(run.cursor)}", told + self._back(run.superseded_by), about

    def _checkpoint(self, entry: JournalEntry) -> Told:
        about = self.saved.get(entry.ref_id, {"name": "cp?", "type": "", "reason": "unknown"})
        label = f"{about['label']}: " if about.get("label") else ""
        gone = "" if entry.ref_id in self.live else " (forgotten since)"
        told = {
            **about,
            "checkpoint_id": entry.ref_id,
            "is_kept": entry.ref_id in self.live,
        }
        return str(about["name"]), f"{about['type']}: {label}{about['reason']}{gone}", told

    def _operation(self, entry: JournalEntry) -> Told:
        row = self.operations[entry.ref_id]
        outcome = dict(row.outcome or {})
        names = {checkpoint_id: str(found["name"]) for checkpoint_id, found in self.saved.items()}
        about = {
            "operation_id": row.operation_id,
            "operation": row.kind,
            "status": row.status,
            "target": names.get(row.intent.target) if isinstance(row.intent, GoBack) else None,
            "outcome": outcome,
        }
        return row.kind, story(row, names, self.subplans), about

    def _undone(self, entry: JournalEntry) -> Told:
        run = self.undone[entry.ref_id]
        about = {
            "undo_run_id": run.undo_run_id,
            "operation_id": run.operation_id,
            "step_run_id": run.step_run_id,
            "step": run.step,
            "tool": run.tool,
            "status": run.status,
            "summary": run.summary,
        }
        return "undo", run.told, about

    def _pinned(self, entry: JournalEntry) -> Told:
        what = "pinned" if entry.detail["pinned"] else "unpinned"
        return what, str(entry.detail["name"]), {**entry.detail, "checkpoint_id": entry.ref_id}

    def _reloaded(self, entry: JournalEntry) -> Told:
        about = dict(entry.detail)
        return "reloaded", f"{Path(about['file']).name}: {about.pop('told')}", about

    def _back(self, operation_id: str | None) -> str:
        if operation_id is None:
            return ""
        operation = self.operations.get(operation_id)
        return f" (taken back by {operation.kind if operation else 'something'})"


def _forked(origin: Origin | None) -> str:
    if origin is None:
        return ""
    return f", forked from {origin.checkpoint_name} of {origin.plan_name} ({origin.plan_id})"


def _seconds(run: StepRun) -> float | None:
    if run.finished_at is None:
        return None
    return round(max((run.finished_at - run.started_at).total_seconds(), 0.0), 3)
