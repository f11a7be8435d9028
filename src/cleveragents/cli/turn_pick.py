"""The turns of chats among what `agents undo --pick` offers: one is taken back, by itself."""

from collections.abc import Callable
from functools import partial

from cleveragents.app import App
from cleveragents.cli import differences, views
from cleveragents.cli.chat_undo import ChatRetrace, retrace
from cleveragents.cli.chat_views import cut
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.undo_pick import Offer
from cleveragents.engine.chat.foresight import ChatForesight
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.chat.timeline import ChatStory, TurnStory
from cleveragents.errors import CleverAgentsError
from cleveragents.ids import PlanId
from cleveragents.shapes.chat import turn_named

PROMPT = 60  # letters of a prompt


def turns(
    call: Invocation, app: App, chat: PlanId | None, *, yes: bool, dry_run: bool
) -> list[Offer]:
    """The turns of which something stands, of all chats here or of one."""
    return [
        _offer(_asked(call, app, story, turn, yes=yes, dry_run=dry_run), story, turn)
        for story in app.chats.reads.timeline(chat).chats
        for turn in story.turns
        if turn.standing
    ]


def _asked(
    call: Invocation, app: App, story: ChatStory, turn: TurnStory, *, yes: bool, dry_run: bool
) -> ChatRetrace:
    wanted = UndoRequest(target=turn_named(turn.turn.number), chat=story.chat.plan_id)
    return ChatRetrace(call, app, wanted, is_redo=False, yes=yes, dry_run=dry_run)


def _offer(asked: ChatRetrace, story: ChatStory, turn: TurnStory) -> Offer:
    at = turn.changed_at or turn.turn.started_at
    prompt = f": {cut(turn.turn.prompt, PROMPT)}" if turn.turn.prompt else ""
    line = f"{turn_named(turn.turn.number)}{prompt} ({story.chat.client}, {views.moment(at)})"
    seen, diff = partial(_told, asked, _seen), partial(_told, asked, partial(_diff, asked))
    return Offer(at, line, seen, diff, partial(retrace, asked))


def _told(asked: ChatRetrace, lines: Callable[[ChatForesight], list[str]]) -> list[str]:
    """Lines about taking one back; where that cannot be told, it is said."""
    try:
        return lines(asked.app.chats.undos.preview(asked.wanted))
    except CleverAgentsError as error:
        return [error.message]


def _seen(would: ChatForesight) -> list[str]:
    return [
        f"Takes back {would.title} alone",
        *(f"{change.action:<8}  {change.file}" for change in would.files),
        *(f"unclear, it stays: {path}" for path in would.unclear),
        *(f"in the way: {each.file}, {each.reason}" for each in would.conflicts),
        *(f"in the way: {each}" for each in would.obstacles),
    ]


def _diff(asked: ChatRetrace, would: ChatForesight) -> list[str]:
    return differences.lines(asked.app.chats.comparisons.would_differ(would))
