"""Single paths that are taken back from a checkpoint."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.checkpoints.besides import Besides
from cleveragents.engine.back.restore import PathRestoration, RestoreProposal
from cleveragents.ids import CheckpointId, PlanId
from cleveragents.shapes.change import ChangeRow, changes_of
from cleveragents.shapes.extent import DryRun, extent_of
from cleveragents.shapes.name import PathName, path_name


class _Wish(TypedDict):
    plan: PlanId
    checkpoint: CheckpointId
    paths: Sequence[PathName]  # as they were asked for
    changes: Sequence[ChangeRow]


class Restoration(_Wish):
    """The result of taking paths back; nothing, if they were so already."""

    safety: CheckpointId | None  # what was there before
    record: CheckpointId | None  # what is there now


class RestorePreview(_Wish, DryRun):
    """The preview of taking paths back."""


def restoration_of(proposed: RestoreProposal, done: PathRestoration | None) -> Restoration:
    """The result of taking paths back."""
    wish = _wish(proposed)
    if done is None:
        return {**wish, "safety": None, "record": None}
    wish["changes"] = changes_of(done.changes)
    return {**wish, "safety": done.safety.checkpoint_id, "record": done.record.checkpoint_id}


def restore_preview_of(proposed: RestoreProposal, *, moving: bool) -> RestorePreview:
    """The preview of taking paths back."""
    extent = extent_of(Besides(), len(proposed.changes))
    return {**_wish(proposed), **extent, "moving": moving}


def _wish(proposed: RestoreProposal) -> _Wish:
    return {
        "plan": proposed.source.plan_id,
        "checkpoint": proposed.source.checkpoint_id,
        "paths": [path_name(path) for path in proposed.paths],
        "changes": changes_of(proposed.changes),
    }
