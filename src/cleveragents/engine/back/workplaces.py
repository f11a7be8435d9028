"""The workplaces of plans, and keeping what somebody writes there while an act is under way.

An act leaves each path as it was or as it shall be, also if it was cut off. What is neither was
written by somebody else since, and nothing else holds it: it is saved before it is replaced.
"""

from functools import partial

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.saving import Saves
from cleveragents.events import Note, Reporter
from cleveragents.ids import ProjectId
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.sandbox.workplace import SandboxWorkplace
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.way import Changes
from cleveragents.storage.held import Held


class Workplaces:
    """Opens the workplace of a plan for whoever holds it."""

    def __init__(self, sandboxes: Sandboxes, saving: Saves, report: Reporter) -> None:
        self._sandboxes = sandboxes
        self._saving = saving
        self._report = report

    def of(self, held: Held, project_id: ProjectId, act: str) -> SandboxWorkplace:
        """The files of the plan that is held; `act` says what they are changed for."""
        archive = self._sandboxes.archive(project_id)
        return SandboxWorkplace(held, self._sandboxes, archive, partial(self._keep, act))

    def _keep(self, act: str, held: Held, edited: Changes | None, filter_: Filter) -> None:
        """Saves the present, all of it where nobody can tell what was written; tells of it."""
        wanted = CheckpointRequest(
            CheckpointType.SAFETY,
            f"before the {act} went on",
            even_if_unchanged=False,
            filter=Filter() if edited is None else filter_,
        )
        saved = self._saving.save_safety(held, wanted, prune=False, going=edited, half_made=True)
        text = f"{saved.checkpoint.name} holds what was there before the {act} went on"
        self._report(Note(held.plan_id, text))
