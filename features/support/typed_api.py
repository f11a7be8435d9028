"""The public names as a type checker sees them: pyright reads it strictly, a scenario runs it."""

from collections.abc import Sequence
from pathlib import Path
from typing import assert_type

from cleveragents import (
    Action,
    App,
    ApplyOptions,
    CallFailed,
    Checkpoint,
    CleverAgentsError,
    FileDiff,
    Plan,
    RollbackPolicy,
    RollbackResult,
    Session,
    ToolResult,
    __version__,
    tool,
)
from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.rollback import RollbackResult as ResultOfRollback
from cleveragents.checkpoints.saving import Wanted
from cleveragents.checkpoints.service import CheckpointService
from cleveragents.engine.apply import ApplyPhase
from cleveragents.engine.correct import CorrectionService
from cleveragents.engine.execute import ExecutePhase
from cleveragents.ids import PlanId
from cleveragents.storage.unit_of_work import UnitOfWork

WHERE_THEY_WERE = (
    CheckpointRepository,
    CheckpointRetentionPolicy,
    ResultOfRollback,
    Wanted,
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


def use(app: App, project: Path) -> Plan:
    """Uses everything that the reference page names, once."""
    assert_type(__version__, str)
    assert_type(measure("four"), int)
    task = Action(name="typed", rollback=RollbackPolicy(enabled=True))
    with app.session(project, task=task) as run:
        assert_type(run, Session)
        assert_type(run.path, Path)
        assert_type(run.plan_id, PlanId)
        result = run.tool("write_file", path="b.txt", content="one")
        assert_type(result, ToolResult)
        assert_type(result.output, str)
        assert_type(result.exit_code, int | None)
        assert_type(result.returned, object)
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
    with app.session(plan=run.plan_id):
        pass
    return app.apply.run(run.plan_id, ApplyOptions()).plan
