"""Resume: where a plan that stopped goes on from, and which steps that means to run again."""

from collections.abc import Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.file_change import FileChange
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.confinement.confinement import Confinement
from cleveragents.counting import counted
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.run.conflicted import ConflictStop
from cleveragents.engine.run.reload import Reloads
from cleveragents.errors import Refused
from cleveragents.events import Note, Reporter
from cleveragents.ids import CheckpointId
from cleveragents.operations.in_sandbox import Ending, GoBack
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.cursor import step_at
from cleveragents.plans.document import current_document
from cleveragents.plans.levels import levels_asked
from cleveragents.plans.lifecycle import (
    CANCELLED,
    ERRORED,
    QUEUED,
    RUNNING,
    STRATEGIZED,
    written,
)
from cleveragents.plans.plan import Plan
from cleveragents.plans.ran import ActionsOfRuns
from cleveragents.plans.step import ToolStep
from cleveragents.plans.step_run import STARTED, SUCCEEDED, StepRun, StepRunRepository
from cleveragents.plans.undo_run import UndoRunRepository
from cleveragents.records import frozen
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held
from cleveragents.tools.registry import ToolRegistry

STARTABLE = (STRATEGIZED, QUEUED, ERRORED, CANCELLED, RUNNING)


@frozen
class Course:
    """How a plan goes on."""

    plan: Plan
    interrupted: bool  # its last run did not come to an end of its own
    start: Checkpoint | None  # gone back to first; None: the files stay as they are
    again: tuple[str, ...]  # finished steps that run again
    unsafe: tuple[str, ...]  # steps whose side effects would happen a second time


@frozen
class Preview:
    """The preview of a resume."""

    course: Course
    changes: tuple[FileChange, ...]  # of the files, on the way to the start
    unfinished: Sequence[AnyOperation]  # what would be finished first
    conflicts: int  # that it would stop at, before its next step


@frozen
class _Past:
    """The past of a plan, in order."""

    runs: Sequence[StepRun]
    checkpoints: Sequence[Checkpoint]
    operations: Sequence[AnyOperation]
    undone: frozenset[str]  # runs whose effects outside are known to be undone

    @property
    def cut_off(self) -> StepRun | None:
        """The run that was tried last, if it did not succeed: its files are no state to keep.

        A rollback settles what was before it.
        """
        counting = [run for run in self.runs if run.superseded_by is None]
        if not counting or counting[-1].status == SUCCEEDED:
            return None
        rollbacks = [
            row.seq for row in self.checkpoints if row.checkpoint_type is CheckpointType.ROLLBACK
        ]
        began = self._number(counting[-1].checkpoint_id)
        return None if rollbacks and rollbacks[-1] > began else counting[-1]

    @property
    def finished(self) -> dict[str, StepRun]:
        """The successful runs that count, by their ids."""
        return {
            run.step_run_id: run
            for run in self.runs
            if run.superseded_by is None and run.status == SUCCEEDED
        }

    @property
    def start(self) -> Checkpoint | None:
        """The state to go on from: that before the run that was cut off, or the latest good one."""
        by_id = {row.checkpoint_id: row for row in self.checkpoints}
        for operation in self.operations:
            target = _target(operation)
            if operation.status is Status.OPEN and target is not None and target in by_id:
                return by_id[target]  # finished before anything else
        if self.cut_off is not None and self.cut_off.checkpoint_id is not None:
            return by_id[self.cut_off.checkpoint_id]
        # What a failed step or a dead run left is kept, but it is no state to go on from.
        left = (CheckpointType.ERROR, CheckpointType.SAFETY)
        good = [row for row in self.checkpoints if row.checkpoint_type not in left]
        return good[-1] if good else None

    def had_started(self, run: StepRun) -> bool:
        """Whether a run was made and no user has knowingly taken it back since."""
        if run.superseded_by is None or run.step_run_id in self.undone:
            return run.step_run_id not in self.undone
        rollbacks = {
            op.operation_id: op.intent
            for op in self.operations
            if op.kind is Kind.ROLLBACK and isinstance(op.intent, GoBack)
        }
        by_user = [intent for intent in rollbacks.values() if intent.is_by_user]
        by_itself = {key for key, intent in rollbacks.items() if not intent.is_by_user}
        if run.superseded_by not in by_itself:
            return False
        began = self._number(run.checkpoint_id)
        ended = [self._number(intent.record) for intent in by_user]
        return not began or not any(record > began for record in ended)

    def _number(self, checkpoint_id: CheckpointId | None) -> int:
        """The number of a checkpoint; 0 if there is none any more."""
        found = [row.seq for row in self.checkpoints if row.checkpoint_id == checkpoint_id]
        return found[0] if found else 0


def _target(operation: AnyOperation) -> CheckpointId | None:
    """The checkpoint that an operation leads to; none if it leads elsewhere."""
    return operation.intent.target if isinstance(operation.intent, GoBack) else None


class Resumption:
    """Decides how plans go on, and takes them there."""

    def __init__(
        self,
        database: Database,
        reads: CheckpointReads,
        checkpoints: CheckpointActs,
        conflict_stop: ConflictStop,
        reloads: Reloads,
        confinement: Confinement,
        report: Reporter,
    ) -> None:
        self._database = database
        self._reads = reads
        self._checkpoints = checkpoints
        self.conflict_stop = conflict_stop
        self.reloads = reloads
        self._confinement = confinement
        self._report = report

    def course(self, plan: Plan, *, restore: bool) -> Course:
        """Decides how a plan goes on; with `restore`, from a checkpoint in any case."""
        if plan.stage not in STARTABLE:
            raise Refused(
                f"a plan in {written(plan.stage)} cannot be executed",
                hints=[f"see where it stands: agents plan status {plan.plan_id}"],
            )
        self._confinement.refuse(levels_asked(plan.action))
        past = self._past(plan)
        interrupted = _is_interrupted(plan, past)
        start = None
        if plan.keeps_checkpoints and (interrupted or restore):
            start = past.start
        finished = past.finished
        counting = set(finished)
        if start is not None:
            counting &= set(self._reads.document(plan.plan_id, start).step_runs)
        again = [run for identity, run in finished.items() if identity not in counting]
        if past.cut_off is None and self._unsafe(plan, again):
            # They synced the files they left, and nothing has run since: to go on from there
            # repeats nothing.
            start, counting, again = None, set(finished), []
        latest = {run.cursor: run for run in past.runs}
        started = [
            run
            for run in latest.values()
            if run.step_run_id not in counting and past.had_started(run)
        ]
        return Course(
            plan, interrupted, start, tuple(run.name for run in again), self._unsafe(plan, started)
        )

    def preview(self, plan: Plan, *, restore: bool) -> Preview:
        """Tells what going on would do; changes nothing."""
        course = self.course(plan, restore=restore)
        changes = ()
        if course.start is not None:
            changes = self._reads.preview_rollback(plan.plan_id, course.start).files
        with self._database.reading() as connection:
            unfinished = OperationRepository(connection).unfinished(plan.plan_id)
        settled = [one for one in unfinished if not one.is_stuck]
        return Preview(course, changes, settled, self._awaited(course))

    def _awaited(self, course: Course) -> int:
        """How many conflicts are open where a plan goes on; none stops it after its last step."""
        plan = course.plan
        with self._database.reading() as connection:
            found = current_document(connection, plan)
        if course.start is not None:
            found = self._reads.document(plan.plan_id, course.start)
        left = step_at(plan.action.steps, found.cursor)
        return self.conflict_stop.awaited_at(found) if left else 0

    def take_up(self, held: Held, course: Course) -> None:
        """Puts the files where the plan goes on from, and says what that means."""
        plan, start = course.plan, course.start
        if start is None:
            if course.interrupted:
                self._note(
                    plan, "the last run was interrupted; it continues with the files as they are"
                )
            return
        if not course.interrupted and self._reads.is_present(plan.plan_id, start):
            return
        self._checkpoints.roll_back(held, start, ending=Ending(RUNNING))
        why = "the last run was interrupted; " if course.interrupted else ""
        self._note(plan, f"{why}going on from {start.name}{_told_again(course)}")

    def _past(self, plan: Plan) -> _Past:
        with self._database.reading() as connection:
            return _Past(
                StepRunRepository(connection).of_plan(plan.plan_id),
                CheckpointRepository(connection).of_plan(plan.plan_id),
                OperationRepository(connection).of_plan(plan.plan_id),
                frozenset(
                    run.step_run_id
                    for run in UndoRunRepository(connection).latest(plan.plan_id).values()
                    if run.worked
                ),
            )

    def _unsafe(self, plan: Plan, runs: Sequence[StepRun]) -> tuple[str, ...]:
        """Names the steps that must not be repeated by themselves."""
        if not runs:
            return ()
        with self._database.reading() as connection:
            actions = ActionsOfRuns(connection, plan)
            made_for = [(run, actions.of(run)) for run in runs]
        return tuple(
            f"step {run.name} ({', '.join(declared.side_effects)})"
            for run, action in made_for
            if isinstance(step_at(action.steps, run.cursor), ToolStep)  # a chooser reaches nothing
            and (declared := ToolRegistry(action.tools).find(run.tool).declaration)
            and declared.is_unsafe_to_repeat
        )

    def _note(self, plan: Plan, text: str) -> None:
        self._report(Note(plan.plan_id, text))


def refuse_unsafe(course: Course) -> None:
    """Refuses to repeat side effects without being told to."""
    if course.unsafe:
        raise Refused(
            f"side effects would happen a second time: {', '.join(course.unsafe)}",
            detail=["it had started, and its tool is not declared idempotent"],
            hints=[f"run it all the same: agents plan resume {course.plan.plan_id} --retry-unsafe"],
        )


def _is_interrupted(plan: Plan, past: _Past) -> bool:
    """Whether the last run left files that are perhaps half done."""
    died = past.cut_off is not None and past.cut_off.status == STARTED
    # Stopped for a reason of ours, not by a step that failed.
    stopped = plan.stage == ERRORED and plan.error is not None and plan.error.step is None
    return plan.stage == RUNNING or stopped or died


def _told_again(course: Course) -> str:
    count = len(course.again)
    if not count:
        return "; no finished step runs again"
    steps = counted(count, "finished step runs", "finished steps run")
    return f"; {steps} again: {', '.join(course.again)}"
