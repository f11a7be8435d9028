"""The sandboxes there are, and those that went."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from cleveragents.engine.care.cleanup import SandboxFiles
from cleveragents.ids import PlanId
from cleveragents.plans.lifecycle import written


class SandboxRow(TypedDict):
    """A sandbox whose files are on the disk."""

    plan_id: PlanId | None  # null: what an interrupted command left
    name: str | None
    stage: str | None  # phase/state of its plan
    path: str
    size_bytes: int
    unapplied: bool  # work would be lost with it


class SandboxList(TypedDict):
    """The sandboxes of a project."""

    sandboxes: Sequence[SandboxRow]


class SandboxPrune(TypedDict):
    """A sandbox that went, or would go."""

    removed: Sequence[SandboxRow]
    kept: int  # how many stay
    in_no_checkpoint: Sequence[str]  # paths that are gone for good, or would be
    moving: NotRequired[bool]  # of a dry run: another process is at work on one of the plans


def sandbox_of(lying: SandboxFiles) -> SandboxRow:
    """A sandbox whose files are on the disk."""
    plan = lying.plan
    return {
        "plan_id": None if plan is None else plan.plan_id,
        "name": None if plan is None else plan.name,
        "stage": None if plan is None else written(plan.stage),
        "path": str(lying.path),
        "size_bytes": lying.size_bytes,
        "unapplied": not lying.may_go,
    }


def list_of(found: Sequence[SandboxFiles]) -> SandboxList:
    """The sandboxes of a project."""
    return {"sandboxes": [sandbox_of(each) for each in found]}


def prune_of(gone: Sequence[SandboxFiles], kept: int, lost: Sequence[str]) -> SandboxPrune:
    """The sandboxes that went, how many stay, and what is lost."""
    removed = [sandbox_of(each) for each in gone]
    return {"removed": removed, "kept": kept, "in_no_checkpoint": list(lost)}
