"""`agents plan status` of a chat: what its agent did so far, and what is under way."""

from pathlib import Path

from cleveragents.app import App
from cleveragents.cli import chat_views, views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Fields, Result
from cleveragents.plans.lifecycle import State
from cleveragents.plans.plan import Plan
from cleveragents.sandbox.project import Project
from cleveragents.shapes.chat import turn_named
from cleveragents.shapes.chat_status import chat_report_of


def told_chat(call: Invocation, app: App, plan: Plan) -> Result:
    """Tells where a chat stands."""
    found = app.chats.reads.status(plan.plan_id)
    data = chat_report_of(plan, found)
    short = views.short_ids(call, app, [plan.plan_id])
    rows = [
        ("Chat", f"{short[plan.plan_id]} ({data['session']})"),
        ("Directory", views.place(Path(data["root"]))),
        ("State", "in a turn" if plan.state is State.PROCESSING else "at rest"),
        ("Turns", f"{data['turns']}, with {data['calls']} calls that may have written"),
        ("Files changed", str(data["files_modified"])),
        ("Checkpoints", str(data["checkpoints"])),
        ("Last event", views.moment(found.chat.last_event_at)),
    ]
    begun = [
        f"interrupted, and not finished yet: {one.kind} of {turn_named(one.intent.turn)};"
        f" finish it: agents {one.kind}"
        for one in found.unfinished
    ]
    there = Path(data["root"])
    silent = chat_views.silent(app, Project(there)) if there.is_dir() else []
    return Result(
        data,
        [Fields(f"Chat of {plan.name}", rows)],
        status="warn" if begun or silent else "ok",
        messages=[*silent, *begun, *map(chat_views.aged, found.under_way)],
        next_steps=[f"agents timeline --chat {plan.plan_id}", f"agents undo --chat {plan.plan_id}"],
        paged=True,
    )
