"""`agents plan status`: where a plan stands; commands that run one answer with it as well."""

import os

from cleveragents.app import App
from cleveragents.checkpoints.checkpoint import forgotten
from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.on_chats import is_chat
from cleveragents.cli.render import Block, Fields, Grid, Outline, Result
from cleveragents.counting import counted
from cleveragents.engine.hold.stuck import REPAIR, standing
from cleveragents.engine.read.next_steps import next_steps, whereabouts
from cleveragents.engine.read.status import PlanStatus
from cleveragents.operations.operation import AnyOperation
from cleveragents.plans.lifecycle import (
    written,
)
from cleveragents.plans.plan import Plan
from cleveragents.shapes.status import report_of

NAMED = 5  # paths of conflicts shown to people; JSON has them all


def status(call: Invocation, plan: str = "@") -> Result:
    """Tell where a plan stands."""
    app = call.app()
    found = views.meant(call, app, plan)
    if is_chat(found):
        from cleveragents.cli.chat_status import told_chat  # who has no chats needs none

        return told_chat(call, app, found)
    return told(call, app.plans.status(found), app)._replace(paged=True)


def told(call: Invocation, found: PlanStatus, app: App) -> Result:
    """Tells where a plan stands."""
    plan = found.plan
    every = [plan.plan_id, *(child.plan_id for child in found.children)]
    short = views.short_ids(call, app, every)
    blocks: list[Block] = [
        *_failure(found),
        Fields(f"Plan {plan.name}", [("Plan", short[plan.plan_id]), *_facts(found)]),
        Grid("", ["STEP", "STATUS"], [[step.step, step.status] for step in found.progress]),
    ]
    if found.children:
        rows = [
            [short[child.plan_id], child.name, written(child.stage), _merged(child, found)]
            for child in found.children
        ]
        blocks.append(Grid("", ["SUBPLAN", "NAME", "STATE", "MERGED"], rows))
    notes = app.confinement_notes(plan) if call.verbose else ()
    messages = [*notes, *app.cautions(plan)]
    if found.interrupted:
        where = "with the files as they are" if plan.runs_bare else "from its checkpoint"
        messages.append(f"the run was interrupted; `plan resume` goes on {where}")
    messages += [_unfinished(operation, found) for operation in found.unfinished]
    messages += [run.told for run in found.not_undone]
    messages += _conflicted(found)
    return Result(
        report_of(found),
        blocks,
        status="warn" if found.needs_attention else "ok",
        messages=messages,
        next_steps=[*([REPAIR] if found.unfinished else []), *next_steps(found)],
    )


def _failure(found: PlanStatus) -> list[Block]:
    """The failure, its last lines, and where the files are: before all else."""
    error = found.plan.error
    if error is None:
        return []
    failed = f"step {error.step} failed: " if error.step else "failed: "
    where = [f"files: {files}"] if (files := whereabouts(found, error)) else []
    below = [("  ", "    ", line) for line in (*error.detail, *where)]
    return [Outline([("", "  ", f"{failed}{error.message}"), *below])]


def _unfinished(operation: AnyOperation, found: PlanStatus) -> str:
    if not operation.is_stuck:
        kind = operation.kind.noun
        return f"an interrupted {kind} is finished by the next command that changes the plan"
    left = standing(operation, found.checkpoints)
    text = (
        f"an interrupted {operation.kind.noun} cannot be finished: {operation.reason}; {left.files}"
    )
    return f"{text} (give it up: {REPAIR})"


def _conflicted(found: PlanStatus) -> list[str]:
    """The meaning of open conflicts for a plan."""
    count = len(found.conflicts) + sum(found.conflicts_below.values())
    if not count:
        return []
    open_ = counted(count, "conflict is", "conflicts are")
    if found.waits:
        until = "it is resolved" if count == 1 else "they are resolved"
        return [f"{open_} open: the plan waits before its next step until {until}"]
    return [f"{open_} open: the files hold one side of each, and the plan cannot be applied yet"]


def _merged(child: Plan, found: PlanStatus) -> str:
    """Whether the result of a subplan is in its parent, and how much of it did not fit."""
    left = [one for one in found.conflicts if one.source == child.plan_id]
    if child.merged_ref is None:
        own = found.conflicts_below.get(child.plan_id, 0)
        return f"no, {counted(own, 'conflict is', 'conflicts are')} open in it" if own else "no"
    return f"with {counted(len(left), 'conflict')}" if left else "yes"


def _facts(found: PlanStatus) -> list[tuple[str, str]]:
    plan, sandbox = found.plan, found.sandbox
    facts = [
        ("State", written(plan.stage) + (" (interrupted)" if found.interrupted else "")),
        ("Attempt", str(plan.attempt)),
    ]
    if sandbox is not None:
        where = sandbox.strategy + ("" if sandbox.exists else f", {sandbox.condition}")
        facts += [
            ("Sandbox", f"{views.place(sandbox.path)} ({where})"),
            ("Branch", sandbox.branch or "-"),
        ]
    facts += [
        (
            "Files modified",
            "unknown" if found.files_modified is None else str(found.files_modified),
        ),
        ("Checkpoints", _checkpoints(found)),
    ]
    if found.confined:
        facts.append(("Confined", "; ".join(found.confined)))
    if found.conflicts:
        paths = ", ".join(os.fsdecode(one.path) for one in found.conflicts[:NAMED])
        more = ", …" if len(found.conflicts) > NAMED else ""
        facts.append(("Conflicts", f"{len(found.conflicts)} open: {paths}{more}"))
    return facts


def _checkpoints(found: PlanStatus) -> str:
    if found.checkpoints or found.plan.runs_bare:
        gone = forgotten(found.checkpoints)
        return f"{len(found.checkpoints)}{f', {gone} more are gone' if gone else ''}"
    return "none yet, the first is made when it runs"
