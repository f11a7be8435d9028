"""Saving the present and going back: nearly every service is built on it."""

from typing import TYPE_CHECKING

from cleveragents.foundations import Foundations
from cleveragents.once import once

if TYPE_CHECKING:
    from cleveragents.checkpoints.kept import KeptCheckpoints
    from cleveragents.checkpoints.reads import CheckpointReads
    from cleveragents.checkpoints.rollback import RollbackReads
    from cleveragents.checkpoints.saving import CheckpointPolicy
    from cleveragents.confinement.confinement import Confinement
    from cleveragents.engine.back.checkpoint_acts import CheckpointActs
    from cleveragents.engine.back.placing import Placements
    from cleveragents.engine.back.pruning import Prunes
    from cleveragents.engine.back.removal import Removals
    from cleveragents.engine.back.rollback import Rollbacks
    from cleveragents.engine.back.saving import Saves
    from cleveragents.engine.back.undoing import UndoCalls
    from cleveragents.engine.back.workplaces import Workplaces
    from cleveragents.sandbox.project import Project
    from cleveragents.tools.commands import Commands


class Points:
    """Acts on the files of plans, for whoever holds them."""

    def __init__(self, base: Foundations, project: "Project") -> None:
        self._base = base
        self._project = project

    @once
    def confinement(self) -> "Confinement":
        """How what plans run is confined."""
        return self._base.confinement(self._project.path)

    @once
    def commands(self) -> "Commands":
        """Runs the commands of plans."""
        from cleveragents.tools.commands import Commands

        base = self._base
        return Commands(base.environment, base.output, base.masking, self.confinement)

    @once
    def policy(self) -> "CheckpointPolicy":
        """Which checkpoints are made, of what, and how many are kept."""
        from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
        from cleveragents.checkpoints.saving import CheckpointPolicy
        from cleveragents.checkpoints.triggers import Trigger
        from cleveragents.snapshots.tree.filter import Filter

        settings = self._base.settings
        most = settings.number("sandbox.checkpoint.max-checkpoints-per-plan")
        return CheckpointPolicy(
            frozenset(map(Trigger, settings.texts("sandbox.checkpoint.auto-create-on"))),
            Filter.of(settings.texts("sandbox.checkpoint.exclude")),
            CheckpointRetentionPolicy(most),
        )

    @once
    def pruning(self) -> "Prunes":
        """Lets checkpoints go."""
        from cleveragents.engine.back.pruning import Prunes

        base = self._base
        return Prunes(base.database, base.sandboxes, self.policy.retention, base.report)

    @once
    def saving(self) -> "Saves":
        """Makes checkpoints."""
        from cleveragents.engine.back.saving import Saves

        base = self._base
        return Saves(base.database, base.sandboxes, self.pruning, self.policy, base.report)

    @once
    def workplaces(self) -> "Workplaces":
        """Opens the files of a plan to be changed."""
        from cleveragents.engine.back.workplaces import Workplaces

        return Workplaces(self._base.sandboxes, self.saving, self._base.report)

    @once
    def placements(self) -> "Placements":
        """Brings the files of a plan to what was stored first."""
        from cleveragents.engine.back.placing import Placements

        base = self._base
        return Placements(base.database, base.sandboxes, self.workplaces, self.saving, base.report)

    @once
    def removals(self) -> "Removals":
        """Removes the files of sandboxes."""
        from cleveragents.engine.back.removal import Removals

        base = self._base
        return Removals(
            base.database, base.sandboxes, self.workplaces, self.saving, self.policy.filter
        )

    @once
    def rollback_reads(self) -> "RollbackReads":
        """Tells what a rollback would touch."""
        from cleveragents.checkpoints.rollback import RollbackReads

        return RollbackReads(self._base.database, self._base.sandboxes)

    @once
    def kept(self) -> "KeptCheckpoints":
        """Finds checkpoints, and looks at no file."""
        from cleveragents.checkpoints.kept import KeptCheckpoints

        return KeptCheckpoints(self._base.database, self.policy.retention)

    @once
    def reads(self) -> "CheckpointReads":
        """Finds checkpoints and looks at them."""
        from cleveragents.checkpoints.reads import CheckpointReads

        base = self._base
        return CheckpointReads(
            base.database, base.sandboxes, self.rollback_reads, self.policy.retention
        )

    @once
    def rollbacks(self) -> "Rollbacks":
        """Goes back."""
        from cleveragents.engine.back.rollback import Rollbacks

        base = self._base
        return Rollbacks(
            base.database, self.rollback_reads, self.workplaces, lambda: self._undoing, base.report
        )

    @once
    def _undoing(self) -> "UndoCalls":
        """Undoes the calls that a rollback takes back."""
        from cleveragents.engine.back.undoing import UndoCalls

        return UndoCalls(self._base.database, self.commands, self._base.report)

    @once
    def acts(self) -> "CheckpointActs":
        """Acts on checkpoints in the course of greater things."""
        from cleveragents.engine.back.checkpoint_acts import CheckpointActs

        return CheckpointActs(
            self._base.database,
            self._base.sandboxes,
            self.reads,
            self.workplaces,
            self.saving,
            self.rollbacks,
            self.pruning,
        )
