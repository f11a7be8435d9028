"""What commands show of plans and differences: data for programs, blocks for people."""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import cast

from cleveragents.app import App
from cleveragents.checkpoints.checkpoint import Checkpoint, forgotten
from cleveragents.checkpoints.comparison import FileDiff
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.cli.invocation import current
from cleveragents.cli.render import Fields, Grid, Result, Text, name_fields
from cleveragents.config.environment import caller_environment, home
from cleveragents.counting import counted
from cleveragents.engine.hold.stuck import REPAIR, standing
from cleveragents.engine.read.status import PlanStatus
from cleveragents.ids import now
from cleveragents.operations.operation import AnyOperation
from cleveragents.plans.lifecycle import (
    APPLIED,
    CANCELLED,
    COMPLETE,
    ERRORED,
    QUEUED,
    RUNNING,
    STRATEGIZED,
    STRATEGY_FAILED,
    written,
)
from cleveragents.plans.plan import Plan

NAMED = 5  # paths of conflicts shown to people; JSON has them all
TRIGGERS = "sandbox.checkpoint.auto-create-on"
ROLLBACK_OFF = "rollback is off for this plan: it runs without checkpoints"
AUTOMATIC_OFF = "automatic checkpoints are off: a crash starts again from pre_execute"
UNCONFINED = (
    "steps are not confined yet: an absolute path in a step still reaches your own files, and the"
    " data directory with all checkpoints"
)


def moment(value: datetime) -> str:
    """A time as people read it, in UTC; the day is left out while it lasts."""
    today = value.date() == now().date()
    return value.strftime("%H:%M:%SZ" if today else "%Y-%m-%d %H:%M:%SZ")


def day(value: datetime) -> str:
    """A time as people read it in a list: that of today, or the day."""
    today = value.date() == now().date()
    return value.strftime("%H:%M:%SZ" if today else "%Y-%m-%d")


def place(path: Path) -> str:
    """A path as people write it: what is below their home begins with ~."""
    own = home(caller_environment())
    return f"~/{path.relative_to(own)}" if path.is_relative_to(own) else str(path)


def fields(title: str, data: Mapping[str, object]) -> Fields:
    """A panel of data; names are written as words."""
    rows = [(name.replace("_", " ").capitalize(), _plainly(value)) for name, value in data.items()]
    return Fields(title, rows)


def _plainly(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, cast("Sequence[object]", value))) or "-"
    return "-" if value is None else str(value)


def checkpoint_row(row: Checkpoint) -> dict[str, object]:
    """A checkpoint as programs read it: the columns of the table."""
    columns = dict(vars(row))
    columns["created_at"] = row.created_at.isoformat()
    columns["metadata_json"] = dict(columns.pop("metadata"))
    return columns


def remark(row: Checkpoint, *, left_behind: bool) -> str:
    """Why a checkpoint was made, and whether a rollback left it behind."""
    text = f"{row.label}: {row.reason}" if row.label else row.reason
    return f"{text} (left behind)" if left_behind else text


def plan_row(plan: Plan) -> dict[str, object]:
    """A plan as programs read it in lists."""
    return {
        "plan_id": plan.plan_id,
        "name": plan.name,
        "phase": plan.phase,
        "state": plan.state,
        "attempt": plan.attempt,
        "steps": len(plan.outline["steps"]),
        "next_step": plan.step_index,
        "created_at": plan.created_at.isoformat(),
        "parent_plan_id": plan.parent_plan_id,
        "merged": plan.merged_ref is not None,
    }


def runs_bare(plan: Plan) -> bool:
    """Whether a plan runs without checkpoints."""
    return not plan.outline["rollback"]["enabled"]


def cautions(plan: Plan, app: App) -> list[str]:
    """What every output about a plan says while it is so."""
    if runs_bare(plan):
        return [ROLLBACK_OFF]
    return without_triggers(app)


def without_triggers(app: App) -> list[str]:
    """What is told where no checkpoint is made by itself."""
    return [] if app.settings.texts(TRIGGERS) else [AUTOMATIC_OFF]


def find(app: App, text: str) -> Plan:
    """Finds a plan; one that runs without checkpoints is told as such by every command."""
    plan = app.plans.find(text)
    if runs_bare(plan):
        current.messages.append(ROLLBACK_OFF)
    return plan


def status(found: PlanStatus, app: App) -> Result:
    """Where a plan stands."""
    plan = found.plan
    blocks = [
        Fields(f"Plan {plan.name}", _facts(found)),
        Grid("", ["STEP", "STATUS"], [[step.step, step.status] for step in found.progress]),
    ]
    if found.children:
        rows = [
            [child.plan_id, child.name, written(child.stage), _merged(child, found)]
            for child in found.children
        ]
        blocks.append(Grid("", ["SUBPLAN", "NAME", "STATE", "MERGED"], rows))
    messages = [*([UNCONFINED] if current.verbose else []), *cautions(plan, app)]
    if found.interrupted:
        where = "with the files as they are" if runs_bare(plan) else "from its checkpoint"
        messages.append(f"the run was interrupted; `plan resume` goes on {where}")
    messages += [_unfinished(operation, found) for operation in found.unfinished]
    messages += [run.told for run in found.not_undone]
    messages += [conflicted(len(found.conflicts))] if found.conflicts else []
    stuck = any(operation.is_stuck for operation in found.unfinished)
    warned = plan.stage == ERRORED or found.interrupted or found.not_undone or stuck
    return Result(
        _status_data(found),
        blocks,
        status="warn" if warned or found.conflicts else "ok",
        messages=messages,
        next_steps=[*([REPAIR] if stuck else []), *next_steps(found)],
    )


def _unfinished(operation: AnyOperation, found: PlanStatus) -> str:
    if not operation.is_stuck:
        kind = operation.kind.noun
        return f"an interrupted {kind} is finished by the next command that changes the plan"
    left = standing(operation, found.checkpoints)
    text = (
        f"an interrupted {operation.kind.noun} cannot be finished: {operation.reason}; {left.files}"
    )
    return f"{text} (give it up: {REPAIR})"


def conflicted(count: int) -> str:
    """What open conflicts mean for a plan."""
    open_ = counted(count, "conflict is", "conflicts are")
    return f"{open_} open: the files hold one side of each, and the plan cannot be applied yet"


def conflict_rows(found: PlanStatus) -> list[dict[str, str]]:
    """The open conflicts of a plan as programs read them."""
    return [
        {**name_fields("file", os.fsdecode(one.path)), "reason": one.reason}
        for one in found.conflicts
    ]


def solving(plan: Plan) -> str:
    """The command that leads to the solution of conflicts."""
    return f"agents plan conflicts {plan.plan_id}    # lists them, and tells how to solve one"


def _merged(child: Plan, found: PlanStatus) -> str:
    """Whether the result of a subplan is in its parent, and how much of it did not fit."""
    left = [one for one in found.conflicts if one.source == child.plan_id]
    if child.merged_ref is None:
        return "no"
    return f"with {counted(len(left), 'conflict')}" if left else "yes"


def diff_row(diff: FileDiff) -> dict[str, object]:
    """How one file differs, as programs read it."""
    return {
        **name_fields("path", diff.path),
        "status": diff.status,
        "insertions": diff.insertions,
        "deletions": diff.deletions,
    }


def differences(found: Sequence[FileDiff], *, stat: bool) -> Result:
    """How files differ, as a patch or as counts."""
    data = {"files": [diff_row(diff) for diff in found]}
    rows = [[diff.status, f"+{diff.insertions} -{diff.deletions}", diff.path] for diff in found]
    said = [] if found else ["no file differs"]
    if stat:
        table = [Grid("", ["STATUS", "LINES", "PATH"], rows)] if rows else []
        return Result(data, table, messages=said, paged=True)
    lines: list[str] = []
    for diff in found:
        lines += diff.patch or [f"{diff.status}: {diff.path} ({diff.remark})"]
    return Result(data, [Text(lines)], messages=said, paged=True)


def names(found: Sequence[FileDiff]) -> Result:
    """Which files differ, one to a line."""
    data = {"files": [diff_row(diff) for diff in found]}
    return Result(data, [Text([diff.path for diff in found])], paged=True)


def _facts(found: PlanStatus) -> list[tuple[str, str]]:
    plan, sandbox = found.plan, found.sandbox
    facts = [
        ("Plan", plan.plan_id),
        ("State", written(plan.stage) + (" (interrupted)" if found.interrupted else "")),
        ("Attempt", str(plan.attempt)),
    ]
    if sandbox is not None:
        where = sandbox.strategy + ("" if sandbox.exists else f", {sandbox.condition}")
        facts += [
            ("Sandbox", f"{place(sandbox.path)} ({where})"),
            ("Branch", sandbox.branch or "-"),
        ]
    facts += [
        (
            "Files modified",
            "unknown" if found.files_modified is None else str(found.files_modified),
        ),
        ("Checkpoints", _checkpoints(found)),
    ]
    if found.conflicts:
        paths = ", ".join(os.fsdecode(one.path) for one in found.conflicts[:NAMED])
        more = ", …" if len(found.conflicts) > NAMED else ""
        facts.append(("Conflicts", f"{len(found.conflicts)} open: {paths}{more}"))
    if plan.error is not None:
        failed = f"step {plan.error.step}: " if plan.error.step else ""
        facts += [("Error", f"{failed}{plan.error.message}"), ("Files", plan.error.files)]
    return facts


def _checkpoints(found: PlanStatus) -> str:
    if found.checkpoints or runs_bare(found.plan):
        gone = forgotten(found.checkpoints)
        return f"{len(found.checkpoints)}{f', {gone} more were forgotten' if gone else ''}"
    return "none yet, the first is made when it runs"


def _status_data(found: PlanStatus) -> dict[str, object]:
    plan, sandbox = found.plan, found.sandbox
    place = None
    if sandbox is not None:
        place = {
            "strategy": sandbox.strategy,
            "path": str(sandbox.path),
            "branch": sandbox.branch,
            "status": sandbox.condition,
        }
    data: dict[str, object] = {
        **plan_row(plan),
        "progress": [vars(step) for step in found.progress],
        "execution": {
            "sandbox": place,
            "tool_calls": found.tool_calls,
            "files_modified": found.files_modified,
            "child_plans": len(found.children),
            "checkpoints": len(found.checkpoints),
        },
        "checkpoints": [
            {
                "seq": row.seq,
                "checkpoint_id": row.checkpoint_id,
                "created_at": row.created_at.isoformat(),
                "label": row.label,
            }
            for row in found.checkpoints
        ],
        "checkpoints_forgotten": forgotten(found.checkpoints),
        "children": [plan_row(child) for child in found.children],
        "conflicts": conflict_rows(found),
        "interrupted": found.interrupted,
        "unfinished_operations": [operation.kind for operation in found.unfinished],
        "stuck_operations": [
            {"kind": operation.kind, "reason": operation.reason}
            for operation in found.unfinished
            if operation.is_stuck
        ],
    }
    if plan.error is not None:
        data["error"] = error_data(plan)
    return data


def error_data(plan: Plan) -> dict[str, object] | None:
    """Why a plan is errored, as programs read it."""
    error = plan.error
    return None if error is None else {**vars(error), "detail": list(error.detail)}


def next_steps(found: PlanStatus) -> list[str]:
    """The commands that make sense next."""
    plan, stage = found.plan.plan_id, found.plan.stage
    bare = runs_bare(found.plan)
    look = [f"agents plan diff {plan}"]
    look += [] if bare else [f"agents plan checkpoint list {plan}"]
    if found.conflicts and stage != RUNNING:
        look = [solving(found.plan), *look]
    if stage == COMPLETE:
        return _after_success(found, look)
    if stage == APPLIED:
        return [*look, f"agents plan unapply {plan}    # takes it out of your project"]
    if stage == STRATEGY_FAILED:
        return ["agents plan use ACTION    # once the action is mended"]
    if stage in (CANCELLED, ERRORED, QUEUED, STRATEGIZED) or found.interrupted:
        again = [f"agents plan resume {plan}" if found.interrupted else going_on(found.plan)]
        if found.sandbox is None:
            return again
        return [*again, *look, *([] if bare or stage != ERRORED else _after_failure(found))]
    return look if stage == RUNNING else []


def _after_success(found: PlanStatus, look: Sequence[str]) -> list[str]:
    """Ways on from a result; where its files are gone, the one that makes them again."""
    plan, rows = found.plan.plan_id, found.checkpoints
    if found.sandbox and not found.sandbox.exists and rows:
        again = f"agents plan rollback {plan} {rows[-1].seq} --rebuild"
        return [f"agents plan checkpoint list {plan}", f"{again}    # makes its sandbox again"]
    refused = found.plan.parent_plan_id or found.conflicts
    place = [] if refused else [f"agents plan apply {plan}"]
    back = [] if runs_bare(found.plan) else [f"agents plan rollback {plan} CHECKPOINT"]
    return [*look, *place, *back]


def going_on(plan: Plan) -> str:
    """The command that runs a plan on, with what it does where nothing is left to run."""
    command = f"agents plan execute {plan.plan_id}"
    return command if plan.step else f"{command}    # every step has run: completes the plan"


def _after_failure(found: PlanStatus) -> list[str]:
    """Ways to what the failed step left, where it was kept, and to what was before."""
    plan = found.plan.plan_id
    kept = [row for row in found.checkpoints if row.checkpoint_type is CheckpointType.ERROR]
    ways = [f"agents plan rollback {plan} CHECKPOINT"]
    if kept and found.plan.error and kept[-1].step_index == found.plan.error.step_index:
        ways.append(f"agents plan rollback {plan} {kept[-1].seq}    # what the failed step left")
    return ways
