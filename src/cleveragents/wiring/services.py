"""The services that act on plans; each holds the plan it acts on by itself."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from cleveragents.foundations import Foundations
from cleveragents.ids import PlanId
from cleveragents.once import once
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.plan import PlanRepository
from cleveragents.storage.held import Held
from cleveragents.wiring.acts import ActsOfPlans
from cleveragents.wiring.points import Points

if TYPE_CHECKING:
    from cleveragents.checkpoints.comparison import Comparisons
    from cleveragents.checkpoints.kept import KeptCheckpoints
    from cleveragents.checkpoints.service import CheckpointService
    from cleveragents.confinement.confinement import Confinement
    from cleveragents.engine.back.fork import ForkService
    from cleveragents.engine.back.restore import RestoreService
    from cleveragents.engine.bring.apply import ApplyPhase
    from cleveragents.engine.bring.conflicts import ConflictService
    from cleveragents.engine.bring.refresh import RefreshPhase
    from cleveragents.engine.care.cleanup import Cleanup
    from cleveragents.engine.care.deletion import PlanDeletions
    from cleveragents.engine.care.doctor import Doctor
    from cleveragents.engine.care.erasing import Erasures
    from cleveragents.engine.care.relocation import Relocations
    from cleveragents.engine.correct.append import AppendService
    from cleveragents.engine.correct.correction import CorrectionService
    from cleveragents.engine.correct.revert import ReversionService
    from cleveragents.engine.hold.moves import PlanMoves
    from cleveragents.engine.hold.ownership import Ownership
    from cleveragents.engine.read.bisect import Bisection
    from cleveragents.engine.read.history import History
    from cleveragents.engine.read.path_history import PathHistory
    from cleveragents.engine.read.previews import Previews
    from cleveragents.engine.read.status import StatusReader
    from cleveragents.engine.read.stored_files import StoredFiles
    from cleveragents.engine.read.tree import DecisionTree
    from cleveragents.engine.read.watching import Watching
    from cleveragents.engine.run.borders import StepBorders
    from cleveragents.engine.run.cancel import Cancellation
    from cleveragents.engine.run.conflicted import ConflictStop
    from cleveragents.engine.run.dispatch import Dispatcher, Work
    from cleveragents.engine.run.execute import ExecutePhase
    from cleveragents.engine.run.resume import Resumption
    from cleveragents.engine.run.strategist import Strategist
    from cleveragents.engine.run.strategize import StrategizePhase
    from cleveragents.engine.run.subplans import SubplanSteps
    from cleveragents.engine.session import Sessions
    from cleveragents.engine.undo.series import UndoSeries
    from cleveragents.engine.undo.service import UndoService
    from cleveragents.masking import Masking
    from cleveragents.plans.plan import Plan
    from cleveragents.sandbox.project import Project
    from cleveragents.wiring.chats import ChatServices


class Wiring:
    """Every service, made once, when it is asked for."""

    def __init__(
        self, base: Foundations, project: "Project", directory: Path | None = None
    ) -> None:
        """Makes none of them yet; chats may belong to a protected directory above the one here."""
        self._base = base
        self._project = project
        self._directory = directory  # None: the project was named
        self._points = Points(base, project)
        self._acts = ActsOfPlans(base, self._points)

    @property
    def confinement(self) -> "Confinement":
        """How what plans run is confined."""
        return self._points.confinement

    @once
    def ownership(self) -> "Ownership":
        """Who owns which plan, and taking it over."""
        from cleveragents.engine.hold.ownership import Ownership

        base = self._base
        return Ownership(
            base.database,
            base.plan_locks,
            base.sandboxes,
            self._acts.of,
            base.stopping,
            base.report,
        )

    @once
    def chats(self) -> "ChatServices":
        """What agents did in the user's directory."""
        from cleveragents.engine.chat.protection import Protection
        from cleveragents.wiring.chats import ChatServices

        above = Protection(self._base.data).root_above(self._directory) if self._directory else None
        project = above or self._project
        return ChatServices(
            self._base,
            project,
            self._acts,
            self.ownership,
            self._hold,
            lambda moved: self.relocations.move(moved, None),
        )

    @property
    def masking(self) -> "Masking":
        """Masks secrets."""
        return self._base.masking

    @property
    def kept(self) -> "KeptCheckpoints":
        """The checkpoints of plans as their rows tell."""
        return self._points.kept

    @once
    def checkpoints(self) -> "CheckpointService":
        """Points to come back to, and going back to them."""
        from cleveragents.checkpoints.service import CheckpointService

        base, points = self._base, self._points
        return CheckpointService(
            base.database, base.sandboxes, points.rollback_reads, points.acts, self._hold
        )

    @once
    def _strategist(self) -> "Strategist":
        from cleveragents.engine.run.strategist import Strategist

        return Strategist(self._points.commands, self._base.stopping)

    @once
    def strategize(self) -> "StrategizePhase":
        """Makes plans from actions."""
        from cleveragents.engine.run.strategize import StrategizePhase

        base = self._base
        return StrategizePhase(base.database, self._strategist, self._hold, base.report)

    @once
    def resumption(self) -> "Resumption":
        """Resumes plans that were interrupted."""
        from cleveragents.engine.run.reload import Reloads
        from cleveragents.engine.run.resume import Resumption

        base, points = self._base, self._points
        known = base.database, base.sandboxes, points.reads, points.acts
        reloads = Reloads(*known, base.report)
        return Resumption(
            base.database,
            points.reads,
            points.acts,
            self._conflict_stop,
            reloads,
            self.confinement,
            base.report,
        )

    @once
    def _moves(self) -> "PlanMoves":
        from cleveragents.engine.hold.moves import PlanMoves

        return PlanMoves(self._base.database, self._base.report)

    @once
    def cancellation(self) -> "Cancellation":
        """Stops plans."""
        from cleveragents.engine.run.cancel import Cancellation

        return Cancellation(
            self._moves, self._points.acts, self.resumption, self._base.stopping, self._hold
        )

    @once
    def _borders(self) -> "StepBorders":
        from cleveragents.engine.run.borders import StepBorders

        base, points = self._base, self._points
        return StepBorders(base.database, points.reads, points.acts, base.report)

    @once
    def execute(self) -> "ExecutePhase":
        """Runs plans; a kind of step is a line here."""
        from cleveragents.engine.run.attempt import StepAttempts
        from cleveragents.engine.run.decide import DecideSteps
        from cleveragents.engine.run.execute import AnyStepKind, ExecutePhase
        from cleveragents.engine.run.tool_step import ToolSteps
        from cleveragents.plans.step import AnyStep, DecideStep, SubplansStep, ToolStep

        base, points, borders = self._base, self._points, self._borders
        attempts = StepAttempts(base.database, points.commands, base.stopping, base.report)
        kinds: dict[type[AnyStep], AnyStepKind] = {
            ToolStep: ToolSteps(points.reads, points.acts, attempts, borders),
            DecideStep: DecideSteps(base.database, points.acts, attempts, borders, base.report),
            SubplansStep: self.subplans,
        }
        return ExecutePhase(
            self._moves,
            base.sandboxes,
            points.acts,
            kinds,
            self.resumption,
            self.cancellation,
            self._hold,
        )

    @once
    def _conflict_stop(self) -> "ConflictStop":
        from cleveragents.engine.run.conflicted import ConflictStop

        return ConflictStop(self._base.database, is_on=self._base.stops_on_conflict)

    @once
    def subplans(self) -> "SubplanSteps":
        """Runs the subplans of a step."""
        from cleveragents.engine.run.subplans import Runner, SubplanSteps

        base, points = self._base, self._points
        return SubplanSteps(
            base.database,
            base.sandboxes,
            points.acts,
            self._borders,
            self._acts.merges,
            Runner(
                self._run_plan,
                self._hold,
                _in_threads,
                base.stopping,
                self._conflict_stop,
            ),
            base.report,
        )

    def _run_plan(self, plan_id: PlanId) -> "Plan":
        """Late: what runs subplans is a part of what runs plans."""
        return self.execute.run(plan_id)

    @once
    def sessions(self) -> "Sessions":
        """Takes the steps of a plan one by one."""
        from cleveragents.engine.session import Services, Sessions

        base, points = self._base, self._points
        services = Services(
            base.database,
            base.sandboxes,
            self.execute,
            self._moves,
            points.reads,
            points.acts,
            self.comparisons,
            self._conflict_stop,
        )
        return Sessions(services, self._hold)

    @once
    def apply(self) -> "ApplyPhase":
        """Brings results into the project, and takes them out again."""
        from cleveragents.engine.bring.apply import ApplyPhase
        from cleveragents.engine.bring.proposal import Proposals

        base, acts = self._base, self._acts
        return ApplyPhase(
            base.database,
            base.sandboxes,
            self._points.acts,
            Proposals(base.database, base.sandboxes),
            acts.validations,
            acts.applications,
            self._hold,
        )

    @once
    def corrections(self) -> "CorrectionService":
        """Goes back to a decision and decides again."""
        from cleveragents.engine.correct.correction import CorrectionService

        points = self._points
        return CorrectionService(
            self._base.database,
            points.acts,
            points.rollback_reads,
            self._acts.corrections,
            self._hold,
        )

    @once
    def fixes(self) -> "AppendService":
        """Corrects a decision with a subplan that comes after it."""
        from cleveragents.engine.correct.append import AppendService

        return AppendService(self._base.database, self._points.acts, self._hold)

    @once
    def reversions(self) -> "ReversionService":
        """Plans anew from the start."""
        from cleveragents.engine.correct.revert import ReversionService

        base, points = self._base, self._points
        return ReversionService(
            base.database,
            base.sandboxes,
            points.reads,
            points.acts,
            points.rollbacks,
            self._strategist,
            self._hold,
        )

    @once
    def undo(self) -> "UndoService":
        """Takes back what was done last, and does it again."""
        from cleveragents.engine.undo.deeds import DeedReader
        from cleveragents.engine.undo.reversals import table
        from cleveragents.engine.undo.service import UndoService

        base, points = self._base, self._points
        reader = DeedReader(base.database, base.plan_locks.is_owned, self._project)
        ways = table(base.database, points.reads, points.acts, self.apply)
        return UndoService(base.database, reader, ways, self._hold)

    @once
    def undo_series(self) -> "UndoSeries":
        """Takes back one of the acts and everything newer."""
        from cleveragents.engine.undo.reversals import ToCheckpoint, before
        from cleveragents.engine.undo.series import SeriesLook, UndoSeries

        base, points = self._base, self._points
        back = ToCheckpoint(base.database, points.reads, points.acts, before)
        look = SeriesLook(base.database, base.sandboxes, points.reads, back)
        return UndoSeries(self.undo, look)

    @once
    def forks(self) -> "ForkService":
        """Makes a second plan that goes on from a checkpoint."""
        from cleveragents.engine.back.fork import ForkService

        base = self._base
        return ForkService(base.database, base.sandboxes, self._points.rollback_reads, self._hold)

    @once
    def refresh(self) -> "RefreshPhase":
        """Brings a sandbox up to the project."""
        from cleveragents.engine.bring.refresh import RefreshPhase

        acts = self._acts
        return RefreshPhase(self._base.database, acts.refreshes, self._points.acts, self._hold)

    @once
    def restore(self) -> "RestoreService":
        """Takes single paths back."""
        from cleveragents.engine.back.restore import RestoreService

        acts = self._acts
        return RestoreService(self._base.database, acts.restores, self._points.acts, self._hold)

    @once
    def conflicts(self) -> "ConflictService":
        """Conflicts."""
        from cleveragents.engine.bring.conflicts import ConflictService
        from cleveragents.engine.bring.versions import ConflictVersions

        base = self._base
        return ConflictService(
            base.database,
            self._acts.resolutions,
            ConflictVersions(base.sandboxes),
            self._points.acts,
            self._hold,
        )

    @once
    def comparisons(self) -> "Comparisons":
        """Differences between states of a plan."""
        from cleveragents.checkpoints.comparison import Comparisons

        return Comparisons(self._base.sandboxes)

    @once
    def status(self) -> "StatusReader":
        """Where a plan stands."""
        from cleveragents.engine.read.status import StatusReader

        base = self._base
        return StatusReader(
            base.database,
            base.sandboxes,
            self.comparisons,
            base.plan_locks.is_owned,
            stops_on_conflict=base.stops_on_conflict,
        )

    @once
    def previews(self) -> "Previews":
        """The facts that previews begin with."""
        from cleveragents.engine.read.previews import Previews

        return Previews(self._base.database, self._base.plan_locks.is_owned)

    @once
    def tree(self) -> "DecisionTree":
        """The decisions of a plan."""
        from cleveragents.engine.read.tree import DecisionTree

        return DecisionTree(self._base.database, self._base.plan_locks.is_owned)

    @once
    def history(self) -> "History":
        """The story of a plan."""
        from cleveragents.engine.read.history import History

        return History(self._base.database, self._base.masking)

    @once
    def files(self) -> "StoredFiles":
        """Single files of checkpoints."""
        from cleveragents.engine.read.stored_files import StoredFiles

        return StoredFiles(self._base.sandboxes)

    @once
    def paths(self) -> "PathHistory":
        """Where paths changed."""
        from cleveragents.engine.read.path_history import PathHistory

        return PathHistory(self._base.database, self._base.sandboxes)

    @once
    def watching(self) -> "Watching":
        """Follows plans that other processes run."""
        from cleveragents.engine.read.watching import Watching

        base = self._base
        return Watching(base.database, base.plan_locks.is_owned, base.report)

    @once
    def bisection(self) -> "Bisection":
        """Finds the checkpoint from which on a command fails."""
        from cleveragents.engine.read.bisect import Bisection

        base = self._base
        return Bisection(base.database, base.sandboxes, self._points.commands, base.report)

    @once
    def cleanup(self) -> "Cleanup":
        """Removes what is not needed any more."""
        from cleveragents.engine.care.cleanup import Cleanup

        base = self._base
        return Cleanup(base.cleanup, base.sandboxes, self._points.removals, self._hold, base.report)

    @once
    def deletions(self) -> "PlanDeletions":
        """Deletes plans."""
        from cleveragents.engine.care.deletion import PlanDeletions

        base = self._base
        return PlanDeletions(
            base.database,
            base.sandboxes,
            self._points.pruning,
            base.plan_locks.is_owned,
            self._hold,
            base.output,
            base.report,
        )

    @once
    def erasures(self) -> "Erasures":
        """Lets go of paths."""
        from cleveragents.engine.care.erasing import Erasures
        from cleveragents.engine.care.erasure import ErasureSearch

        base, pruning = self._base, self._points.pruning
        return Erasures(
            base.database,
            base.sandboxes,
            pruning,
            base.project_locks,
            base.plan_locks.is_owned,
            self._hold,
            ErasureSearch(base.database, base.sandboxes, pruning, self._project),
        )

    @once
    def relocations(self) -> "Relocations":
        """Lets plans follow a project that was moved."""
        from cleveragents.engine.care.relocation import Relocations

        base = self._base
        return Relocations(
            base.database, base.project_locks, base.plan_locks.is_owned, base.head.advance
        )

    @once
    def doctor(self) -> "Doctor":
        """Finds what is wrong with what is kept, and mends it."""
        from cleveragents.engine.care.doctor import Doctor
        from cleveragents.engine.care.examination import Examination
        from cleveragents.engine.care.repair import Repairs

        base, pruning = self._base, self._points.pruning
        database, sandboxes, owners = base.database, base.sandboxes, self.ownership
        return Doctor(
            Examination(
                database, sandboxes, pruning, owners, base.head, base.data, self.confinement
            ),
            Repairs(database, sandboxes, pruning, owners, base.head),
        )

    def recover(self, plan_id: PlanId) -> Sequence[AnyOperation]:
        """Finishes what was left open; returns what that was."""
        with self._base.database.reading() as connection:
            PlanRepository(connection).get(plan_id)  # refuses a plan that there is not
            begun = OperationRepository(connection).unfinished(plan_id)
        with self._hold(plan_id, "finishing what was interrupted", files=False):
            return begun

    def _hold(
        self, plan_id: PlanId, doing: str, *, files: bool = True
    ) -> AbstractContextManager[Held]:
        """Holds a plan, if anything may be changed at all."""
        self._base.head.advance()
        return self.ownership.hold(plan_id, doing, files=files)


def _in_threads(most: int, work: "Work[Plan]") -> "Dispatcher[Plan]":
    from cleveragents.engine.run.threads import ThreadDispatcher

    return ThreadDispatcher(most, work)
