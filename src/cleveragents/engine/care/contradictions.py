"""Rows that contradict what else is kept of them: pure functions from a plan's facts to sentences.

The journal tells of most rows what they said when they were made; the plan document of a
checkpoint, which its hash protects, lists what counted there. A row that says otherwise was changed
by hand or is damaged. What an older version has not written down is not judged.
"""

from collections.abc import Iterator, Mapping

from cleveragents.checkpoints.checkpoint import Checkpoint, facts
from cleveragents.engine.care.facts import PlanFacts
from cleveragents.ids import DecisionId, StepRunId
from cleveragents.plans.decision import Decision, noted
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.journal import Happening, JournalEntry
from cleveragents.plans.lifecycle import written
from cleveragents.plans.step_run import SUCCEEDED

LASTING = ("name", "type", "label", "size_bytes")  # what the journal tells of a checkpoint for ever


def contradictions(plan: PlanFacts) -> Iterator[str]:
    """Tells each; of a plan that somebody is at work on, or has to be finished, none is told."""
    if plan.is_owned or plan.unfinished:
        return
    for told in (_decisions, _options, _documents, _checkpoints, _pins, _state):
        yield from told(plan)


def _decisions(plan: PlanFacts) -> Iterator[str]:
    """Decisions that say something else than was written down when they were made."""
    rows = {row.decision_id: row for row in plan.decisions}
    for entry in _entries(plan, Happening.DECIDED):
        row = rows.get(DecisionId(entry.ref_id))
        if row is None:
            yield f"decision {entry.ref_id} has no row, and the journal knows it"
        elif entry.detail:
            yield from _differing(_called(row), noted(row), entry.detail)


def _options(plan: PlanFacts) -> Iterator[str]:
    """Decisions that count for one option while steps of another one count."""
    chosen = {row.cursor: row for row in plan.decisions if row.cursor and not row.superseded_by}
    ran = [run.cursor for run in plan.runs if run.superseded_by is None]
    for cursor, row in chosen.items():
        others = {rest.split(".")[0] for rest in _below(f"{cursor}.", ran)} - {row.chosen}
        for option in sorted(others):
            yield f"{_called(row)}: the row says {row.chosen!r}, steps of {option!r} have run"


def _below(way: str, cursors: list[str]) -> list[str]:
    return [cursor.removeprefix(way) for cursor in cursors if cursor.startswith(way)]


def _documents(plan: PlanFacts) -> Iterator[str]:
    """Rows that say otherwise than documents of checkpoints.

    Documents may list rows that are gone: a database made again from the store has no others.
    """
    ended = {run.step_run_id: run.status for run in plan.runs}
    told: dict[StepRunId, str] = {}  # by call: the first checkpoint that tells
    for found in plan.checkpoints:
        for run in found.document.step_runs if found.document is not None else ():
            if ended.get(run, SUCCEEDED) != SUCCEEDED:
                told.setdefault(run, found.checkpoint.name)
    for run, name in told.items():
        yield f"call {run}: the row says {ended[run]!r}, {name} that it succeeded"
    newest = plan.checkpoints[-1].document if plan.checkpoints else None
    if newest is not None:
        yield from _counting(plan, newest)


def _counting(plan: PlanFacts, newest: PlanDocument) -> Iterator[str]:
    """Decisions that count at the newest checkpoint and not at present: only a rollback does so."""
    name = plan.checkpoints[-1].checkpoint.name
    for row in plan.decisions:
        if row.superseded_by is not None and row.decision_id in newest.decisions:
            yield f"{_called(row)}: the row says it was taken back, {name} that it counts"


def _checkpoints(plan: PlanFacts) -> Iterator[str]:
    """Checkpoints that say something else than when they were made."""
    rows: Mapping[str, Checkpoint] = {row.checkpoint_id: row for row in plan.rows}
    for entry in _entries(plan, Happening.CHECKPOINT):
        row = rows.get(DecisionId(entry.ref_id))
        if row is not None and entry.detail:
            noted_then = {name: entry.detail.get(name) for name in LASTING}
            present = {**facts(row), "type": str(row.checkpoint_type)}
            yield from _differing(row.name, present, noted_then)


def _pins(plan: PlanFacts) -> Iterator[str]:
    said = {
        entry.ref_id: bool(entry.detail["pinned"]) for entry in _entries(plan, Happening.PINNED)
    }
    for row in plan.rows:
        if row.pinned != said.get(row.checkpoint_id, row.pinned):
            yield f"{row.name}: the row says pinned {row.pinned}, the journal {not row.pinned}"


def _state(plan: PlanFacts) -> Iterator[str]:
    moves = _entries(plan, Happening.MOVED)
    if moves and moves[-1].detail.get("to") != written(plan.plan.stage):
        yield f"the row says {written(plan.plan.stage)}, the journal {moves[-1].detail.get('to')}"


def _differing(
    called: str, row: Mapping[str, object], journal: Mapping[str, object]
) -> Iterator[str]:
    for name, then in journal.items():
        if name in row and row[name] != then:
            yield f"{called}: {name} is {row[name]!r} in its row and {then!r} in the journal"


def _entries(plan: PlanFacts, kind: Happening) -> list[JournalEntry]:
    return [entry for entry in plan.journal if entry.kind is kind]


def _called(row: Decision) -> str:
    return f"decision {row.decision_id} ({row.question})"
