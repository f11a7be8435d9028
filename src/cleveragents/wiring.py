"""Builds every service once, in plain sight."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from cleveragents.checkpoints.comparison import Comparisons
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.rollback import RollbackReads
from cleveragents.checkpoints.saving import CheckpointPolicy
from cleveragents.checkpoints.service import CheckpointService
from cleveragents.checkpoints.triggers import Trigger
from cleveragents.config.levels import (
    Settings,
)
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.back.fork import ForkService
from cleveragents.engine.back.placing import Placements
from cleveragents.engine.back.pruning import Prunes
from cleveragents.engine.back.removal import Removals
from cleveragents.engine.back.restore import Restores, RestoreService
from cleveragents.engine.back.rollback import Rollbacks
from cleveragents.engine.back.saving import Saves
from cleveragents.engine.back.undoing import UndoCalls
from cleveragents.engine.back.workplaces import Workplaces
from cleveragents.engine.bring.application import Applications
from cleveragents.engine.bring.apply import ApplyPhase
from cleveragents.engine.bring.conflicts import ConflictService
from cleveragents.engine.bring.proposal import Proposals
from cleveragents.engine.bring.refresh import Refreshes, RefreshPhase
from cleveragents.engine.bring.resolution import Resolutions
from cleveragents.engine.bring.validate import Validations
from cleveragents.engine.care.cleanup import Cleanup
from cleveragents.engine.care.doctor import Doctor
from cleveragents.engine.care.examination import Examination
from cleveragents.engine.care.repair import Repairs
from cleveragents.engine.correct.append import AppendService
from cleveragents.engine.correct.correction import CorrectionService
from cleveragents.engine.correct.correction_operation import CorrectionOperations
from cleveragents.engine.correct.revert import ReversionService
from cleveragents.engine.hold.moves import PlanMoves
from cleveragents.engine.hold.ownership import Ownership
from cleveragents.engine.read.bisect import Bisection
from cleveragents.engine.read.history import History
from cleveragents.engine.read.tree import DecisionTree
from cleveragents.engine.run.attempt import StepAttempts
from cleveragents.engine.run.borders import StepBorders
from cleveragents.engine.run.cancel import Cancellation
from cleveragents.engine.run.decide import DecideSteps
from cleveragents.engine.run.dispatch import ThreadDispatcher
from cleveragents.engine.run.execute import AnyStepKind, ExecutePhase
from cleveragents.engine.run.merge import Merges
from cleveragents.engine.run.resume import Resumption
from cleveragents.engine.run.strategist import Strategist
from cleveragents.engine.run.strategize import StrategizePhase
from cleveragents.engine.run.subplans import Runner, SubplanSteps
from cleveragents.engine.run.tool_step import ToolSteps
from cleveragents.engine.session import Services, Sessions
from cleveragents.foundations import Foundations
from cleveragents.ids import PlanId
from cleveragents.operations.act import Acts
from cleveragents.operations.kind import Kind
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.step import AnyStep, DecideStep, SubplansStep, ToolStep
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.storage.held import Held
from cleveragents.tools.commands import Commands


@dataclass(frozen=True)
class ActsOfPlans:
    """Whatever opens operations, and so knows how to finish them."""

    rollbacks: Rollbacks
    corrections: CorrectionOperations
    pruning: Prunes
    refreshes: Refreshes
    restores: Restores
    resolutions: Resolutions
    merges: Merges
    validations: Validations
    applications: Applications

    @property
    def by_kind(self) -> Acts:
        """The one table that recovery goes by."""
        return {
            Kind.ROLLBACK: self.rollbacks,
            Kind.REVERT: self.rollbacks,
            Kind.CORRECT: self.corrections,
            Kind.PRUNE: self.pruning,
            Kind.REFRESH: self.refreshes,
            Kind.RESTORE: self.restores,
            Kind.RESOLVE: self.resolutions,
            Kind.MERGE: self.merges,
            Kind.VALIDATE: self.validations,
            Kind.APPLY: self.applications,
            Kind.UNAPPLY: self.applications,
        }


class Wiring:
    """The services that act; to make them imports all of the engine."""

    def __init__(self, base: Foundations, comparisons: Comparisons) -> None:
        self._head = base.head
        self._database = base.database
        self._commands = Commands(base.environment, base.output)
        policy = _checkpoint_policy(base.settings)
        pruning = Prunes(base.database, base.sandboxes, policy.retention, base.report)
        saving = Saves(base.database, base.sandboxes, pruning, policy, base.report)
        workplaces = Workplaces(base.sandboxes, saving, base.report)
        self._removals = Removals(base.database, base.sandboxes, workplaces, saving, policy.filter)
        self._rollback_reads = RollbackReads(base.database, base.sandboxes)
        placements = Placements(base.database, base.sandboxes, workplaces, saving, base.report)
        acts = self._make_acts(base, policy, workplaces, placements, pruning)
        self.ownership = Ownership(
            base.database, base.plan_locks, base.sandboxes, acts.by_kind, base.report
        )
        database, sandboxes, reads = base.database, base.sandboxes, self._rollback_reads
        self._reads = CheckpointReads(database, sandboxes, reads, policy.retention)
        self._acts = CheckpointActs(
            database, sandboxes, self._reads, workplaces, saving, acts.rollbacks, pruning
        )
        self.checkpoints = CheckpointService(database, sandboxes, reads, self._acts, self._hold)
        strategist = Strategist(self._commands, base.stopping)
        self._add_phases(base, acts, strategist)
        self._add_corrections(base, acts, strategist)
        self._add_readers(base)
        self._add_sessions(base, comparisons)
        self._add_care(base, acts)

    def _make_acts(
        self,
        base: Foundations,
        policy: CheckpointPolicy,
        workplaces: Workplaces,
        placing: Placements,
        pruning: Prunes,
    ) -> ActsOfPlans:
        """Builds whatever opens operations, and so can finish them after a crash."""
        database, sandboxes, report = base.database, base.sandboxes, base.report
        commands, filter_, reads = self._commands, policy.filter, self._rollback_reads
        undoing = UndoCalls(database, commands, report)
        rollbacks = Rollbacks(database, reads, workplaces, undoing, report)
        return ActsOfPlans(
            rollbacks=rollbacks,
            corrections=CorrectionOperations(database, sandboxes, reads, rollbacks),
            pruning=pruning,
            refreshes=Refreshes(database, sandboxes, placing, report),
            restores=Restores(database, sandboxes, placing, filter_, report),
            resolutions=Resolutions(database, sandboxes, placing, filter_),
            merges=Merges(database, sandboxes, placing, filter_, report),
            validations=Validations(
                database, sandboxes, workplaces, commands, base.stopping, report
            ),
            applications=Applications(
                database,
                sandboxes,
                workplaces,
                base.project_locks,
                self._removals,
                _cleanup(base.settings),
                report,
            ),
        )

    def _add_phases(self, base: Foundations, acts: ActsOfPlans, strategist: Strategist) -> None:
        """Builds what makes plans, runs them and brings their results into the project."""
        database, sandboxes, report = base.database, base.sandboxes, base.report
        hold, reads, checkpoints = self._hold, self._reads, self._acts
        self.strategize = StrategizePhase(database, strategist, hold, report)
        self.resumption = Resumption(database, reads, checkpoints, report)
        moves = PlanMoves(database, report)
        self.cancellation = Cancellation(moves, checkpoints, self.resumption, base.stopping, hold)
        attempts = StepAttempts(database, self._commands, base.stopping, report)
        borders = StepBorders(database, reads, checkpoints, report)
        kinds: dict[type[AnyStep], AnyStepKind] = {
            ToolStep: ToolSteps(reads, checkpoints, attempts, borders),
            DecideStep: DecideSteps(database, checkpoints, attempts, borders, report),
        }
        self.execute = ExecutePhase(
            moves, sandboxes, checkpoints, kinds, self.resumption, self.cancellation, hold
        )
        kinds[SubplansStep] = self.subplans = SubplanSteps(  # here: it executes plans itself
            database,
            sandboxes,
            checkpoints,
            borders,
            acts.merges,
            Runner(self.execute.run, hold, ThreadDispatcher, base.stopping),
            report,
        )
        self.apply = ApplyPhase(
            database,
            sandboxes,
            checkpoints,
            Proposals(database, sandboxes),
            acts.validations,
            acts.applications,
            hold,
        )

    def _add_corrections(
        self, base: Foundations, acts: ActsOfPlans, strategist: Strategist
    ) -> None:
        """Builds what decides again, or beside, and what changes single files."""
        database, sandboxes, reads = base.database, base.sandboxes, self._rollback_reads
        hold, checkpoints = self._hold, self._acts
        self.corrections = CorrectionService(database, checkpoints, reads, acts.corrections, hold)
        self.fixes = AppendService(database, checkpoints, hold)
        self.reversions = ReversionService(
            database, sandboxes, self._reads, checkpoints, acts.rollbacks, strategist, hold
        )
        self.forks = ForkService(database, sandboxes, reads, hold)
        self.refresh = RefreshPhase(database, acts.refreshes, checkpoints, hold)
        self.restore = RestoreService(database, acts.restores, checkpoints, hold)
        self.conflicts = ConflictService(database, acts.resolutions, checkpoints, hold)

    def _add_readers(self, base: Foundations) -> None:
        """Builds what only looks."""
        self.tree = DecisionTree(base.database, base.plan_locks.is_owned)
        self.history = History(base.database)
        self.bisection = Bisection(base.database, base.sandboxes, self._commands, base.report)

    def _add_sessions(self, base: Foundations, comparisons: Comparisons) -> None:
        """Builds what takes the steps of a plan one by one."""
        services = Services(
            base.database,
            base.sandboxes,
            self.execute,
            PlanMoves(base.database, base.report),
            self._reads,
            self._acts,
            comparisons,
        )
        self.sessions = Sessions(services, self._hold)

    def _add_care(self, base: Foundations, acts: ActsOfPlans) -> None:
        """Builds what looks after what is kept."""
        database, sandboxes, pruning = base.database, base.sandboxes, acts.pruning
        self.cleanup = Cleanup(
            _cleanup(base.settings), sandboxes, self._removals, self._hold, base.report
        )
        self.doctor = Doctor(
            Examination(database, sandboxes, pruning, self.ownership, base.head, base.data),
            Repairs(database, sandboxes, pruning, self.ownership, base.head),
        )

    def recover(self, plan_id: PlanId) -> Sequence[AnyOperation]:
        """Finishes what was left open; returns what that was."""
        with self._database.reading() as connection:
            begun = OperationRepository(connection).unfinished(plan_id)
        with self._hold(plan_id, "finishing what was interrupted", files=False):
            return begun

    def _hold(
        self, plan_id: PlanId, doing: str, *, files: bool = True
    ) -> AbstractContextManager[Held]:
        """Holds a plan, if anything may be changed at all."""
        self._head.advance()
        return self.ownership.hold(plan_id, doing, files=files)


def _cleanup(settings: Settings) -> str:
    return settings.text("sandbox.cleanup")


def _checkpoint_policy(settings: Settings) -> CheckpointPolicy:
    return CheckpointPolicy(
        frozenset(map(Trigger, settings.texts("sandbox.checkpoint.auto-create-on"))),
        Filter.of(settings.texts("sandbox.checkpoint.exclude")),
        CheckpointRetentionPolicy(settings.number("sandbox.checkpoint.max-checkpoints-per-plan")),
    )
