"""`agents timeline`: prompts and calls of every agent here, with what each changed."""

import sys
from collections.abc import Iterator, Mapping, Sequence

from cleveragents.app import App
from cleveragents.chats.turns import CallName
from cleveragents.cli import chat_views, views
from cleveragents.cli.cells import cell_len, padded
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Outline, Result, paper_for
from cleveragents.cli.undo import is_newer
from cleveragents.counting import counted
from cleveragents.engine.chat.timeline import CallStory, ChatStory, TurnStory
from cleveragents.engine.undo.trail import Direction
from cleveragents.ids import SHORTEST, PlanId
from cleveragents.shapes.chat import call_named, turn_named
from cleveragents.shapes.timeline import timeline_of

Line = tuple[str, str, str]
MOST = 200  # columns of a line, however wide it may be
NAMED = 5  # paths of one call; JSON has them all


def timeline(call: Invocation, chat: str | None = None, limit: int | None = None) -> Result:
    """Tell the prompts and calls of every agent in this directory, the newest first."""
    call.hear_agents()
    app = call.app()
    chosen = None if chat is None else views.find_chat(app, chat).plan_id
    reads = app.chats.reads
    if reads.past() is None:
        raise reads.nothing()
    found = reads.timeline(chosen, limit)
    width = min(paper_for(call.form, sys.stdout).width, MOST)
    clients = {one.plan_id: one.client for one in reads.chats()}
    blocks: list[Block] = [Outline(list(_chat(one, clients, width))) for one in found.chats]
    begun = [
        f"interrupted, and not finished yet: {one.kind} of {turn_named(one.intent.turn)};"
        f" finish it: agents {one.kind}"
        for one in reads.unfinished(chosen)
    ]
    return Result(
        timeline_of(found),
        blocks,
        status="warn" if begun else "ok",
        messages=[
            *chat_views.silent(app, app.chats.project),
            *(begun or ([] if found.chats else ["nothing was asked for yet"])),
        ],
        next_steps=_next(app, found.chats),
        paged=True,
    )


def _chat(story: ChatStory, clients: Mapping[PlanId, str], width: int) -> Iterator[Line]:
    chat = story.chat
    yield _line("", f"{chat.client}  {chat.plan_id[:SHORTEST]}  ({chat.client_session})", width)
    for turn in story.turns:
        yield from _turn(turn, clients, width)


def _turn(story: TurnStory, clients: Mapping[PlanId, str], width: int) -> Iterator[Line]:
    turn = story.turn
    partly = "" if story.is_taken_back else "partly "
    fate = f" [{partly}taken back]" if story.taken_back_by else ""
    prompt = turn.prompt or "(no prompt)"
    yield _line(
        "  ", f"{turn_named(turn.number)}  {views.ago(turn.started_at)}{fate}  {prompt}", width
    )
    for call in story.calls:
        yield from _call(call, clients, width)
    stands = story.standing if story.taken_back_by else ()
    for whose, paths in (
        ("still there", stands),
        ("yours", story.external),
        ("unclear", story.unclear),
        ("not covered", story.not_covered),
    ):
        if paths:
            yield _line("    ", f"{whose}: {_paths(paths)}", width)


def _call(story: CallStory, clients: Mapping[PlanId, str], width: int) -> Iterator[Line]:
    call = story.call
    name = call_named(call.name, call.name.chat)
    by = f" ({call.agent})" if call.agent else ""
    yield _line("    ", f"{name}  {call.tool}{by}  {call.text}".rstrip(), width)
    if not story.changed:
        return
    beside = [_beside(each, call.name.chat, clients) for each in story.joint_with]
    jointly = f" (jointly with {', '.join(beside)})" if beside else ""
    yield _line("        ", f"changed {_paths(story.changed)}{jointly}", width)


def _beside(name: CallName, chat: PlanId, clients: Mapping[PlanId, str]) -> str:
    """A call that changed something jointly with one of a chat."""
    told = call_named(name, name.chat)
    return told if name.chat == chat else f"{told} of another chat ({clients[name.chat]})"


def _paths(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return f"{counted(len(paths), 'path')}: {', '.join(paths[:NAMED])}{more}"


def _line(lead: str, text: str, width: int) -> Line:
    """One line, cut where the terminal ends."""
    line, room = " ".join(text.splitlines()), width - len(lead)
    cut = line if cell_len(line) <= room else f"{padded(line, room - 1).rstrip()}…"
    return lead, lead, cut


def _next(app: App, found: Sequence[ChatStory]) -> list[str]:
    """How the newest turn that stands is taken back; an act on a plan may be newer."""
    recorded = app.chats.reads.latest()
    if recorded is None or not any(turn.standing for story in found for turn in story.turns):
        return []
    of = "" if is_newer(app, Direction.BACK, recorded) else f" --chat {recorded.chat}"
    return [f"agents undo{of}    # takes back the last turn that changed something"]
