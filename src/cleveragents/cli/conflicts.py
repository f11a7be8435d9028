"""`agents plan conflicts|resolve|refresh`: what does not go together, and how it is solved."""

import os
from collections.abc import Sequence

from cleveragents.cli import changes, previewing, views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Grid, Result, Text
from cleveragents.counting import counted
from cleveragents.engine.bring.conflicts import SolvedConflict
from cleveragents.engine.bring.resolution import ResolutionProposal
from cleveragents.engine.read.next_steps import going_on
from cleveragents.plans.conflict import Conflict
from cleveragents.plans.lifecycle import COMPLETE
from cleveragents.plans.plan import Plan
from cleveragents.quoting import quoted
from cleveragents.shapes.conflict import list_of, resolution_of, resolution_preview_of
from cleveragents.shapes.refresh import refresh_of, refresh_preview_of
from cleveragents.snapshots.merging import MergeResult

LISTED = 20  # paths shown to people; JSON has them all


def conflicts(call: Invocation, plan: str = "@") -> Result:
    """List what did not go together in a plan's sandbox."""
    app = call.app()
    found = views.find(call, app, plan)
    left = app.conflicts.open(found.plan_id)
    return Result(
        list_of(left),
        _table(left),
        messages=[] if left else ["there is no open conflict"],
        next_steps=_ways_out(found, left) or _bringing_in(found),
    )


def resolve(
    call: Invocation,
    plan: str,
    path: str,
    take: str,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Solve a conflict: the version you take goes into the sandbox."""
    app = call.app(progress=True)
    found = views.find(call, app, plan)
    again = f"agents plan resolve {found.plan_id} {quoted(path)} --take {quoted(take)}"
    act = app.undertakings.resolve(found.plan_id, path, take)
    if dry_run:
        looked = previewing.dry_run(call, act)
        data = resolution_preview_of(path, looked.would, moving=looked.is_moving)
        shown = _replaced(looked.would)
        return Result(data, shown, messages=[previewing.DRY_RUN], next_steps=[again])
    would, digest = act.foresee(), None
    if would.made and not yes:
        question = f"Replace what you made by hand with {take}?"
        digest = previewing.asked(
            call, would, again=again, show=_replaced(would), question=question
        )
    solved = act.carry_out(digest)
    return _solved(found, path, take, solved, app.conflicts.open(found.plan_id))


def _replaced(proposed: ResolutionProposal) -> list[Block]:
    made = map(os.fsdecode, proposed.made)
    by_hand = [f"made by hand, in neither version: {path}" for path in made]
    return [changes.panel("Would change", proposed.changes), Text(by_hand)]


def _solved(
    plan: Plan, path: str, take: str, solved: SolvedConflict, left: Sequence[Conflict]
) -> Result:
    back = []
    if solved.before is not None:
        line = f"agents plan rollback {plan.plan_id} {solved.before.seq}"
        back = [f"{line}    # takes this one back"]
    return Result(
        resolution_of(path, take, solved, len(left)),
        [Text([f"{path}: took {take} ({solved.conflict.reason})"])],
        next_steps=[*(_ways_out(plan, left) or _after(plan)), *back],
    )


def refresh(call: Invocation, plan: str = "@", yes: bool = False, dry_run: bool = False) -> Result:
    """Merge what you changed in the project meanwhile into a plan's sandbox."""
    app = call.app(progress=True)
    found = views.find(call, app, plan)
    act = app.undertakings.refresh(found.plan_id)
    if dry_run:
        looked = previewing.dry_run(call, act)
        return _preview(found, looked.would.merge, is_moving=looked.is_moving)
    done = previewing.undertake(
        call,
        act,
        yes=yes,
        again=f"agents plan refresh {found.plan_id}",
        show=lambda would: [_proposed(would.merge)],
        question=lambda _: "Merge this into the sandbox?",
    )
    back = []
    if done.before is not None:
        again = f"agents plan rollback {found.plan_id} {done.before.seq}"
        back = [f"{again}    # takes the refresh back"]
    return Result(
        refresh_of(found.plan_id, done),
        [Text([f"{counted(done.files, 'path')} merged into the sandbox"]), *_table(done.conflicts)],
        status="warn" if done.conflicts else "ok",
        next_steps=[
            *(_ways_out(found, done.conflicts) or _after(found)),
            *back,
        ],
    )


def _preview(plan: Plan, would: MergeResult, *, is_moving: bool) -> Result:
    return Result(
        refresh_preview_of(plan.plan_id, would, moving=is_moving),
        [_proposed(would)],
        messages=[previewing.DRY_RUN],
        next_steps=[f"agents plan refresh {plan.plan_id}"],
    )


def _proposed(would: MergeResult) -> Grid:
    rows = [["conflict", os.fsdecode(c.path), c.reason] for c in would.conflicts]
    rows += [["merge", os.fsdecode(change.path), ""] for change in would.changes[:LISTED]]
    if len(would.changes) > LISTED:
        rows.append(["…", f"and {len(would.changes) - LISTED} more", ""])
    return Grid("Would merge into the sandbox", ["", "PATH", "WHY"], rows or [["", "nothing", ""]])


def _table(left: Sequence[Conflict]) -> list[Grid]:
    rows = [[conflict.reason, os.fsdecode(conflict.path), conflict.source] for conflict in left]
    return [Grid("Conflicts", ["WHY", "PATH", "WITH"], rows)] if rows else []


def _bringing_in(plan: Plan) -> list[str]:
    """What the user's own changes conflict with is known here only once they are brought in."""
    if plan.stage != COMPLETE or plan.parent_plan_id is not None:
        return []
    return [f"agents plan refresh {plan.plan_id}    # lists what `plan apply` finds in the way"]


def _after(plan: Plan) -> list[str]:
    """What follows once nothing is in conflict: a plan that is not complete goes on first."""
    done = plan.stage == COMPLETE and plan.parent_plan_id is None
    return [f"agents plan apply {plan.plan_id}" if done else going_on(plan)]


def _ways_out(plan: Plan, left: Sequence[Conflict]) -> list[str]:
    paths = [quoted(os.fsdecode(conflict.path)) for conflict in left[:1]]
    return [f"agents plan resolve {plan.plan_id} {path} --take parent|child|FILE" for path in paths]
