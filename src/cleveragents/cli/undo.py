"""`agents undo|redo`: takes back what was done last here, on a plan or in a chat."""

from collections.abc import Sequence

from cleveragents.app import App
from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Result
from cleveragents.engine.chat.reading import LatestTurn
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.undo.trail import Direction
from cleveragents.errors import CleverAgentsError, InvalidInput
from cleveragents.ids import SHORTEST
from cleveragents.records import replace


def undo(
    call: Invocation,
    target: str | None = None,
    *,
    plan: str | None = None,
    chat: str | None = None,
    since: str | None = None,
    path: Sequence[str] = (),
    unclear: str | None = None,
    everything: bool = False,
    mine: Sequence[str] = (),
    before: Sequence[str] = (),
    anyway: bool = False,
    times: bool = False,
    with_chat: bool = False,
    pick: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Take back what was done last here, or what was picked with everything newer."""
    call.hear_agents()
    wanted = UndoRequest(
        target=target,
        since=since,
        paths=tuple(path),
        takes_unclear=None if unclear is None else unclear == "take",
        is_everything=everything,
        mine=tuple(mine),
        before=tuple(before),
        anyway=anyway,
        keeps_times=times,
        with_chat=with_chat,
    )
    if pick:
        return _pick(call, wanted, plan, chat, yes=yes, dry_run=dry_run)
    if _is_about_chats(wanted, plan, chat):
        app = call.app(progress=True)
        return _in_chat(call, app, Direction.BACK, wanted, chat, yes=yes, dry_run=dry_run)
    return _retrace(call, Direction.BACK, plan, yes=yes, dry_run=dry_run)


def redo(
    call: Invocation,
    *,
    plan: str | None = None,
    chat: str | None = None,
    mine: Sequence[str] = (),
    before: Sequence[str] = (),
    anyway: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Do again what was taken back last."""
    call.hear_agents()
    wanted = UndoRequest(mine=tuple(mine), before=tuple(before), anyway=anyway)
    if _is_about_chats(wanted, plan, chat):
        app = call.app(progress=True)
        return _in_chat(call, app, Direction.FORWARD, wanted, chat, yes=yes, dry_run=dry_run)
    return _retrace(call, Direction.FORWARD, plan, yes=yes, dry_run=dry_run)


def _pick(
    call: Invocation,
    wanted: UndoRequest,
    plan: str | None,
    chat: str | None,
    *,
    yes: bool,
    dry_run: bool,
) -> Result:
    """Lets one of the acts on plans and turns of chats be picked: all, or those of one."""
    if wanted != UndoRequest() or (plan and chat):
        raise InvalidInput(
            "--pick goes with one of --plan and --chat, and with --yes and --dry-run alone",
            hints=["pick among all there is: agents undo --pick"],
        )
    from cleveragents.cli.plan_undo import chosen_plan, left_alone
    from cleveragents.cli.turn_pick import turns
    from cleveragents.cli.undo_pick import undo_picked  # of use only on a terminal

    app = call.app(progress=True)
    of = None if chat is None else views.find_chat(app, chat).plan_id
    offers = [] if plan else turns(call, app, of, yes=yes, dry_run=dry_run)
    is_in_chats = plan is None and not app.plans.list(limit=1) and bool(app.chats.reads.chats())
    has_plans = of is None and not is_in_chats
    chosen = chosen_plan(call, app, plan)
    call.messages += left_alone(app.undo.deeds(chosen).busy) if has_plans else []
    return undo_picked(call, app, chosen, offers, has_plans=has_plans, yes=yes, dry_run=dry_run)


def _is_about_chats(wanted: UndoRequest, plan: str | None, chat: str | None) -> bool:
    """Whether something was said that only chats know; that and a plan is refused."""
    about = chat is not None or wanted != UndoRequest()
    if about and plan is not None:
        raise InvalidInput("--plan is about a plan, the rest of this is about a chat")
    return about


def _in_chat(
    call: Invocation,
    app: App,
    direction: Direction,
    wanted: UndoRequest,
    chat: str | None,
    *,
    yes: bool,
    dry_run: bool,
) -> Result:
    from cleveragents.cli.chat_undo import ChatRetrace, retrace  # who has no chats needs none
    from cleveragents.cli.typed_paths import read_here

    chosen = None if chat is None else views.find_chat(app, chat).plan_id
    asked = read_here(app, replace(wanted, chat=chosen))
    return retrace(ChatRetrace(call, app, asked, direction is Direction.FORWARD, yes, dry_run))


def is_chats_turn(app: App, direction: Direction) -> bool:
    """Whether the newest act here, which is to be taken back, was an agent's in a chat."""
    if not app.plans.list(limit=1):
        return app.chats.reads.past() is not None or app.plans.moved_from() is not None
    recorded = app.chats.reads.latest(is_redo=direction is Direction.FORWARD)
    if recorded is None or not is_newer(app, direction, recorded):
        return False
    if app.plans.last_act_at() is None:
        return True
    left = next_turn(app, direction)  # of what was recorded last nothing may be left
    if left is None:
        return app.undo.latest_at(direction) is None
    return is_newer(app, direction, left)


def is_newer(app: App, direction: Direction, turn: LatestTurn) -> bool:
    """Whether a turn came after what would be taken back next on a plan."""
    last = app.plans.last_act_at()  # on whatever plan: to know which one is next takes far more
    if last is None or last < turn.at:
        return True
    on_plan = app.undo.latest_at(direction)
    return on_plan is None or on_plan < turn.at


def _passed_over(app: App, direction: Direction) -> list[str]:
    """The turn that was recorded after what is taken back on a plan, if there is one."""
    turn = app.chats.reads.latest() if direction is Direction.BACK else None
    if turn is None or not is_newer(app, direction, turn):
        return []
    return [f"passed over: t{turn.turn} of chat {turn.chat[:SHORTEST]} left nothing to take back"]


def next_in_chats(app: App) -> str:
    """The turn that `agents undo` takes back next, in words; empty: it is none of a chat."""
    chats = {chat.plan_id: chat.client for chat in app.chats.reads.chats()}
    try:
        is_turn = bool(chats) and is_chats_turn(app, Direction.BACK)
        turn = next_turn(app, Direction.BACK) if is_turn else None
    except CleverAgentsError:  # what was asked for is done; who asks for the next is told why not
        return ""
    return "" if turn is None else f"t{turn.turn} of a chat ({chats[turn.chat]})"


def next_turn(app: App, direction: Direction) -> LatestTurn | None:
    """The turn of a chat that would be taken back or done again next; it looks at the files."""
    if direction is Direction.FORWARD or app.chats.reads.unfinished():
        return app.chats.reads.latest(is_redo=direction is Direction.FORWARD)
    return app.chats.undos.latest()


def _retrace(
    call: Invocation, direction: Direction, plan: str | None, *, yes: bool, dry_run: bool
) -> Result:
    """Finds out whether it was a plan or a chat, and takes that back."""
    app = call.app(progress=True)
    if plan is None and is_chats_turn(app, direction):
        return _in_chat(call, app, direction, UndoRequest(), None, yes=yes, dry_run=dry_run)
    if plan is None and not app.plans.list(limit=1):
        from cleveragents.plans.naming import nothing_yet  # of use to who has neither

        raise nothing_yet(is_protected=app.chats.reads.is_protected)
    from cleveragents.cli.plan_undo import retrace  # who has no plans needs none

    call.messages += [] if plan is not None else _passed_over(app, direction)
    return retrace(call, app, direction, plan, yes=yes, dry_run=dry_run)
