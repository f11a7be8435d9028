"""Where a command starts to fail."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.comparison import FileDiff
from cleveragents.engine.read.bisect import Found, Trial
from cleveragents.ids import CheckpointId, PlanId, StepRunId
from cleveragents.plans.plan import Plan
from cleveragents.plans.step_run import StepRun
from cleveragents.shapes.difference import DifferenceRow, difference_of


class GoodCheckpoint(TypedDict):
    """A checkpoint, by its number."""

    checkpoint_id: CheckpointId
    seq: int


class TriedCheckpoint(GoodCheckpoint):
    """How the command ended at a checkpoint."""

    exit_code: int
    seconds: float


class StepRunName(TypedDict):
    """A step that ran, by its name."""

    step_run_id: StepRunId
    cursor: str
    step: str
    tool: str


class MergedSubplan(TypedDict):
    """A subplan whose result was merged."""

    plan_id: PlanId
    name: str
    parent_step: str | None


class Border(TypedDict):
    """Where a command starts to fail."""

    plan: PlanId
    command: str
    good: GoodCheckpoint  # the last one at which it passes
    bad: TriedCheckpoint  # the first one at which it fails
    output: Sequence[str]  # the last of what it printed there
    steps: Sequence[StepRunName]  # what ran between the two
    subplans: Sequence[MergedSubplan]  # whose results were merged between them
    changes: Sequence[DifferenceRow]
    tried: Sequence[TriedCheckpoint]  # in the order they were tried


def border_of(plan: Plan, line: str, found: Found, changed: Sequence[FileDiff]) -> Border:
    """Where a command starts to fail."""
    return {
        "plan": plan.plan_id,
        "command": line,
        "good": _name(found.good),
        "bad": _tried(found.bad),
        "output": list(found.bad.tail),
        "steps": [_step(run) for run in found.steps],
        "subplans": [_subplan(child) for child in found.subplans],
        "changes": [difference_of(diff) for diff in changed],
        "tried": [_tried(each) for each in found.tried],
    }


def _name(row: Checkpoint) -> GoodCheckpoint:
    return {"checkpoint_id": row.checkpoint_id, "seq": row.seq}


def _tried(tried: Trial) -> TriedCheckpoint:
    name = _name(tried.checkpoint)
    return {**name, "exit_code": tried.exit_code, "seconds": tried.seconds}


def _step(run: StepRun) -> StepRunName:
    return {
        "step_run_id": run.step_run_id,
        "cursor": run.cursor,
        "step": run.name,
        "tool": run.tool,
    }


def _subplan(child: Plan) -> MergedSubplan:
    return {"plan_id": child.plan_id, "name": child.name, "parent_step": child.parent_step}
