"""The public names as type checkers see them: two read it strictly, and a scenario runs it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import assert_never, assert_type

from cleveragents import (
    Action,
    App,
    ApplyOptions,
    CallFailed,
    CallUndone,
    Checkpoint,
    CheckpointRequest,
    CheckpointSame,
    CheckpointSaved,
    CheckpointTried,
    CheckpointType,
    CleverAgentsError,
    Decided,
    Event,
    FileDiff,
    Note,
    NotFound,
    OnFailure,
    PathsRestored,
    Plan,
    PlanId,
    PlanMoved,
    PlanStatus,
    RollbackForesight,
    RollbackPolicy,
    RollbackResult,
    RolledBack,
    SandboxReady,
    SandboxRefreshed,
    Session,
    StepFailed,
    StepFinished,
    StepOutput,
    StepStarted,
    SubplanEnded,
    SubplanMerged,
    SubplanStarted,
    ToolResult,
    Trigger,
    Undertaking,
    Validated,
    Wanted,
    Working,
    __version__,
    tool,
)
from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.rollback import RollbackResult as ResultOfRollback
from cleveragents.checkpoints.saving import Wanted as WantedAsItWas
from cleveragents.checkpoints.service import CheckpointService
from cleveragents.engine.apply import ApplyPhase
from cleveragents.engine.correct import CorrectionService
from cleveragents.engine.execute import ExecutePhase
from cleveragents.storage.unit_of_work import UnitOfWork

WHERE_THEY_WERE = (
    CheckpointRepository,
    CheckpointRetentionPolicy,
    ResultOfRollback,
    WantedAsItWas,
    CheckpointService,
    ApplyPhase,
    CorrectionService,
    ExecutePhase,
    UnitOfWork,
)


@tool(read_only=True)
def measure(path: str) -> int:
    """A decorated function keeps its type."""
    return len(path)


def number(event: Event) -> int | str:
    """Leaves no kind of event out: a type checker would tell."""
    match event:
        case CheckpointSaved() | CheckpointSame() | CheckpointTried() | RolledBack():
            return event.seq
        case PathsRestored() | SandboxReady() | SandboxRefreshed() | SubplanMerged() | Working():
            return event.files
        case StepStarted() | StepFinished() | StepFailed():
            return event.index
        case SubplanStarted() | SubplanEnded() | Decided():
            return event.name
        case Note() | StepOutput() | CallUndone():
            return event.text
        case Validated() | PlanMoved():
            return event.plan_id
        case _:
            assert_never(event)


def look(app: App, plan: Plan, checkpoint: Checkpoint) -> None:
    """Asks and saves with public names alone."""
    wanted = CheckpointRequest(CheckpointType.MANUAL, "typed", Trigger.ON_ERROR)
    assert_type(wanted, Wanted)
    saved = app.checkpoints.create_checkpoint(plan.plan_id, wanted)
    assert_type(saved, Checkpoint)
    due = app.checkpoints.auto_create_if_configured(plan.plan_id, Trigger.BEFORE_STEP, "typed")
    assert_type(due, Checkpoint | None)
    assert_type(app.plans.status(plan), PlanStatus)
    assert_type(app.differences(plan.plan_id), Sequence[FileDiff])
    act = app.undertakings.rollback(plan.plan_id, checkpoint.checkpoint_id)
    assert_type(act, Undertaking[RollbackForesight, RollbackResult])
    assert_type(act.preview().would.files[0].file, str)
    try:
        app.checkpoints.list_checkpoints(PlanId("unknown"))
    except NotFound as error:
        assert_type(error.message, str)


def use(app: App, project: Path) -> Plan:
    """Uses what the reference page names, once."""
    assert_type(__version__, str)
    assert_type(measure("four"), int)
    policy = RollbackPolicy(enabled=True, on_failure=OnFailure.LAST_GOOD)
    task = Action(name="typed", rollback=policy, validate=("true",))
    with app.session(project, task=task) as run:
        assert_type(run, Session)
        assert_type(run.path, Path)
        assert_type(run.plan_id, PlanId)
        result = run.tool("write_file", path="b.txt", content="one")
        assert_type(result, ToolResult)
        assert_type(result.output, str)
        assert_type(result.exit_code, int | None)
        assert_type(result.returned, object)
        assert_type(result.input, Mapping[str, object])
        assert_type(run.results, Sequence[ToolResult])
        checkpoint = run.checkpoint("typed")
        assert_type(checkpoint, Checkpoint)
        assert_type(checkpoint.label, str | None)
        assert_type(run.step("shell", {"command": "true"}, name="check", retries=1), ToolResult)
        assert_type(run.decide("Which?", ["this", "that"], choose="this"), str)
        assert_type(run.diff(checkpoint), Sequence[FileDiff])
        assert_type(run.rollback(checkpoint), RollbackResult)
        assert_type(run.finish(), Plan)
    try:
        with app.session(plan=run.plan_id, retry_unsafe=True) as again:
            again.tool("shell", command="exit 3")
    except CallFailed as error:
        assert_type(error.result, ToolResult)
        assert isinstance(error, CleverAgentsError)
        assert_type(error.hints, tuple[str, ...])
    with app.session(plan=run.plan_id) as last:
        last.tool("write_file", path="c.txt", content="three")
    look(app, last.plan, checkpoint)
    return app.apply.run(run.plan_id, ApplyOptions()).plan
