"""`agents plan …`: make, run and inspect plans."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from cleveragents.app import ROLLBACK_OFF, App
from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.on_chats import is_chat
from cleveragents.cli.render import Grid, Result, Text
from cleveragents.counting import counted
from cleveragents.errors import Failed, InvalidInput
from cleveragents.plans.lifecycle import written
from cleveragents.plans.naming import FIRST_PLAN, NO_PLAN_YET, no_chat_yet
from cleveragents.plans.plan import CHAT, PLAN, Plan

NAMED = 5  # plans in one message


def use(call: Invocation, action: Path, arg: Sequence[str] = ()) -> Result:
    """Make a plan from an action file."""
    from cleveragents.shapes.plan import plan_of  # every other command has shapes of its own

    app = call.app()
    made = make_plan(app, action, arg)
    return Result(
        plan_of(made),
        [Text([made.plan_id])],
        messages=app.cautions(made),
        next_steps=[f"agents plan execute {made.plan_id}"],
    )


def list_plans(
    call: Invocation,
    limit: int | None = None,
    state: str | None = None,
    name: str | None = None,
    kind: str = PLAN,
) -> Result:
    """List the plans of this project, the newest first, subplans below theirs."""
    from cleveragents.shapes.plan import list_of  # as above

    app = call.app()
    nested = list(_nested(app.plans.list(limit=limit, state=state, name=name, kind=kind)))
    found = [plan for _, plan in nested]
    unsettled, conflicts = app.plans.unsettled(found), app.plans.conflicts()
    short = views.short_ids(call, app, [plan.plan_id for plan in found])
    rows = [
        [
            short[plan.plan_id],
            (views.chat_state(plan) if is_chat(plan) else written(plan.stage))
            + _interrupted(unsettled[plan.plan_id])
            + _conflicted(len(conflicts.get(plan.plan_id, ()))),
            "-" if is_chat(plan) else f"{plan.step_index}/{plan.step_count}",
            views.ago(plan.created_at),
            f"{'  ' * depth}{plan.name}",
        ]
        for depth, plan in nested
    ]
    table = Grid("", ["PLAN", "STATE", "STEPS", "CREATED", "NAME"], rows)
    hints = [] if found else _nothing_listed(app, kind, is_narrowed=bool(state or name))
    hints += _bare([plan.name for plan in found if plan.runs_bare])
    hints += app.general_cautions
    data = list_of(found, unsettled, conflicts)
    return Result(data, [table] if found else [], messages=hints, paged=True)


def _nothing_listed(app: App, kind: str, *, is_narrowed: bool) -> list[str]:
    """The message where no plan is listed."""
    if kind == CHAT and is_narrowed:
        return ["no chat is like that"]
    if kind == CHAT and app.plans.moved_from() is None:
        missing = no_chat_yet(is_protected=app.chats.reads.is_protected)
        return ["; ".join((missing.message, *missing.hints))]
    if is_narrowed and app.plans.list(limit=1):
        return ["no plan is like that; see them all: agents plan list"]
    return _without_plans(app)


def _without_plans(app: App) -> list[str]:
    """The message where no plan is; a project that was moved has its plans under its old path."""
    old = app.plans.moved_from()
    if old is None:
        return [f"{NO_PLAN_YET}; {FIRST_PLAN}"]
    follow = "agents project move"
    return [f"this directory was {old} when plans were made for it; let them follow: {follow}"]


def _bare(names: Sequence[str]) -> list[str]:
    """One line about all the plans that run without checkpoints."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [f"{', '.join(names[:NAMED])}{more}: {ROLLBACK_OFF}"] if names else []


def _interrupted(what: Sequence[str]) -> str:
    return f" (interrupted: {', '.join(what)})" if what else ""


def _conflicted(count: int) -> str:
    return f" ({counted(count, 'conflict')})" if count else ""


def make_plan(app: App, action: Path, pairs: Sequence[str], *, to_run: bool = False) -> Plan:
    """Makes a plan; one that cannot keep its promise is an error with everything listed."""
    made = app.use(action, _arguments(pairs), to_run=to_run)
    if made.error is not None:
        raise Failed(
            f"plan {made.plan_id}: {made.error.message}",
            detail=made.error.detail,
            hints=["mend the action and use it again"],
        )
    return made


def _nested(plans: Sequence[Plan]) -> Iterator[tuple[int, Plan]]:
    """Yields plans with how deep they are: the newest first, subplans in order after theirs.

    A subplan whose plan is not among them stands at the top.
    """
    there = {plan.plan_id for plan in plans}
    below: dict[str | None, list[Plan]] = {}
    for plan in plans:
        parent = plan.parent_plan_id if plan.parent_plan_id in there else None
        below.setdefault(parent, []).append(plan)
    waiting = [(0, plan) for plan in below.get(None, [])]
    while waiting:
        depth, plan = waiting.pop()
        yield depth, plan
        waiting += [(depth + 1, child) for child in reversed(below.get(plan.plan_id, []))]


def _arguments(pairs: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise InvalidInput(f"--arg {pair}: write it as NAME=VALUE")
        found[name] = value
    return found
