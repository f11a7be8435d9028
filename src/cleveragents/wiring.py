"""Builds every service once, in plain sight."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from cleveragents.checkpoints.comparison import Comparisons
from cleveragents.checkpoints.operations import Operation, OperationRepository
from cleveragents.checkpoints.pruning import Pruning
from cleveragents.checkpoints.removal import Removals
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.rollback import Rollbacks
from cleveragents.checkpoints.saving import CheckpointPolicy, Saving
from cleveragents.checkpoints.service import CheckpointService
from cleveragents.checkpoints.triggers import Trigger
from cleveragents.checkpoints.undo import Undoing
from cleveragents.config.levels import (
    Settings,
)
from cleveragents.engine.append import AppendService
from cleveragents.engine.application import Applications
from cleveragents.engine.apply import ApplyPhase
from cleveragents.engine.attempt import StepAttempts
from cleveragents.engine.bisect import Bisection
from cleveragents.engine.borders import StepBorders
from cleveragents.engine.cancel import Cancellation
from cleveragents.engine.cleanup import Cleanup
from cleveragents.engine.conflicts import ConflictService
from cleveragents.engine.correct import CorrectionService
from cleveragents.engine.correction_operation import CorrectionOperations
from cleveragents.engine.decide import DecideSteps
from cleveragents.engine.dispatch import ThreadDispatcher
from cleveragents.engine.doctor.doctor import Doctor
from cleveragents.engine.doctor.examination import Examination
from cleveragents.engine.doctor.repair import Repairs
from cleveragents.engine.execute import AnyStepKind, ExecutePhase
from cleveragents.engine.fork import ForkService
from cleveragents.engine.history import History
from cleveragents.engine.meanwhile import Meanwhile
from cleveragents.engine.merge import Merges
from cleveragents.engine.moves import PlanMoves
from cleveragents.engine.proposal import Proposals
from cleveragents.engine.recover import Finishers, Ownership
from cleveragents.engine.refresh import Refreshes, RefreshPhase
from cleveragents.engine.resolution import Resolutions
from cleveragents.engine.restore import Restores, RestoreService
from cleveragents.engine.resume import Resumption
from cleveragents.engine.revert import ReversionService
from cleveragents.engine.session import Services, Sessions
from cleveragents.engine.strategist import Strategist
from cleveragents.engine.strategize import StrategizePhase
from cleveragents.engine.subplans import Runner, SubplanSteps
from cleveragents.engine.tool_step import ToolSteps
from cleveragents.engine.tree import DecisionTree
from cleveragents.engine.validate import Validations
from cleveragents.foundations import Foundations
from cleveragents.plans.step import AnyStep, DecideStep, SubplansStep, ToolStep
from cleveragents.snapshots.filter import Filter


class Wiring:
    """The services that act; to make them imports all of the engine."""

    def __init__(self, base: Foundations, comparisons: Comparisons) -> None:
        self._head = base.head
        self._database = base.database
        policy = _checkpoint_policy(base.settings)
        pruning = Pruning(base.database, base.sandboxes, policy.retention, base.report)
        saving = Saving(base.database, base.sandboxes, pruning, policy.filter, base.report)
        self._removals = Removals(base.database, base.sandboxes, saving, policy.filter)
        finishers = _finishers(base, policy, pruning, self._removals)
        meanwhile = Meanwhile(base.database, base.sandboxes, saving)
        self.ownership = Ownership(
            base.database, base.plan_locks, base.sandboxes, finishers, meanwhile, base.report
        )
        self.checkpoints = CheckpointService(
            base.database,
            base.sandboxes,
            saving,
            finishers.rollbacks,
            pruning,
            policy,
            self._own,
        )
        strategist = Strategist(base.environment, base.output, base.stopping)
        self._add_phases(base, finishers, strategist)
        self._add_corrections(base, finishers, strategist)
        self._add_readers(base)
        self._add_sessions(base, comparisons)
        self._add_care(base, finishers)

    def _add_phases(self, base: Foundations, finishers: Finishers, strategist: Strategist) -> None:
        """Builds what makes plans, runs them and brings their results into the project."""
        database, sandboxes, report = base.database, base.sandboxes, base.report
        own, checkpoints = self._own, self.checkpoints
        self.strategize = StrategizePhase(database, strategist, own, report)
        self.resumption = Resumption(database, checkpoints, report)
        moves = PlanMoves(database, report)
        self.cancellation = Cancellation(moves, checkpoints, self.resumption, base.stopping, own)
        attempts = StepAttempts(database, base.environment, base.output, base.stopping, report)
        borders = StepBorders(database, checkpoints, report)
        kinds: dict[type[AnyStep], AnyStepKind] = {
            ToolStep: ToolSteps(checkpoints, attempts, borders),
            DecideStep: DecideSteps(database, checkpoints, attempts, borders, report),
        }
        self.execute = ExecutePhase(
            moves, sandboxes, checkpoints, kinds, self.resumption, self.cancellation, own
        )
        kinds[SubplansStep] = self.subplans = SubplanSteps(  # here: it executes plans itself
            database,
            sandboxes,
            checkpoints,
            borders,
            finishers.merges,
            Runner(self.execute.run, own, ThreadDispatcher, base.stopping),
            report,
        )
        self.apply = ApplyPhase(
            database,
            sandboxes,
            checkpoints,
            Proposals(database, sandboxes),
            finishers.validations,
            finishers.applications,
            own,
        )

    def _add_corrections(
        self, base: Foundations, finishers: Finishers, strategist: Strategist
    ) -> None:
        """Builds what decides again, or beside, and what changes single files."""
        database, sandboxes, rollbacks = base.database, base.sandboxes, finishers.rollbacks
        own, checkpoints = self._own, self.checkpoints
        self.corrections = CorrectionService(
            database, checkpoints, rollbacks, finishers.corrections, own
        )
        self.fixes = AppendService(database, checkpoints, own)
        self.reversions = ReversionService(
            database, sandboxes, checkpoints, rollbacks, strategist, own
        )
        self.forks = ForkService(database, sandboxes, rollbacks)
        self.refresh = RefreshPhase(database, finishers.refreshes, checkpoints, own)
        self.restore = RestoreService(database, finishers.restores, checkpoints, own)
        self.conflicts = ConflictService(database, finishers.resolutions, checkpoints, own)

    def _add_readers(self, base: Foundations) -> None:
        """Builds what only looks."""
        self.tree = DecisionTree(base.database, base.plan_locks.is_owned)
        self.history = History(base.database)
        self.bisection = Bisection(base.database, base.sandboxes, base.environment, base.report)

    def _add_sessions(self, base: Foundations, comparisons: Comparisons) -> None:
        """Builds what takes the steps of a plan one by one."""
        services = Services(
            base.database,
            base.sandboxes,
            self.execute,
            PlanMoves(base.database, base.report),
            self.checkpoints,
            comparisons,
        )
        self.sessions = Sessions(services, self._own)

    def _add_care(self, base: Foundations, finishers: Finishers) -> None:
        """Builds what looks after what is kept."""
        database, sandboxes, pruning = base.database, base.sandboxes, finishers.pruning
        self.cleanup = Cleanup(
            _cleanup(base.settings), sandboxes, self._removals, self._own, base.report
        )
        self.doctor = Doctor(
            Examination(database, sandboxes, pruning, self.ownership, base.head, base.data),
            Repairs(database, sandboxes, pruning, self.ownership, base.head),
        )

    def settle(self, plan_id: str) -> Sequence[Operation]:
        """Finishes what was left open; returns what that was."""
        with self._database.reading() as connection:
            begun = OperationRepository(connection).unfinished(plan_id)
        with self._own(plan_id, "finishing what was interrupted", files=False):
            return begun

    def _own(self, plan_id: str, doing: str, *, files: bool = True) -> AbstractContextManager[None]:
        """Owns a plan, if anything may be changed at all."""
        self._head.advance()
        return self.ownership.own(plan_id, doing, files=files)


def _finishers(
    base: Foundations, policy: CheckpointPolicy, pruning: Pruning, removals: Removals
) -> Finishers:
    """Builds whatever opens operations, and so can finish them after a crash."""
    database, sandboxes, report = base.database, base.sandboxes, base.report
    undoing = Undoing(database, base.environment, base.output, report)
    rollbacks = Rollbacks(database, sandboxes, undoing, report)
    return Finishers(
        rollbacks=rollbacks,
        corrections=CorrectionOperations(database, sandboxes, rollbacks),
        pruning=pruning,
        refreshes=Refreshes(database, sandboxes, report),
        restores=Restores(database, sandboxes, policy.filter, report),
        resolutions=Resolutions(database, sandboxes, policy.filter),
        merges=Merges(database, sandboxes, policy.filter, report),
        validations=Validations(
            database, sandboxes, base.environment, base.output, base.stopping, report
        ),
        applications=Applications(
            database, sandboxes, base.project_locks, removals, _cleanup(base.settings), report
        ),
    )


def _cleanup(settings: Settings) -> str:
    return settings.text("sandbox.cleanup")


def _checkpoint_policy(settings: Settings) -> CheckpointPolicy:
    return CheckpointPolicy(
        frozenset(map(Trigger, settings.texts("sandbox.checkpoint.auto-create-on"))),
        Filter.of(settings.texts("sandbox.checkpoint.exclude")),
        CheckpointRetentionPolicy(settings.number("sandbox.checkpoint.max-checkpoints-per-plan")),
    )
