"""The application: everything the surfaces use; what only looks is there at once.

Whatever acts is made when it is first asked for: a command that lists plans needs none of it.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from cleveragents.config.environment import caller_environment, data_dir_of, home
from cleveragents.config.levels import Sources, load
from cleveragents.engine.read.plans import PlanReader
from cleveragents.errors import Refused
from cleveragents.events import Note, Reporter, in_turn, silent
from cleveragents.foundations import open_foundations
from cleveragents.ids import PlanId
from cleveragents.once import once
from cleveragents.plans.lifecycle import APPLIED
from cleveragents.plans.plan import CHAT, Plan
from cleveragents.sandbox.project import locate, refuse_overlap

if TYPE_CHECKING:
    from cleveragents.checkpoints.checkpoint import Checkpoint
    from cleveragents.checkpoints.comparison import Comparisons, FileDiff
    from cleveragents.checkpoints.kept import KeptCheckpoints
    from cleveragents.checkpoints.service import CheckpointService
    from cleveragents.confinement.confinement import Confinement
    from cleveragents.engine.back.restore import RestoreService
    from cleveragents.engine.bring.apply import ApplyPhase
    from cleveragents.engine.bring.conflicts import ConflictService
    from cleveragents.engine.bring.refresh import RefreshPhase
    from cleveragents.engine.care.cleanup import Cleanup
    from cleveragents.engine.care.doctor import Doctor
    from cleveragents.engine.care.relocation import Relocations
    from cleveragents.engine.correct.append import AppendService
    from cleveragents.engine.correct.correction import CorrectionService
    from cleveragents.engine.correct.revert import ReversionService
    from cleveragents.engine.hold.ownership import Ownership
    from cleveragents.engine.read.bisect import Bisection
    from cleveragents.engine.read.history import History
    from cleveragents.engine.read.path_history import PathHistory
    from cleveragents.engine.read.status import PlanStatus
    from cleveragents.engine.read.stored_files import StoredFiles
    from cleveragents.engine.read.tree import DecisionTree
    from cleveragents.engine.read.watching import Watching
    from cleveragents.engine.run.cancel import Cancellation
    from cleveragents.engine.run.execute import ExecutePhase
    from cleveragents.engine.run.resume import Resumption
    from cleveragents.engine.run.strategize import StrategizePhase
    from cleveragents.engine.run.subplans import SubplanSteps
    from cleveragents.engine.session import Session
    from cleveragents.engine.undo.series import UndoSeries
    from cleveragents.engine.undo.service import UndoService
    from cleveragents.operations.operation import AnyOperation
    from cleveragents.plans.action import Action
    from cleveragents.undertakings import Undertakings
    from cleveragents.wiring.chats import ChatServices
    from cleveragents.wiring.services import Wiring

TRIGGERS = "sandbox.checkpoint.auto-create-on"
ROLLBACK_OFF = "rollback is off for this plan: it runs without checkpoints"
AUTOMATIC_OFF = (
    "automatic checkpoints are off: a crash starts again from pre_execute or the latest decision"
)
TIDIED_LATER = "interrupted while space was freed: what was done stands, a later command frees it"


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
        caller: Mapping[str, str] | None = None,
        cwd: Path | str | None = None,
    ) -> None:
        """Opens a project for a caller: by default this process, its environment and directory.

        Paths are relative to that directory.
        """
        caller = caller_environment() if caller is None else dict(caller)
        self._cwd = Path() if cwd is None else Path(cwd).absolute()
        data = data_dir_of(self._cwd, data_dir, caller)
        settings_file = None if config_path is None else self._cwd / config_path
        self._open = partial(
            App,
            data_dir=data,
            config_path=settings_file,
            flags=flags,
            report=report,
            caller=caller,
            cwd=cwd,
        )
        named = None if project is None else Path(project)
        self.project = locate(named, self._cwd, home(caller))
        self._here = self._cwd.absolute() if named is None else None
        refuse_overlap(self.project, data)
        self._sources = Sources.of(self.project.path, settings_file, flags, caller, self._cwd)
        self._marks = self._sources.marks()
        self.settings = load(self._sources)
        self._base = open_foundations(data, self.settings, caller, in_turn(report))
        self.stopping = self._base.stopping
        self.plans = PlanReader(
            self._base.database, self._base.plan_locks.is_owned, self.project, self._status
        )
        self._is_tidying = False

    def __enter__(self) -> Self:
        """Returns the app: `with App(project) as app` closes it at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def close(self) -> None:
        """Gives back descriptors and connections; whatever is asked later opens them again."""
        if self._base.plan_locks.is_holding:
            raise Refused(
                "a plan is in use", hints=["close the app after the block of its sessions"]
            )
        self._base.sandboxes.close()
        self._base.database.close()

    @property
    def is_outdated(self) -> bool:
        """Whether a file of settings has changed since it was opened."""
        return self._sources.marks() != self._marks

    @once
    def _wiring(self) -> "Wiring":
        from cleveragents.wiring.services import Wiring

        return Wiring(self._base, self.project, self._here)

    def _status(self, plan: Plan) -> "PlanStatus":
        return self._wiring.status.read(plan)

    @property
    def comparisons(self) -> "Comparisons":
        """Differences between states of a plan."""
        return self._wiring.comparisons

    @once
    def undertakings(self) -> "Undertakings":
        """Acts that are shown before they are done: preview, ask, carry out."""
        from cleveragents.undertakings import Undertakings

        return Undertakings(self._wiring, self, self._cwd)

    @property
    def ownership(self) -> "Ownership":
        """Who owns which plan, and taking it over."""
        return self._wiring.ownership

    @property
    def kept(self) -> "KeptCheckpoints":
        """Points to come back to, as their rows tell: listing and finding them."""
        return self._wiring.kept

    @property
    def checkpoints(self) -> "CheckpointService":
        """Points to come back to, and going back to them."""
        return self._wiring.checkpoints

    @property
    def strategize(self) -> "StrategizePhase":
        """Makes plans from actions."""
        return self._wiring.strategize

    @property
    def execute(self) -> "ExecutePhase":
        """Runs plans."""
        return self._wiring.execute

    @property
    def subplans(self) -> "SubplanSteps":
        """Runs the subplans of a step."""
        return self._wiring.subplans

    @property
    def resumption(self) -> "Resumption":
        """Resumes plans that were interrupted."""
        return self._wiring.resumption

    @property
    def cancellation(self) -> "Cancellation":
        """Stops plans."""
        return self._wiring.cancellation

    @property
    def apply(self) -> "ApplyPhase":
        """Brings results into the project, and takes them out again."""
        return self._wiring.apply

    @property
    def corrections(self) -> "CorrectionService":
        """Goes back to a decision and decides again."""
        return self._wiring.corrections

    @property
    def fixes(self) -> "AppendService":
        """Corrects a decision with a subplan that comes after it."""
        return self._wiring.fixes

    @property
    def reversions(self) -> "ReversionService":
        """Plans anew from the start."""
        return self._wiring.reversions

    @property
    def chats(self) -> "ChatServices":
        """What agents did in this directory: recording it, telling it, taking it back."""
        return self._wiring.chats

    @property
    def undo(self) -> "UndoService":
        """Everything that was done here; taking it back and doing it again."""
        return self._wiring.undo

    @property
    def undo_series(self) -> "UndoSeries":
        """Takes back one act together with everything newer."""
        return self._wiring.undo_series

    @property
    def refresh(self) -> "RefreshPhase":
        """Brings a sandbox up to the project."""
        return self._wiring.refresh

    @property
    def restore(self) -> "RestoreService":
        """Takes single paths back."""
        return self._wiring.restore

    @property
    def conflicts(self) -> "ConflictService":
        """Conflicts of merges, and resolving them."""
        return self._wiring.conflicts

    @property
    def tree(self) -> "DecisionTree":
        """The decisions of a plan."""
        return self._wiring.tree

    @property
    def history(self) -> "History":
        """The story of a plan."""
        return self._wiring.history

    @property
    def files(self) -> "StoredFiles":
        """Single files as checkpoints have them."""
        return self._wiring.files

    @property
    def paths(self) -> "PathHistory":
        """In which checkpoints paths changed."""
        return self._wiring.paths

    @property
    def watching(self) -> "Watching":
        """Follows plans that other processes run."""
        return self._wiring.watching

    @property
    def bisection(self) -> "Bisection":
        """Finds the checkpoint from which on a command fails."""
        return self._wiring.bisection

    @property
    def cleanup(self) -> "Cleanup":
        """Removes what is not needed any more."""
        return self._wiring.cleanup

    @property
    def relocations(self) -> "Relocations":
        """Lets plans follow a project that was moved."""
        return self._wiring.relocations

    @property
    def doctor(self) -> "Doctor":
        """Finds what is wrong with what is kept, and mends it."""
        return self._wiring.doctor

    def interrupt(self) -> bool:
        """Lets what owns a plan in this process stop safely; tells whether anything does."""
        self.stopping.interrupt()
        return self._base.plan_locks.is_holding and not self._is_tidying

    def tidy(self, plan_id: PlanId) -> None:
        """Frees space and remembers the files; to interrupt that takes nothing back."""
        from cleveragents.snapshots.tree.giving_up import at_any_file

        self._is_tidying = True
        try:
            with at_any_file(self.stopping.check_file):  # by a signal that came before this
                self.checkpoints.tidy(plan_id)
        except KeyboardInterrupt:
            self._base.report(Note(plan_id, TIDIED_LATER))
        finally:
            self._is_tidying = False

    def begin_dry_run(self, plan_id: PlanId) -> bool:
        """Refuses one while something waits to be finished; tells whether the plan is moving."""
        return self._wiring.previews.begin(plan_id)

    def recover(self, plan_id: PlanId) -> "Sequence[AnyOperation]":
        """Finishes what a crash left open in a plan, as every act does first; tells what it was.

        Nobody owns the plan afterwards: who is asked whether to go on may take all day.
        """
        return self._wiring.recover(plan_id)

    @property
    def may_have_changed(self) -> bool:
        """Whether this process has come to where things are changed."""
        return self._base.head.has_advanced

    def run(
        self,
        plan_id: PlanId,
        *,
        restore: bool = False,
        retry_unsafe: bool = False,
        reload: bool = False,
    ) -> Plan:
        """Runs a plan; what a subplan that runs by itself becomes is merged into its parent."""
        done = self.execute.run(plan_id, restore=restore, retry_unsafe=retry_unsafe, reload=reload)
        self._wiring.subplans.merge_again(done)
        return done

    def cancel(self, plan_id: PlanId) -> Plan:
        """Stops a plan, also one that another process runs; its files go if the settings say so."""
        done = self._wiring.cancellation.cancel(plan_id)
        self.cleanup.after_cancel(done)
        return done

    def differences(
        self, plan: str, other: str | None = None, correction: str | None = None
    ) -> "Sequence[FileDiff]":
        """Tells what a plan changed so far, how another one differs, or what a correction did."""
        if correction is not None:
            attempt = self.corrections.attempt(correction)
            before = self.kept.get_checkpoint(attempt.plan_id, attempt.before_id or "")
            return self.comparisons.beside(self.plans.find(attempt.plan_id), before)
        found = self.plans.find(plan)
        if other is not None:
            latest = self.kept.get_checkpoint(found.plan_id, "@")
            beside = self.plans.find(other)
            if beside.kind == CHAT:
                return self.chats.comparisons.since(beside.plan_id, latest.sandbox_ref)
            return self.comparisons.beside(beside, latest)
        if found.kind == CHAT:
            first = self.chats.keeping.first(found.plan_id)
            return [] if first is None else self.checkpoint_differences(found, first.name)
        if found.stage == APPLIED:
            return self.comparisons.between_snapshots(found, *self.apply.versions(found))
        return self.comparisons.since_start(found)

    def checkpoint_differences(
        self, plan: Plan, before: str, after: str | None = None
    ) -> "Sequence[FileDiff]":
        """Tells what changed from a checkpoint to another, or to the files as they are."""
        first = self.kept.get_checkpoint(plan.plan_id, before)
        if after is None and plan.kind == CHAT:
            return self.chats.comparisons.since(plan.plan_id, first.sandbox_ref)
        if after is None:
            return self.comparisons.since(plan, first)
        second = self.kept.get_checkpoint(plan.plan_id, after)
        return self.comparisons.between(plan, first, second)

    @property
    def confinement(self) -> "Confinement":
        """How what plans run is confined."""
        return self._wiring.confinement

    def confinement_notes(self, plan: Plan) -> Sequence[str]:
        """Returns what has to be known of how the steps of a plan are confined, before it runs."""
        from cleveragents.plans.levels import levels_asked

        return self.confinement.notes(levels_asked(plan.action))

    def cautions(self, plan: Plan) -> Sequence[str]:
        """Returns the sentences that every output about a plan has to show."""
        return [ROLLBACK_OFF] if plan.runs_bare else self.general_cautions

    @property
    def general_cautions(self) -> Sequence[str]:
        """The sentences that hold for every plan."""
        return [] if self.settings.texts(TRIGGERS) else [AUTOMATIC_OFF]

    def use(
        self,
        action_file: Path | str,
        arguments: Mapping[str, str] | None = None,
        *,
        to_run: bool = False,
    ) -> Plan:
        """Makes a plan from an action file; a relative path is relative to `cwd`.

        One that is to run at once is not made if its steps could not be confined as they must.
        """
        from cleveragents.plans.action import read_action
        from cleveragents.plans.levels import levels_asked

        self._base.head.advance()
        path = self._cwd / action_file
        action = read_action(path, arguments or {})
        if to_run:
            self.confinement.refuse(levels_asked(action))
        return self.strategize.run(self.project, action, path)

    @contextmanager
    def session(
        self,
        project: Path | str | None = None,
        *,
        plan: str | None = None,
        task: "str | Action" = "session",
        retry_unsafe: bool = False,
    ) -> "Generator[Session]":
        """Opens a plan whose steps come one by one, and completes it at the end.

        `task` names a new plan, or is its action without steps; `plan` (a name, an id, or `@`)
        opens one again, after a crash as well. After an exception it can be resumed.
        """
        if project is not None and (self._cwd / project).resolve() != self.project.path:
            with (
                self._open(project) as other,
                other.session(plan=plan, task=task, retry_unsafe=retry_unsafe) as session,
            ):
                yield session
            return
        from cleveragents.plans.action import Action

        action = Action(name=task) if isinstance(task, str) else task
        with self._wiring.sessions.open(
            self._begin(action) if plan is None else self.plans.find(plan).plan_id,
            retry_unsafe=retry_unsafe,
        ) as session:
            yield session

    def _begin(self, action: "Action") -> PlanId:
        """Makes a plan that has no steps yet."""
        self._base.head.advance()
        return self.strategize.run_stepwise(self.project, action).plan_id

    def fork(self, plan: Plan, checkpoint: "Checkpoint", name: str) -> Plan:
        """Makes a second plan that goes on from a checkpoint of a first one."""
        self._base.head.advance()
        if plan.kind == CHAT:
            return self.chats.forks.fork(plan, checkpoint, name)
        return self._wiring.forks.fork(plan, checkpoint, name)
