"""The common part of commands about plans: finding one, warnings, times and paths."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cleveragents.app import ROLLBACK_OFF, App
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.on_chats import is_chat, refuse_chat
from cleveragents.cli.render import Fields
from cleveragents.clock import on_the_clock
from cleveragents.config.environment import caller_environment, home
from cleveragents.errors import InvalidInput, NotFound
from cleveragents.ids import now, shortened
from cleveragents.plans.lifecycle import State
from cleveragents.plans.naming import LATEST, LATEST_CHAT
from cleveragents.plans.plan import CHAT, Plan

if TYPE_CHECKING:
    from cleveragents.chats.chat import Chat
    from cleveragents.checkpoints.checkpoint import Checkpoint
    from cleveragents.plans.decision import Decision

NEAR = 3600  # seconds; what is longer ago has a time of its own
MINUTE = 60  # seconds


def moment(value: datetime, at: datetime | None = None) -> str:
    """A time as people read it, where they are; the day is left out while it lasts."""
    return on_the_clock(value, at=at)


def ago(value: datetime, at: datetime | None = None) -> str:
    """A time as people read it in a list: how long ago, if that is not long."""
    seconds = ((at or now()) - value).total_seconds()
    if not 0 <= seconds < NEAR:  # what is to come was made before the clock was set back
        return on_the_clock(value, "%H:%M", at)
    return f"{seconds // MINUTE:.0f} min ago" if seconds >= MINUTE else "just now"


def elapsed(seconds: float) -> str:
    """A time as people read it."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f} min {int(rest):02} s" if minutes else f"{seconds:.1f} s"


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


def remark(row: "Checkpoint", *, left_behind: bool) -> str:
    """Why a checkpoint was made, and whether a rollback left it behind."""
    text = f"{row.label}: {row.reason}" if row.label else row.reason
    return f"{text} (left behind)" if left_behind else text


def chat_state(plan: Plan) -> str:
    """Where a chat stands, in a word."""
    return "chat, in a turn" if plan.state is State.PROCESSING else "chat, at rest"


def short_ids(call: Invocation, app: App, ids: Iterable[str]) -> Mapping[str, str]:
    """Ids as people are shown them: as short as they can be typed, whole for who wants more."""
    return {one: one for one in ids} if call.wants_whole_ids else app.plans.short(ids)


def short_among(call: Invocation, ids: Sequence[str]) -> Mapping[str, str]:
    """Ids that only have to differ from each other, as people are shown them."""
    if call.wants_whole_ids:
        return {one: one for one in ids}
    around = ["", *sorted(ids), ""]
    beside = {one: [around[i], around[i + 2]] for i, one in enumerate(around[1:-1])}
    return {one: shortened(one, [other for other in beside[one] if other]) for one in ids}


def find(call: Invocation, app: App, text: str) -> Plan:
    """Finds a plan; one that runs without checkpoints is told as such by every command."""
    plan = meant(call, app, text)
    if plan.runs_bare:
        call.messages.append(ROLLBACK_OFF)
    return plan


def meant(call: Invocation, app: App, text: str) -> Plan:
    """Finds a plan, or a chat where the command does something with one.

    Where there are chats and no plan, the verbs right after `agents` are about the newest chat.
    """
    is_verb = text == LATEST and not call.command.startswith("plan ")
    alone = is_verb and not app.plans.list(limit=1) and bool(app.plans.list(limit=1, kind=CHAT))
    plan = app.plans.find(LATEST_CHAT if alone else text)
    refuse_chat(call.command, plan)
    return plan


def refuse_plans(call: Invocation, *checkpoints: str | None) -> None:
    """Refuses a plan or chat that is typed where one of the verbs takes a checkpoint."""
    for one in checkpoints:
        if one == LATEST_CHAT and not call.command.startswith("plan "):
            raise InvalidInput(
                f"{one} is no checkpoint: `agents {call.command}` is told of another plan or a chat"
                " by --plan",
                hints=[f"agents {call.command} --plan {one} CHECKPOINT"],
            )


def find_chat(app: App, text: str) -> Plan:
    """Finds a chat by its id, the id that its client has for it, or `@chat`."""
    here = _chats_called(app, text)
    if len(here) > 1:
        raise InvalidInput(
            f"{text!r} names {len(here)} chats",
            detail=[f"{one.plan_id}  {one.client}  {one.client_session}" for one in here],
            hints=["type the id of one, or more of it"],
        )
    if not here and text == LATEST_CHAT:
        raise app.chats.reads.nothing()
    found = app.plans.find(here[0].plan_id if here else text)
    if not is_chat(found):
        raise NotFound(f"{text!r} is a plan, no chat", hints=["see: agents timeline"])
    return found


def _chats_called(app: App, text: str) -> "Sequence[Chat]":
    """The chats here whose id, or that of their client, begins so; one that is just so alone."""
    known = app.chats.reads.chats()
    if text == LATEST_CHAT:
        return known[-1:]
    begins = [
        one
        for one in known
        if text and (one.plan_id.startswith(text.upper()) or one.client_session.startswith(text))
    ]
    # One conversation is several chats where its directory was replaced: the newest is meant.
    begins = [*{(one.client, one.client_session): one for one in begins}.values()]
    exact = [one for one in begins if text in (one.plan_id, one.client_session)]
    return exact or begins


def find_decision(app: App, text: str) -> "Decision":
    """Finds a decision by its id, or in the latest plan by the name of its step."""
    try:
        return app.corrections.find(text)
    except NotFound:
        named = app.tree.named(app.plans.find("@"), text)
        if not named:
            raise
    if len(named) > 1:
        raise InvalidInput(
            f"{text!r} names {len(named)} decisions",
            detail=[f"{one.decision_id}  {one.question} {one.chosen}" for one in named],
            hints=["type the id of one: agents plan tree @"],
        )
    return named[0]
