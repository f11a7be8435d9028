"""`agents plan unapply`: take an applied plan out of the project again."""

import sys
from collections.abc import Sequence

from cleveragents.cli import previewing, views
from cleveragents.cli.apply import (
    LISTED,
    REFUSED,
    apply_again,
    finished,
    in_the_way,
    kept,
    rest,
)
from cleveragents.cli.invocation import Invocation, confirm
from cleveragents.cli.render import Block, Fields, Grid, Result, Text, show_blocks
from cleveragents.counting import counted
from cleveragents.engine.bring.application import RecoveredApply
from cleveragents.engine.bring.withdrawal import Withdrawal
from cleveragents.plans.plan import Plan
from cleveragents.shapes.apply import unapplication_of, unapply_preview_of

AS_BEFORE = "Your project is as before the plan was applied; nothing is left to put back"


def unapply(
    call: Invocation,
    plan: str = "@",
    keep_mine: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Take an applied plan out of your project again."""
    app = call.app(progress=True)
    found = views.meant(call, app, plan)
    act = app.undertakings.unapply(found.plan_id, keep_mine=keep_mine)
    if dry_run:
        looked = previewing.dry_run(call, act)
        return _preview(found, looked.would, is_moving=looked.is_moving)
    begun = act.finish()
    if isinstance(begun, RecoveredApply):
        return finished(begun)
    would = act.foresee()
    if not yes:
        show_blocks(_blocks(would), call.form, sys.stderr)
    if not would.obstacles:  # what is refused needs no question
        confirm(_question(would), yes=yes, command_line=would.command)
    undone = act.carry_out(None if yes else would.digest)
    if isinstance(undone, RecoveredApply):
        return finished(undone)
    return Result(
        unapplication_of(found, would, undone.kept),
        [Text([_done(would, undone.kept)])],
        "Unapplied",
        messages=[*_beside(would), *kept(undone.kept)],
        next_steps=[
            *_with_git(would),
            f"{apply_again(found, would.applied.intent)}    # applies it again",
        ],
    )


def _preview(plan: Plan, would: Withdrawal, *, is_moving: bool) -> Result:
    return Result(
        unapply_preview_of(plan, would, moving=is_moving),
        _blocks(would),
        status="warn" if would.obstacles else "ok",
        exit_code=REFUSED if would.obstacles else 0,
        messages=[*_beside(would), previewing.DRY_RUN],
        next_steps=would.ways_out or [would.command],
    )


def _blocks(would: Withdrawal) -> list[Block]:
    """The changes of taking an apply back, and the obstacles."""
    branch = would.applied.intent.branch
    if branch:
        told: Block = Fields("Would remove", [("branch", branch.branch)])
    else:
        rows = [[_fate(path, would), path] for path in would.paths[:LISTED]]
        more = [["…", line] for line in rest(len(would.paths))]
        told = Grid("Would put back", ["", "PATH"], [*rows, *more] or [["", "nothing"]])
    return [told, *in_the_way(would.obstacles)]


def _fate(path: str, would: Withdrawal) -> str:
    return "merge" if path in would.merged else "as before"


def _question(would: Withdrawal) -> str:
    branch = would.applied.intent.branch
    if branch:
        return f"Remove branch {branch.branch}?"
    return f"Put {counted(len(would.paths), 'path')} back as before the plan was applied?"


def _done(would: Withdrawal, stayed: Sequence[str]) -> str:
    branch = would.applied.intent.branch
    if branch:
        return f"Removed branch {branch.branch}; your files were not touched"
    if not would.paths and not would.mine:
        return AS_BEFORE
    if not would.paths:
        named = ", ".join(would.mine[:LISTED])
        stays = "stays" if len(would.mine) == 1 else "stay"
        return f"Nothing was put back: {named} {stays} as you have it"
    count = sum(path.rstrip("/") not in stayed for path in would.paths)
    return f"Put {counted(count, 'path')} back as before the plan was applied"


def _beside(would: Withdrawal) -> list[str]:
    """Notes about paths that do not just go back."""
    told = [f"{name} has what was in the plan's branch, and keeps it" for name in would.merged_into]
    told += [f"your changes stay in {previewing.first_of(would.merged)}"] if would.merged else []
    told += [f"left as you have it: {previewing.first_of(would.mine)}"] if would.mine else []
    already = counted(len(would.already), "path was", "paths were")
    return [*told, *([f"{already} as before already"] if would.already else [])]


def _with_git(would: Withdrawal) -> list[str]:
    """The part that is left to git, where a branch of the user's has what the plan's had."""
    branch = would.applied.intent.branch
    if branch is None or not would.merged_into:
        return []
    return [f"git revert {branch.commit}    # takes it out of {', '.join(would.merged_into)}"]
