"""`agents op log`: everything that was done here, on plans and by agents in chats."""

import heapq
from datetime import datetime

from cleveragents.app import App
from cleveragents.cli import views
from cleveragents.cli.chat_views import cut
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.plan_undo import chosen_plan, left_alone
from cleveragents.cli.render import Grid, Result
from cleveragents.cli.undo import is_chats_turn, next_turn
from cleveragents.engine.chat.timeline import ChatStory, TurnStory
from cleveragents.engine.undo.deeds import Deed, DeedList, Fate
from cleveragents.engine.undo.trail import Direction
from cleveragents.records import frozen
from cleveragents.shapes.act import OpRow
from cleveragents.shapes.chat import turn_named
from cleveragents.shapes.deed import op_log_of, op_row_of
from cleveragents.shapes.timeline import turn_act_of, turn_id

PROMPT = 60  # letters of a prompt
WAYS = {
    Direction.BACK: "agents undo    # takes back the newest act that stands",
    Direction.FORWARD: "agents redo    # does again what was taken back last",
}


@frozen
class _Act:
    """An act on a plan, or a turn of a chat."""

    at: datetime
    title: str
    name: str
    fate: str
    owner: str
    row: OpRow


def log(call: Invocation, plan: str | None = None, limit: int | None = None) -> Result:
    """List everything that was done here, the newest first."""
    app = call.app()
    turns = _turns(app) if plan is None else []
    found = app.undo.deeds(chosen_plan(call, app, plan)) if _is_on_plans(app, plan) else None
    on_plans = [] if found is None else [_on_plan(deed) for deed in found.deeds]
    acts = list(heapq.merge(on_plans, turns, key=lambda act: act.at, reverse=True))[:limit]
    short = views.short_ids(call, app, {act.owner for act in acts})
    rows = [[views.moment(act.at), act.title, act.name, act.fate, short[act.owner]] for act in acts]
    nexts = {direction: _next(app, found, direction, plan) for direction in Direction}
    return Result(
        op_log_of([act.row for act in acts], nexts[Direction.BACK], nexts[Direction.FORWARD]),
        [Grid("", ["WHEN", "ACT", "PLAN", "NOW", "ID"], rows)],
        messages=[] if found is None else left_alone(found.busy),
        next_steps=[WAYS[direction] for direction, due in nexts.items() if due],
        paged=True,
    )


def _is_on_plans(app: App, plan: str | None) -> bool:
    """Whether there are plans, or at least nothing else that could be told."""
    return plan is not None or bool(app.plans.list(limit=1)) or app.chats.reads.past() is None


def _on_plan(deed: Deed) -> _Act:
    row = op_row_of(deed)
    return _Act(deed.at, deed.title, deed.plan.name, _fate(deed), deed.plan.plan_id, row)


def _fate(deed: Deed) -> str:
    """The fate of an act, and if another one ended it, which."""
    by = deed.ended_by
    return f"ended by {by.kind.noun}" if deed.fate is Fate.ENDED and by else str(deed.fate)


def _turns(app: App) -> list[_Act]:
    """The turns that changed something, the newest first."""
    told = app.chats.reads.timeline()
    found = [
        _turn(story, turn, turn.changed_at)
        for story in told.chats
        for turn in story.turns
        if turn.changed_at is not None
    ]
    return sorted(found, key=lambda act: act.at, reverse=True)


def _turn(story: ChatStory, turn: TurnStory, at: datetime) -> _Act:
    chat, name = story.chat, turn_named(turn.turn.number)
    row = turn_act_of(chat, turn, at)
    title = f"{name}: {cut(turn.turn.prompt, PROMPT)}" if turn.turn.prompt else name
    is_partly = turn.taken_back_by is not None and not turn.is_taken_back
    fate = "partly undone" if is_partly else row["state"]
    return _Act(at, title, f"chat ({chat.client})", fate, chat.plan_id, row)


def _next(app: App, found: DeedList | None, direction: Direction, plan: str | None) -> str | None:
    """The id of the act that would be taken back, or done again, next."""
    if plan is None and is_chats_turn(app, direction):
        latest = next_turn(app, direction)
        return None if latest is None else turn_id(latest.chat, latest.turn)
    return None if found is None else found.trail.next(direction)
