"""An apply and its way back: what they did, and what they would do."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.checkpoints.besides import Besides
from cleveragents.engine.bring.apply import ApplyResult
from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.bring.proposal import FilePreview, Proposal
from cleveragents.engine.bring.validate import Check
from cleveragents.engine.bring.withdrawal import Withdrawal
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.operations.in_project import Apply
from cleveragents.plans.lifecycle import Phase, State
from cleveragents.plans.plan import Plan
from cleveragents.shapes.difference import DifferenceRow, difference_of
from cleveragents.shapes.extent import DryRun, extent_of
from cleveragents.shapes.name import PathName, path_name


class AppliedFile(DifferenceRow):
    """The change of one file."""

    notes: Sequence[str]  # what to look at before it does


class ObstacleRow(PathName):
    """A path that stands in the way."""

    why: str


class CheckRow(TypedDict):
    """How a command that must pass ended."""

    command: str
    exit_code: int
    seconds: float
    tail: str  # the last of what it printed
    output_path: str


class _Plan(TypedDict):
    plan: PlanId


# By a call, because `as` cannot be written as the name of a field: changes | branch.
_Mode = TypedDict("_Mode", {"as": str})


class _ApplicationFields(_Mode):
    files: Sequence[AppliedFile]
    ignored: int  # files that are left out because they are ignored
    obstacles: Sequence[ObstacleRow]


class ApplyPreview(_Plan, _ApplicationFields, DryRun):
    """The preview of an apply."""


class Application(_Plan, _ApplicationFields):
    """The result of an apply; one of nothing leaves the plan as it was."""

    phase: Phase
    state: State
    checkpoint: CheckpointId | None  # made before it; null: none, or nothing was applied
    branch: str | None  # of an apply to a branch
    commit: str | None
    kept: Sequence[str]  # directories that stay because they hold other files
    validate: Sequence[CheckRow]


class FinishedApply(_Plan, _Mode):
    """An interrupted apply, or its way back, that was finished just now."""

    files: Sequence[PathName]
    phase: Phase
    state: State


class _WithdrawalFields(_Plan):
    files: Sequence[PathName]  # that go back to what they were
    merged: Sequence[PathName]  # those of them that keep what you changed elsewhere in them
    already: Sequence[PathName]  # that were as before already
    mine: Sequence[PathName]  # that stay as you have them, with --keep-mine
    branch: str | None  # of an apply to a branch: it goes, and no file changes
    obstacles: Sequence[ObstacleRow]


class UnapplyPreview(_WithdrawalFields, DryRun):
    """The preview of taking an apply back."""


class Unapplication(_WithdrawalFields):
    """The result of taking an apply back."""

    kept: Sequence[str]  # directories that stay because they hold other files


def apply_preview_of(plan: Plan, proposal: Proposal, *, moving: bool) -> ApplyPreview:
    """The preview of an apply."""
    return {
        "plan": plan.plan_id,
        **_bringing(proposal),
        **extent_of(Besides(subplans=proposal.subplans), len(proposal.files)),
        "moving": moving,
    }


def application_of(done: ApplyResult) -> Application:
    """The result of an apply."""
    plan, applied = done.plan, done.applied
    intent = applied and applied.operation.intent
    branch = intent and intent.branch
    return {
        "plan": plan.plan_id,
        **_bringing(done.proposal),
        "phase": plan.phase,
        "state": plan.state,
        "checkpoint": intent and intent.checkpoint,
        "branch": branch and branch.branch,
        "commit": branch and branch.commit,
        "kept": [] if applied is None else list(applied.kept),
        "validate": [_check(check) for check in done.checks],
    }


def finished_of(plan: Plan, begun: Apply) -> FinishedApply:
    """The result of an act that recovery has just finished."""
    return {
        "plan": plan.plan_id,
        "as": begun.mode,
        "files": [path_name(path) for path in begun.paths],
        "phase": plan.phase,
        "state": plan.state,
    }


def unapply_preview_of(plan: Plan, would: Withdrawal, *, moving: bool) -> UnapplyPreview:
    """The preview of taking an apply back."""
    extent = extent_of(Besides(), len(would.paths))
    return {**_withdrawing(plan, would), **extent, "moving": moving}


def unapplication_of(plan: Plan, shown: Withdrawal, kept: Sequence[str]) -> Unapplication:
    """The result of taking an apply back."""
    return {**_withdrawing(plan, shown), "kept": list(kept)}


def _bringing(proposal: Proposal) -> _ApplicationFields:
    return {
        "as": proposal.options.mode,
        "files": [_file(file) for file in proposal.files],
        "ignored": proposal.ignored,
        "obstacles": _obstacles(proposal.obstacles),
    }


def _withdrawing(plan: Plan, would: Withdrawal) -> _WithdrawalFields:
    branch = would.applied.intent.branch
    return {
        "plan": plan.plan_id,
        "files": [path_name(path) for path in would.paths],
        "merged": [path_name(path) for path in would.merged],
        "already": [path_name(path) for path in would.already],
        "mine": [path_name(path) for path in would.mine],
        "branch": branch and branch.branch,
        "obstacles": _obstacles(would.obstacles),
    }


def _file(file: FilePreview) -> AppliedFile:
    return {**difference_of(file.diff), "notes": list(file.notes)}


def _obstacles(found: Sequence[Obstacle]) -> list[ObstacleRow]:
    return [{**path_name(each.path), "why": each.why} for each in found]


def _check(check: Check) -> CheckRow:
    return {
        "command": check.command,
        "exit_code": check.exit_code,
        "seconds": check.seconds,
        "tail": check.tail,
        "output_path": check.output_path,
    }
