"""The application: opens storage and builds every service once, in plain sight."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.comparison import Comparisons
from cleveragents.checkpoints.pruning import Pruning
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.rollback import Rollbacks
from cleveragents.checkpoints.saving import CheckpointPolicy, Saving
from cleveragents.checkpoints.service import CheckpointService
from cleveragents.checkpoints.triggers import Trigger
from cleveragents.checkpoints.undo import Undoing
from cleveragents.config.levels import (
    Settings,
    Sources,
    caller_environment,
    default_data_dir,
    home,
    load,
)
from cleveragents.engine.append import AppendService
from cleveragents.engine.application import Applications
from cleveragents.engine.apply import ApplyPhase
from cleveragents.engine.attempt import StepAttempts
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
from cleveragents.engine.merge import Merges
from cleveragents.engine.moves import PlanMoves
from cleveragents.engine.proposal import Proposals
from cleveragents.engine.recover import Finishers, Ownership
from cleveragents.engine.refresh import Refreshes, RefreshPhase
from cleveragents.engine.resume import Resumption
from cleveragents.engine.revert import ReversionService
from cleveragents.engine.status import PlanReader
from cleveragents.engine.stopping import Stopping
from cleveragents.engine.strategist import Strategist
from cleveragents.engine.strategize import StrategizePhase
from cleveragents.engine.subplans import Runner, SubplanSteps
from cleveragents.engine.tool_step import ToolSteps
from cleveragents.engine.tree import DecisionTree
from cleveragents.engine.validate import Validations
from cleveragents.errors import Failed
from cleveragents.events import Note, Reporter, in_turn, silent
from cleveragents.plans.plan import Plan
from cleveragents.plans.step import AnyStep, DecideStep, SubplansStep, ToolStep
from cleveragents.sandbox.process import StepEnvironment
from cleveragents.sandbox.project import locate, refuse_overlap
from cleveragents.sandbox.sandbox import SandboxPolicy
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.filter import Filter
from cleveragents.snapshots.tracker import Tracking
from cleveragents.storage.database import Database
from cleveragents.storage.head import Head
from cleveragents.storage.lock import Locks
from cleveragents.storage.place import ELSEWHERE, make_durably, refuse_network
from cleveragents.storage.request import CancelRequests


class App:
    """Everything the surfaces use, for one project and one data directory."""

    def __init__(
        self,
        project: Path | None = None,
        *,
        data_dir: Path | None = None,
        config_path: Path | None = None,
        flags: Sequence[str] = (),
        report: Reporter = silent,
    ) -> None:
        report = in_turn(report)
        caller = caller_environment()
        data = (data_dir or default_data_dir(caller)).absolute()
        self.project = locate(project, Path.cwd(), home(caller))
        refuse_overlap(self.project, data)
        self.settings = settings = load(Sources.of(self.project.path, config_path, flags, caller))
        database, self._head = _opened(data)
        project_locks = Locks(data / "locks", "project")
        sandboxes = Sandboxes(
            database,
            data,
            project_locks,
            _sandbox_policy(settings),
            Tracking(settings.text("sandbox.checkpoint.tracking")),
            lambda text: report(Note("", text)),
        )
        policy = _checkpoint_policy(settings)
        environment = StepEnvironment(caller, settings.texts("sandbox.pass-env"))
        rollbacks = Rollbacks(
            database, sandboxes, Undoing(database, environment, data / "output", report), report
        )
        pruning = Pruning(database, sandboxes, policy.retention, report)
        refreshes = Refreshes(database, sandboxes, report)
        merges = Merges(database, sandboxes, policy.filter, report)
        corrections = CorrectionOperations(database, sandboxes, rollbacks)
        self.stopping = Stopping(CancelRequests(data / "locks"))
        validations = Validations(
            database, sandboxes, environment, data / "output", self.stopping, report
        )
        cleanup = settings.text("sandbox.cleanup")
        applications = Applications(database, sandboxes, project_locks, cleanup, report)
        self.ownership = ownership = Ownership(
            database,
            Locks(data / "locks", "plan"),
            Finishers(
                rollbacks, corrections, pruning, refreshes, merges, validations, applications
            ),
            report,
        )
        self.checkpoints = CheckpointService(
            database,
            sandboxes,
            Saving(database, sandboxes, policy.filter, report),
            rollbacks,
            pruning,
            policy,
            self._own,
        )
        attempts = StepAttempts(database, environment, data / "output", self.stopping, report)
        borders = StepBorders(database, self.checkpoints, report)
        kinds: dict[type[AnyStep], AnyStepKind] = {
            ToolStep: ToolSteps(self.checkpoints, attempts, borders),
            DecideStep: DecideSteps(database, self.checkpoints, attempts, borders, report),
        }
        strategist = Strategist(environment, data / "output", self.stopping)
        self.strategize = StrategizePhase(database, strategist, self._own, report)
        self.resumption = Resumption(database, self.checkpoints, report)
        moves = PlanMoves(database, report)
        self.cancellation = Cancellation(
            moves, self.checkpoints, self.resumption, self.stopping, self._own
        )
        self.execute = ExecutePhase(
            moves,
            sandboxes,
            self.checkpoints,
            kinds,
            self.resumption,
            self.cancellation,
            self._own,
        )
        kinds[SubplansStep] = self.subplans = SubplanSteps(  # here: it executes plans itself
            database,
            sandboxes,
            self.checkpoints,
            borders,
            merges,
            Runner(self.execute.run, self._own, ThreadDispatcher, self.stopping),
            report,
        )
        self.refresh = RefreshPhase(database, refreshes, self.checkpoints, self._own)
        self.conflicts = ConflictService(database, sandboxes, self.checkpoints, self._own)
        self._add_corrections(database, sandboxes, rollbacks, corrections, strategist)
        self.cleanup = Cleanup(cleanup, sandboxes, self.checkpoints, self._own)
        self.apply = ApplyPhase(
            database,
            sandboxes,
            self.checkpoints,
            Proposals(database, sandboxes),
            validations,
            applications,
            self._own,
        )
        self._add_readers(database, sandboxes)
        self.doctor = Doctor(
            Examination(database, sandboxes, pruning, ownership, self._head, data),
            Repairs(database, sandboxes, pruning, ownership, self._head),
        )

    def _add_readers(self, database: Database, sandboxes: Sandboxes) -> None:
        """Builds what only looks."""
        is_owned = self.ownership.is_owned
        self.tree = DecisionTree(database, is_owned)
        self.history = History(database)
        self.comparisons = Comparisons(sandboxes)
        self.plans = PlanReader(database, sandboxes, self.comparisons, is_owned, self.project)

    def _add_corrections(
        self,
        database: Database,
        sandboxes: Sandboxes,
        rollbacks: Rollbacks,
        corrections: CorrectionOperations,
        strategist: Strategist,
    ) -> None:
        """Builds what decides again, or beside."""
        own, checkpoints = self._own, self.checkpoints
        self.corrections = CorrectionService(database, checkpoints, rollbacks, corrections, own)
        self.fixes = AppendService(database, checkpoints, own)
        self.reversions = ReversionService(
            database, sandboxes, checkpoints, rollbacks, strategist, own
        )
        self._forks = ForkService(database, sandboxes, rollbacks)

    def interrupt(self) -> bool:
        """Lets what owns a plan in this process stop safely; tells whether anything does."""
        self.stopping.interrupt()
        return self.ownership.is_owning

    def use(self, action_file: Path, arguments: Mapping[str, str]) -> Plan:
        """Makes a plan from an action file."""
        self._head.advance()
        return self.strategize.run(self.project, action_file, arguments)

    def fork(self, plan: Plan, checkpoint: Checkpoint, name: str) -> Plan:
        """Makes a second plan that goes on from a checkpoint of a first one."""
        self._head.advance()
        return self._forks.fork(plan, checkpoint, name)

    def _own(self, plan_id: str, doing: str) -> AbstractContextManager[None]:
        """Owns a plan, if anything may be changed at all."""
        self._head.advance()
        return self.ownership.own(plan_id, doing)


def _opened(data: Path) -> tuple[Database, Head]:
    """Opens the database of a data directory, and the number beside it."""
    database = Database(_prepared(data) / "cleveragents.db")
    return database, Head(database, data / "head")


def _prepared(data: Path) -> Path:
    """Makes the data directory, for its owner alone."""
    try:
        make_durably(data)
        if not os.access(data, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied", str(data))
    except OSError as error:
        raise Failed(
            f"the data directory cannot be used: {error.strerror}: {data}",
            hints=[ELSEWHERE],
        ) from error
    refuse_network(data)
    return data


def _sandbox_policy(settings: Settings) -> SandboxPolicy:
    return SandboxPolicy(
        settings.text("sandbox.strategy"),
        settings.text("sandbox.base"),
        settings.texts("sandbox.copy-ignored"),
    )


def _checkpoint_policy(settings: Settings) -> CheckpointPolicy:
    return CheckpointPolicy(
        frozenset(map(Trigger, settings.texts("sandbox.checkpoint.auto-create-on"))),
        Filter.of(settings.texts("sandbox.checkpoint.exclude")),
        CheckpointRetentionPolicy(settings.number("sandbox.checkpoint.max-checkpoints-per-plan")),
    )
