"""The application: opens storage and builds every service once, in plain sight."""

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
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
from cleveragents.config.environment import caller_environment, default_data_dir, home
from cleveragents.config.levels import (
    Settings,
    Sources,
    load,
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
from cleveragents.engine.merge import Merges
from cleveragents.engine.moves import PlanMoves
from cleveragents.engine.proposal import Proposals
from cleveragents.engine.recover import Finishers, Ownership
from cleveragents.engine.refresh import Refreshes, RefreshPhase
from cleveragents.engine.restore import Restores, RestoreService
from cleveragents.engine.resume import Resumption
from cleveragents.engine.revert import ReversionService
from cleveragents.engine.session import Services, Session, Sessions
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
from cleveragents.plans.action import Action
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


@dataclass(frozen=True)
class _Foundations:
    """What everything else is built on."""

    data: Path
    settings: Settings
    environment: StepEnvironment
    database: Database
    head: Head
    project_locks: Locks
    sandboxes: Sandboxes
    stopping: Stopping
    report: Reporter

    @property
    def output(self) -> Path:
        """Where the output of steps is kept."""
        return self.data / "output"


class App:
    """Everything the surfaces use, for one project and one data directory."""

    def __init__(
        self,
        project: Path | str | None = None,
        *,
        data_dir: Path | str | None = None,
        config_path: Path | str | None = None,
        flags: Sequence[str] = (),
        report: Reporter = silent,
    ) -> None:
        self._open = partial(
            App, data_dir=data_dir, config_path=config_path, flags=flags, report=report
        )
        caller = caller_environment()
        data = Path(data_dir or default_data_dir(caller)).absolute()
        settings_file = None if config_path is None else Path(config_path)
        self.project = locate(None if project is None else Path(project), Path.cwd(), home(caller))
        refuse_overlap(self.project, data)
        self.settings = load(Sources.of(self.project.path, settings_file, flags, caller))
        base = _foundations(data, self.settings, caller, in_turn(report))
        self._head, self.stopping = base.head, base.stopping
        policy = _checkpoint_policy(self.settings)
        finishers = _finishers(base, policy)
        self.ownership = Ownership(
            base.database,
            Locks(data / "locks", "plan"),
            base.sandboxes,
            finishers,
            base.report,
        )
        self.checkpoints = CheckpointService(
            base.database,
            base.sandboxes,
            Saving(base.database, base.sandboxes, finishers.pruning, policy.filter, base.report),
            finishers.rollbacks,
            finishers.pruning,
            policy,
            self._own,
        )
        strategist = Strategist(base.environment, base.output, base.stopping)
        self._add_phases(base, finishers, strategist)
        self._add_corrections(base, finishers, strategist)
        self._add_readers(base)
        self._add_sessions(base)
        self._add_care(base, finishers)

    def _add_phases(self, base: _Foundations, finishers: Finishers, strategist: Strategist) -> None:
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
        self, base: _Foundations, finishers: Finishers, strategist: Strategist
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
        self._forks = ForkService(database, sandboxes, rollbacks)
        self.refresh = RefreshPhase(database, finishers.refreshes, checkpoints, own)
        self.restore = RestoreService(database, finishers.restores, checkpoints, own)
        self.conflicts = ConflictService(database, sandboxes, checkpoints, own)

    def _add_readers(self, base: _Foundations) -> None:
        """Builds what only looks."""
        is_owned = self.ownership.is_owned
        self.tree = DecisionTree(base.database, is_owned)
        self.history = History(base.database)
        self.bisection = Bisection(base.database, base.sandboxes, base.environment, base.report)
        self.comparisons = Comparisons(base.sandboxes)
        self.plans = PlanReader(
            base.database, base.sandboxes, self.comparisons, is_owned, self.project
        )

    def _add_sessions(self, base: _Foundations) -> None:
        """Builds what takes the steps of a plan one by one."""
        services = Services(
            base.database,
            base.sandboxes,
            self.execute,
            PlanMoves(base.database, base.report),
            self.checkpoints,
            self.comparisons,
        )
        self._sessions = Sessions(services, self._own)

    def _add_care(self, base: _Foundations, finishers: Finishers) -> None:
        """Builds what looks after what is kept."""
        database, sandboxes, pruning = base.database, base.sandboxes, finishers.pruning
        self.cleanup = Cleanup(_cleanup(base.settings), sandboxes, self.checkpoints, self._own)
        self.doctor = Doctor(
            Examination(database, sandboxes, pruning, self.ownership, base.head, base.data),
            Repairs(database, sandboxes, pruning, self.ownership, base.head),
        )

    def interrupt(self) -> bool:
        """Lets what owns a plan in this process stop safely; tells whether anything does."""
        self.stopping.interrupt()
        return self.ownership.is_owning

    def use(self, action_file: Path, arguments: Mapping[str, str]) -> Plan:
        """Makes a plan from an action file."""
        self._head.advance()
        return self.strategize.run(self.project, action_file, arguments)

    @contextmanager
    def session(
        self,
        project: Path | str | None = None,
        *,
        plan: str | None = None,
        task: str | Action = "session",
        retry_unsafe: bool = False,
    ) -> Generator[Session]:
        """Opens a plan whose steps come one by one, and completes it at the end.

        `task` names a new plan, or is its action without steps; `plan` (an id, a prefix, or `@`)
        goes on with one there is, after a crash as well. An exception leaves it to be gone on with.
        """
        if project is not None and Path(project).resolve() != self.project.path:
            with self._open(project).session(
                plan=plan, task=task, retry_unsafe=retry_unsafe
            ) as session:
                yield session
            return
        action = Action(name=task) if isinstance(task, str) else task
        with self._sessions.open(
            self._begin(action) if plan is None else self.plans.find(plan).plan_id,
            retry_unsafe=retry_unsafe,
        ) as session:
            yield session

    def _begin(self, action: Action) -> str:
        """Makes a plan that has no steps yet."""
        self._head.advance()
        return self.strategize.run_stepwise(self.project, action).plan_id

    def fork(self, plan: Plan, checkpoint: Checkpoint, name: str) -> Plan:
        """Makes a second plan that goes on from a checkpoint of a first one."""
        self._head.advance()
        return self._forks.fork(plan, checkpoint, name)

    def _own(self, plan_id: str, doing: str) -> AbstractContextManager[None]:
        """Owns a plan, if anything may be changed at all."""
        self._head.advance()
        return self.ownership.own(plan_id, doing)


def _foundations(
    data: Path,
    settings: Settings,
    caller: Mapping[str, str],
    report: Reporter,
) -> _Foundations:
    """Opens what is kept in the data directory."""
    database = Database(_prepared(data) / "cleveragents.db")
    project_locks = Locks(data / "locks", "project")
    sandboxes = Sandboxes(
        database,
        data,
        project_locks,
        _sandbox_policy(settings),
        Tracking(settings.text("sandbox.checkpoint.tracking")),
        lambda text: report(Note("", text)),
    )
    return _Foundations(
        data=data,
        settings=settings,
        environment=StepEnvironment(caller, settings.texts("sandbox.pass-env")),
        database=database,
        head=Head(database, data / "head"),
        project_locks=project_locks,
        sandboxes=sandboxes,
        stopping=Stopping(CancelRequests(data / "locks")),
        report=report,
    )


def _finishers(base: _Foundations, policy: CheckpointPolicy) -> Finishers:
    """Builds whatever opens operations, and so can finish them after a crash."""
    database, sandboxes, report = base.database, base.sandboxes, base.report
    undoing = Undoing(database, base.environment, base.output, report)
    rollbacks = Rollbacks(database, sandboxes, undoing, report)
    return Finishers(
        rollbacks=rollbacks,
        corrections=CorrectionOperations(database, sandboxes, rollbacks),
        pruning=Pruning(database, sandboxes, policy.retention, report),
        refreshes=Refreshes(database, sandboxes, report),
        restores=Restores(database, sandboxes, policy.filter, report),
        merges=Merges(database, sandboxes, policy.filter, report),
        validations=Validations(
            database, sandboxes, base.environment, base.output, base.stopping, report
        ),
        applications=Applications(
            database, sandboxes, base.project_locks, _cleanup(base.settings), report
        ),
    )


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


def _cleanup(settings: Settings) -> str:
    return settings.text("sandbox.cleanup")


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
