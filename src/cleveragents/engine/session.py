"""A session: a plan whose steps come one by one, from a loop that decides as it goes."""

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

from pydantic import BaseModel, ValidationError

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.comparison import Comparisons, FileDiff
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.rollback import RollbackResult
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.hold.moves import PlanMoves
from cleveragents.engine.run.conflicted import ConflictStop
from cleveragents.engine.run.execute import ExecutePhase
from cleveragents.engine.run.strategize import preflight
from cleveragents.errors import Failed, InvalidInput, Refused
from cleveragents.ids import PlanId
from cleveragents.operations.in_sandbox import Ending
from cleveragents.plans.cursor import holder, step_at
from cleveragents.plans.decision import DecisionRepository
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, ERRORED, QUEUED, RUNNING
from cleveragents.plans.plan import Plan, PlanRepository, refuse_applied
from cleveragents.plans.step import DecideStep, Step, Stricter, ToolStep
from cleveragents.plans.step_run import SUCCEEDED, StepRun, StepRunRepository, failed_for_good
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold
from cleveragents.tools.function import result_path
from cleveragents.tools.registry import ToolRegistry

M = TypeVar("M", bound=BaseModel)


@frozen
class ToolResult:
    """The result of a call."""

    name: str  # of the step: as it was given, else the tool
    tool: str
    input: Mapping[str, object]
    succeeded: bool
    summary: str  # one line for people
    exit_code: int | None  # None: it started no process
    output_path: Path  # all that it printed, or the file it read, as bytes

    @property
    def output(self) -> str:
        """All that it printed, or the file it read, as text."""
        return self.output_path.read_text(errors="replace") if self.output_path.exists() else ""

    @property
    def returned(self) -> object:
        """The value that the function of a Python tool returned; None for other tools."""
        path = result_path(self.output_path)
        return json.loads(path.read_text()) if path.exists() else None


class StepRules(TypedDict, total=False):
    """The rules of a step beside its tool and input, as in an action file."""

    name: str
    checkpoint: str  # a named, pinned checkpoint before it
    retries: int
    timeout: float
    env: Mapping[str, str]
    pass_env: Sequence[str]
    confine: Stricter  # at least


class CallFailed(Failed):
    """A call of a session did not succeed; the files are where the rollback policy puts them."""

    def __init__(self, step: ToolStep | DecideStep, run: StepRun) -> None:
        tail = run.tail.splitlines()[-10:]
        super().__init__(f"{step.title} failed: {run.summary}", detail=tail)
        self.result = _result(step, run)


@frozen
class Services:
    """The services that sessions work with."""

    database: Database
    sandboxes: Sandboxes
    execute: ExecutePhase
    moves: PlanMoves
    reads: CheckpointReads
    checkpoints: CheckpointActs
    comparisons: Comparisons
    conflict_stop: ConflictStop


class Session:
    """A plan that is open: every call is a step of it, with the guarantees of any step.

    It belongs to the thread that opened it, and ends with its block: then it refuses.
    """

    def __init__(self, held: Held, services: Services) -> None:
        self.plan_id = held.plan_id
        self._held = held
        self._database = services.database
        self._execute = services.execute
        self._moves = services.moves
        self._reads = services.reads
        self._checkpoints = services.checkpoints
        self._comparisons = services.comparisons
        self._conflict_stop = services.conflict_stop
        self._sandbox = services.sandboxes.require(held.plan_id)

    @property
    def plan(self) -> Plan:
        """The plan as it is now."""
        return self._moves.plan(self.plan_id)

    @property
    def results(self) -> Sequence[ToolResult]:
        """The results of all calls of tools that count, in order, also those of earlier sessions.

        A call that was taken back does not count; one with several attempts counts once.
        """
        with self._database.reading() as connection:
            steps = PlanRepository(connection).get(self.plan_id).action.steps
            runs = StepRunRepository(connection).ended(self.plan_id)
        made = ((step_at(steps, run.cursor), run) for run in runs)
        return [_result(step, run) for step, run in made if isinstance(step, ToolStep)]

    @property
    def path(self) -> Path:
        """The sandbox: look at files there, and let tools change them."""
        return self._sandbox.path

    def tool(self, tool: str, /, **given: object) -> ToolResult:
        """Calls a tool with what it is given; raises `CallFailed` if it does not succeed."""
        return self.step(tool, given)

    def step(
        self, tool: str, given: Mapping[str, object], **rules: Unpack[StepRules]
    ) -> ToolResult:
        """Calls a tool as a step of an action file does: with a name, retries and the rest."""
        step = _valid(ToolStep, {"tool": tool, "with": _plain(tool, given), **rules})
        self._check(step)
        self._run(step)
        return _result(step, self._last_run())

    def decide(
        self,
        question: str,
        options: Sequence[str],
        *,
        choose: str | None = None,
        chooser: str | None = None,
    ) -> str:
        """Records a decision, made here or by the command `chooser`; returns the option."""
        named = {"question": question, "options": dict.fromkeys(options, ())}
        self._run(_valid(DecideStep, {"decide": {**named, "choose": choose, "chooser": chooser}}))
        with self._database.reading() as connection:
            return DecisionRepository(connection).counting(self.plan_id)[-1].chosen

    def checkpoint(self, label: str | None = None) -> Checkpoint:
        """Saves the present state; it is kept until somebody deletes it."""
        wanted = CheckpointRequest(
            CheckpointType.MANUAL, "made by the session", label=label, pinned=True
        )
        return self._checkpoints.make(self._held, wanted)

    def rollback(self, checkpoint: Checkpoint | str | int) -> RollbackResult:
        """Takes everything after a checkpoint back; the session goes on from there.

        That a call has failed is taken back as well, if its files were already.
        """
        target = self._checkpoint(checkpoint)
        ending = Ending(QUEUED) if self.plan.stage == ERRORED else None
        return self._checkpoints.roll_back(self._held, target, ending=ending)

    def diff(self, since: Checkpoint | str | int | None = None) -> Sequence[FileDiff]:
        """Tells what has changed since a checkpoint, or since the start."""
        if since is None:
            return self._comparisons.since_start(self.plan)
        return self._comparisons.since(self.plan, self._checkpoint(since))

    def _checkpoint(self, given: Checkpoint | str | int) -> Checkpoint:
        named = given.checkpoint_id if isinstance(given, Checkpoint) else str(given)
        return self._reads.get_checkpoint(self.plan_id, named)

    def finish(self) -> Plan:
        """Completes the plan, whatever failed in it; what comes next is to apply it."""
        self._held.check()
        plan = self.plan
        if plan.stage != COMPLETE:
            plan = self._go_on(None)
            with self._execute.in_order(self._held):
                self._execute.complete(self._held, plan, self._sandbox)
        self._checkpoints.tidy(self._held)
        return self.plan

    def close(self) -> None:
        """Completes the plan, unless its last call failed and nothing followed."""
        if self.plan.stage in (RUNNING, QUEUED):
            self.finish()

    def _run(self, step: ToolStep | DecideStep) -> None:
        plan = self._go_on(step)
        ok = False
        with self._execute.in_order(self._held):
            ok = self._execute.run_step(self._held, plan, self._sandbox)
        self._refuse_cancelled(self.plan)
        if not ok:
            raise CallFailed(step, self._last_run())

    def _go_on(self, step: Step | None) -> Plan:
        """Records what comes next, before it is done, in the place of what had come there.

        A failed step whose effects were kept stays; the next one comes after it.
        """
        self._held.check()
        plan = self.plan
        self._refuse_cancelled(plan)
        refuse_applied(plan)
        if step is not None:
            self._conflict_stop.refuse(plan)
        if plan.stage == COMPLETE:
            plan = self._moves.move(self._held, QUEUED)
        with self._database.writing(self._held) as connection:
            runs = StepRunRepository(connection).unfinished(self.plan_id)
            kept = plan.step_index + (plan.cursor in failed_for_good(runs))
            PlanRepository(connection).extend(self.plan_id, kept, step)
        return self.plan if plan.stage == RUNNING else self._moves.move(self._held, RUNNING)

    def _last_run(self) -> StepRun:
        with self._database.reading() as connection:
            return StepRunRepository(connection).latest(self.plan_id)

    def _check(self, step: ToolStep) -> None:
        """Refuses what a step of an action file would be refused for; nothing has changed yet."""
        action = self.plan.action
        parameters: type[BaseModel] = ToolRegistry(action.tools).find(step.tool).parameters
        _valid(parameters, step.with_, f"{step.tool}: ")
        for problem in preflight(action.model_copy(update={"steps": (step,)})):
            raise Refused(problem)

    def _refuse_cancelled(self, plan: Plan) -> None:
        if plan.stage == CANCELLED:
            raise Refused(
                "the plan was cancelled", hints=[f"resume it: agents plan resume {self.plan_id}"]
            )


class Sessions:
    """Opens sessions."""

    def __init__(self, services: Services, hold: Hold) -> None:
        self._services = services
        self._hold = hold

    @contextmanager
    def open(self, plan_id: PlanId, *, retry_unsafe: bool) -> Generator[Session]:
        """Owns and recovers a plan, and completes it at the end.

        An exception leaves it as a crash would: to be resumed, or opened again.
        """
        with self._hold(plan_id, "running a session") as held:
            moves, execute = self._services.moves, self._services.execute
            plan = moves.plan(plan_id)
            _refuse(plan)
            if plan.stage == COMPLETE:
                plan = moves.move(held, QUEUED)
            execute.begin(held, plan, restore=False, retry_unsafe=retry_unsafe)
            session = Session(held, self._services)
            yield session
            session.close()


def _refuse(plan: Plan) -> None:
    """Refuses a plan in the middle of something that only its own steps can end."""
    if plan.parent_plan_id is not None:
        raise Refused(
            "a subplan belongs to its parent", hints=[f"open that: {plan.parent_plan_id}"]
        )
    if holder(plan.cursor) is not None:
        raise Refused(
            "the plan is in the middle of a decision",
            hints=[f"let it finish: agents plan resume {plan.plan_id}"],
        )


def _result(step: ToolStep | DecideStep, run: StepRun) -> ToolResult:
    return ToolResult(
        name=run.name,
        tool=run.tool,
        input=step.with_ if isinstance(step, ToolStep) else {},
        succeeded=run.status == SUCCEEDED,
        summary=run.summary,
        exit_code=run.exit_code,
        output_path=Path(run.output_path),
    )


def _plain(tool: str, given: Mapping[str, object]) -> dict[str, Any]:
    """Returns the input of a call as it will be stored."""
    try:
        text = json.dumps(dict(given), ensure_ascii=False)
        return json.loads(text.encode())
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{tool}: what a tool is given is JSON data: {error}") from error


def _valid(model: type[M], fields: Mapping[str, object], about: str = "") -> M:
    """Reads what a caller gave; every problem is told, each with its field."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        problems = [
            f"{about}{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
            for problem in error.errors()
        ]
        raise InvalidInput("; ".join(problems)) from error
