"""`agents plan log`: the whole story of a plan, in order."""

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.on_chats import is_chat
from cleveragents.cli.render import Grid, Result
from cleveragents.engine.read.history import HistoryEvent
from cleveragents.plans.journal import Happening
from cleveragents.plans.plan import Plan
from cleveragents.shapes.log import log_of


def log(call: Invocation, plan: str = "@") -> Result:
    """Tell the whole story of a plan: steps, checkpoints, rollbacks, and why."""
    app = call.app()
    found = views.meant(call, app, plan)
    events = app.history.of(found)
    of_chat = is_chat(found)
    rows = [
        [views.moment(one.at), *(_in_chat(one, found) if of_chat else _told(one))] for one in events
    ]
    return Result(
        log_of(found, events),
        [Grid("", ["WHEN", "WHAT", "STORY"], rows)],
        messages=app.cautions(found),
        paged=True,
    )


def _told(event: HistoryEvent) -> tuple[str, str]:
    return event.what, event.story


def _in_chat(event: HistoryEvent, chat: Plan) -> tuple[str, str]:
    """The same of a chat, which has neither an action nor steps."""
    if event.kind == Happening.MADE:
        return "begun", f"chat of {chat.name}"
    return event.what, event.story.removeprefix("prompt: ")
