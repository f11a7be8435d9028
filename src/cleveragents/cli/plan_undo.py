"""`agents undo|redo` on plans: takes back what was done last to one, and does it again."""

import sys
from collections.abc import Sequence

from cleveragents.app import App
from cleveragents.cli import changes, previewing, views
from cleveragents.cli.invocation import Invocation, confirm
from cleveragents.cli.render import Block, Fields, Result, Text, show_blocks
from cleveragents.cli.undo import next_in_chats
from cleveragents.engine.undo.deeds import STEP, Deed, DeedList
from cleveragents.engine.undo.reversals import Effect, ReversalResult
from cleveragents.engine.undo.service import NOTHING, RetraceForesight, RetraceResult
from cleveragents.engine.undo.trail import Direction
from cleveragents.errors import Refused
from cleveragents.ids import SHORTEST, PlanId
from cleveragents.plans.plan import Plan
from cleveragents.shapes.act import REDO
from cleveragents.shapes.deed import nothing, retrace_of, retrace_preview_of
from cleveragents.undertakings import DryRunResult

REFUSED = 4  # the exit code of what would be refused
LAST = {Direction.BACK: "last act", Direction.FORWARD: "last undo"}
QUESTIONS = {Direction.BACK: "Take it back?", Direction.FORWARD: "Do it again?"}
VERBS = {
    "apply": "Applied",
    "unapply": "Unapplied",
    "rollback": "Rolled back",
    "correct": "Corrected",
    "revert": "Reverted",
    "restore": "Restored",
    "resolve": "Resolved",
    "refresh": "Refreshed",
    STEP: "Done",
}


def retrace(
    call: Invocation,
    app: App,
    direction: Direction,
    plan: str | None,
    *,
    yes: bool,
    dry_run: bool,
) -> Result:
    """Shows what would be done, asks, and does exactly that."""
    chosen = chosen_plan(call, app, plan)
    act = app.undertakings.retrace(direction, chosen)
    if act is not None and not dry_run:
        finished = act.finish()
        if finished is not None:
            return _finished(app, direction, finished, chosen)
        act = app.undertakings.retrace(direction, chosen)  # another one may be next now
    found = app.undo.deeds(chosen)
    call.messages += left_alone(found.busy)
    if act is None:
        return Result(nothing(), messages=[NOTHING[direction]])
    if dry_run:
        return _preview(direction, previewing.dry_run(call, act))
    _refuse_older(direction, found, act.plan_id)
    if yes:
        return _done(app, direction, act.carry_out(), chosen)
    would = act.foresee()
    show_blocks(_blocks(direction, would), call.form, sys.stderr)
    if not would.effect.obstacles:  # what is refused needs no question
        confirm(QUESTIONS[direction], yes=False, command_line=_line(direction, chosen))
    return _done(app, direction, act.carry_out(would.digest), chosen)


def _refuse_older(direction: Direction, found: DeedList, owner: PlanId) -> None:
    """Refuses to pass over the newest act for an older one that nobody has named."""
    newest = found.deeds[0].plan
    if any(newest.plan_id == plan.plan_id for plan in found.busy):
        raise Refused(
            f"the newest act is of {newest.name} ({newest.plan_id}), "
            "which another process is at work on",
            hints=[
                "wait for it to finish",
                f"or name the plan of the act before: agents {direction} --plan {owner}",
            ],
        )


def chosen_plan(call: Invocation, app: App, plan: str | None) -> PlanId | None:
    return None if plan is None else views.find(call, app, plan).plan_id


def _line(direction: Direction, chosen: PlanId | None) -> str:
    return f"agents {direction}" + (f" --plan {chosen}" if chosen else "")


def _preview(direction: Direction, found: DryRunResult[RetraceForesight]) -> Result:
    would, refused = found.would, bool(found.would.effect.obstacles)
    return Result(
        retrace_preview_of(would, moving=found.is_moving),
        _blocks(direction, would),
        status="warn" if refused else "ok",
        exit_code=REFUSED if refused else 0,
        messages=[previewing.DRY_RUN],
        next_steps=would.effect.ways_out or [f"agents {direction}"],
    )


def _blocks(direction: Direction, would: RetraceForesight) -> list[Block]:
    deed, effect = would.deed, would.effect
    return [
        Text([f"{LAST[direction]}: {_named(deed)}"]),
        *_branch(direction, deed),
        *([] if deed.branch else [changes.panel(f"Would change{_where(deed)}", effect.files)]),
        *([Text([_mine(effect.mine)])] if effect.mine else []),
        *_together(deed, effect),
        *previewing.blocks(effect.besides),
        *_in_the_way(effect),
    ]


def _where(deed: Deed) -> str:
    """Says of acts in a sandbox that it is not the user's own files that change."""
    return "" if deed.kind in ("apply", "unapply") else " in the sandbox"


def _named(deed: Deed) -> str:
    """Which act it is, and of which plan."""
    short = deed.plan.plan_id[:SHORTEST]
    return f"{deed.title} (plan {deed.plan.name}, {short}, {views.moment(deed.at)})"


def _branch(direction: Direction, deed: Deed) -> list[Block]:
    """Of a result that is in a branch, what becomes of that."""
    if deed.branch is None:
        return []
    taken_out = (direction is Direction.BACK) == (deed.kind == "apply")
    return [Text([f"branch {deed.branch} {'goes' if taken_out else 'is made again'}"])]


def _together(deed: Deed, effect: Effect) -> list[Block]:
    """Steps that go back with the last one."""
    others = [name for name in effect.steps if name != deed.told]
    if deed.kind != STEP or not others:
        return []
    told = "no checkpoint lies between it and the steps before, so these go back too: "
    return [Text([told + ", ".join(others)])]


def _in_the_way(effect: Effect) -> list[Block]:
    found = effect.obstacles
    return [Fields("In the way", [(each.path, each.why) for each in found])] if found else []


def _finished(
    app: App, direction: Direction, result: RetraceResult, chosen: PlanId | None
) -> Result:
    """The answer of one that recovery has just finished."""
    return Result(
        retrace_of(result),
        [Text([f"{LAST[direction]}: {_named(result.deed)}"])],
        _footer(direction, result.deed),
        messages=[f"the interrupted {direction} was finished just now; nothing else was done"],
        next_steps=_next(app, direction, result, chosen),
    )


def _done(app: App, direction: Direction, result: RetraceResult, chosen: PlanId | None) -> Result:
    done, deed = result.done, result.deed
    if done is None:
        return _finished(app, direction, result, chosen)
    failed = [run.told for run in done.calls if not run.worked]
    return Result(
        retrace_of(result),
        [
            Text([f"{direction} of {_named(deed)}"]),
            *([] if deed.branch else [changes.panel(f"Changed{_where(deed)}", done.files)]),
        ],
        _footer(direction, deed),
        status="warn" if failed else "ok",
        messages=[*_kept(done), *failed, *done.left, *_about_calls(done)],
        next_steps=_next(app, direction, result, chosen),
    )


def _footer(direction: Direction, deed: Deed) -> str:
    return "Taken back" if direction is Direction.BACK else f"{VERBS[deed.kind]} again"


def _kept(done: ReversalResult) -> list[str]:
    mine = [_mine(done.mine)] if done.mine else []
    return [*mine, *(f"kept, because it holds other files: {path}" for path in done.kept)]


def _mine(paths: Sequence[str]) -> str:
    return f"left as you have it: {previewing.first_of(paths)}"


def _about_calls(done: ReversalResult) -> list[str]:
    return [previewing.OUTSIDE, previewing.NOT_REDONE] if done.calls else []


def _next(
    app: App, direction: Direction, result: RetraceResult, chosen: PlanId | None
) -> list[str]:
    """The command that takes it back, and the one after it, which may be about a chat."""
    this, further = {
        Direction.BACK: ("# does it again", "# takes back the act before it"),
        Direction.FORWARD: ("# does again what was taken back before", "# takes it back again"),
    }[direction]
    if chosen is None and (turn := next_in_chats(app)):
        further = f"# takes back {turn}"
    elif not result.is_more_back:
        further = ""
    return [
        *([f"{REDO}    {this}"] if result.is_more_forward else []),
        *([f"agents undo    {further}"] if further else []),
    ]


def left_alone(busy: Sequence[Plan]) -> list[str]:
    return [
        f"left alone, another process is at work on it: {plan.name} ({plan.plan_id})"
        for plan in busy
    ]
