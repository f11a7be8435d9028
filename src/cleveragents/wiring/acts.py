"""Whatever opens operations, and so can finish them after a crash."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cleveragents.foundations import Foundations
from cleveragents.once import once
from cleveragents.operations.act import Act
from cleveragents.operations.kind import Kind
from cleveragents.wiring.points import Points

if TYPE_CHECKING:
    from cleveragents.engine.back.pruning import Prunes
    from cleveragents.engine.back.restore import Restores
    from cleveragents.engine.bring.application import Applications
    from cleveragents.engine.bring.refresh import Refreshes
    from cleveragents.engine.bring.resolution import Resolutions
    from cleveragents.engine.bring.validate import Validations
    from cleveragents.engine.chat.place import LivePlaces
    from cleveragents.engine.chat.taking_back import TakingBack
    from cleveragents.engine.correct.correction_operation import CorrectionOperations
    from cleveragents.engine.run.merge import Merges


class ActsOfPlans:
    """An act for each kind of operation, made when it is asked for."""

    def __init__(self, base: Foundations, points: Points) -> None:
        self._base = base
        self._points = points
        # The one table that recovery goes by.
        self._by_kind: Mapping[Kind, Callable[[], Act[Any]]] = {
            Kind.ROLLBACK: lambda: points.rollbacks,
            Kind.REVERT: lambda: points.rollbacks,
            Kind.CORRECT: lambda: self.corrections,
            Kind.PRUNE: lambda: points.pruning,
            Kind.REFRESH: lambda: self.refreshes,
            Kind.RESTORE: lambda: self.restores,
            Kind.RESOLVE: lambda: self.resolutions,
            Kind.MERGE: lambda: self.merges,
            Kind.VALIDATE: lambda: self.validations,
            Kind.APPLY: lambda: self.applications,
            Kind.UNAPPLY: lambda: self.applications,
            Kind.UNDO: lambda: self.taking_back,
            Kind.REDO: lambda: self.taking_back,
        }

    def of(self, kind: Kind) -> Act[Any]:
        """Returns what carries operations of a kind out."""
        return self._by_kind[kind]()

    @once
    def corrections(self) -> "CorrectionOperations":
        """Goes back to a decision."""
        from cleveragents.engine.correct.correction_operation import CorrectionOperations

        base, points = self._base, self._points
        return CorrectionOperations(
            base.database, base.sandboxes, points.rollback_reads, points.rollbacks
        )

    @once
    def refreshes(self) -> "Refreshes":
        """Merges the project into a sandbox."""
        from cleveragents.engine.bring.refresh import Refreshes

        base = self._base
        return Refreshes(base.database, base.sandboxes, self._points.placements, base.report)

    @once
    def restores(self) -> "Restores":
        """Takes single paths back."""
        from cleveragents.engine.back.restore import Restores

        base, points = self._base, self._points
        filter_ = points.policy.filter
        return Restores(base.database, base.sandboxes, points.placements, filter_, base.report)

    @once
    def resolutions(self) -> "Resolutions":
        """Resolves conflicts."""
        from cleveragents.engine.bring.resolution import Resolutions

        base, points = self._base, self._points
        return Resolutions(base.database, base.sandboxes, points.placements, points.policy.filter)

    @once
    def merges(self) -> "Merges":
        """Merges subplans into their parents."""
        from cleveragents.engine.run.merge import Merges

        base, points = self._base, self._points
        filter_ = points.policy.filter
        return Merges(base.database, base.sandboxes, points.placements, filter_, base.report)

    @once
    def validations(self) -> "Validations":
        """Runs what must pass before an apply."""
        from cleveragents.engine.bring.validate import Validations

        base, points = self._base, self._points
        return Validations(
            base.database,
            base.sandboxes,
            points.workplaces,
            points.commands,
            base.stopping,
            base.report,
        )

    @once
    def applications(self) -> "Applications":
        """Changes the project."""
        from cleveragents.engine.bring.application import Applications

        base, points = self._base, self._points
        return Applications(
            base.database,
            base.sandboxes,
            points.workplaces,
            base.project_locks,
            points.removals,
            base.cleanup,
            base.report,
        )

    @property
    def pruning(self) -> "Prunes":
        """Frees space."""
        return self._points.pruning

    @once
    def places(self) -> "LivePlaces":
        """Directories of users, as chats see them."""
        from cleveragents.engine.chat.coverage import CoveragePolicy
        from cleveragents.engine.chat.place import LivePlaces

        base, settings = self._base, self._base.settings
        policy = CoveragePolicy(
            settings.texts("chat.exclude"),
            settings.of_project_alone("chat.exclude"),
            settings.number("chat.ignored-files"),
            settings.size("chat.ignored-bytes"),
            settings.size("chat.max-file"),
            settings.number("chat.max-files"),
            settings.size("chat.max-bytes"),
        )
        return LivePlaces(base.database, base.sandboxes, base.project_locks, base.data, policy)

    @once
    def taking_back(self) -> "TakingBack":
        """Takes back what agents did in the user's directory."""
        from cleveragents.engine.chat.taking_back import TakingBack

        return TakingBack(self._base.database, self.places)
