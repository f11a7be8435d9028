"""`agents undo|redo` in a chat: takes back what an agent did here, and does it again."""

import sys
from typing import TYPE_CHECKING

from cleveragents.app import App
from cleveragents.cli import chat_views, previewing
from cleveragents.cli.invocation import Invocation, answer_to, confirm
from cleveragents.cli.render import Block, Result, Text, show_blocks
from cleveragents.cli.typed_paths import read_here
from cleveragents.engine.chat.foresight import ChatForesight
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.chat.taken import Undo
from cleveragents.engine.chat.undo import ChatUndoFinished, ChatUndoResult
from cleveragents.engine.undo.trail import Direction
from cleveragents.errors import CleverAgentsError, Refused
from cleveragents.operations.kind import Kind
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen, replace
from cleveragents.shapes.chat import (
    chat_undo_about,
    chat_undo_finished_of,
    chat_undo_of,
    chat_undo_preview_of,
    conversation_alone_of,
    no_turn,
    turn_named,
)
from cleveragents.undertakings import Undertaking

if TYPE_CHECKING:
    from cleveragents.clients.conversation import ConversationFate

REFUSED = 4  # the exit code of what would be refused
ALREADY = "no file had to change: it was there again already"
Done = ChatUndoResult | ChatUndoFinished
Act = Undertaking[ChatForesight, Done]


@frozen
class ChatRetrace:
    """One undo or redo that somebody asks for."""

    call: Invocation
    app: App
    wanted: UndoRequest
    is_redo: bool
    yes: bool
    dry_run: bool

    @property
    def word(self) -> str:
        """The command."""
        return "redo" if self.is_redo else "undo"

    @property
    def line(self) -> str:
        """The command line that asks for it again."""
        return self.wanted.line(self.word)

    @property
    def is_narrowed(self) -> bool:
        """Whether more was said than to take back the last turn."""
        return self.wanted != UndoRequest(chat=self.wanted.chat, here=self.wanted.here)

    @property
    def can_ask(self) -> bool:
        """Whether somebody is there to answer, and wants to be asked."""
        return not self.yes and not self.dry_run and sys.stdin.isatty()

    def fate(self, would: ChatForesight) -> "ConversationFate | None":
        """What would become of the conversation in the client; None: nobody asked for that."""
        if not self.wanted.with_chat:
            return None
        return self.app.chats.conversations.foreseen(would.chat, would.turn)

    def end_conversation(self, would: ChatForesight) -> "ConversationFate | None":
        """Takes the conversation back, if somebody asked for that."""
        if not self.wanted.with_chat:
            return None
        return self.app.chats.conversations.take_back(would.chat, would.turn)

    @property
    def silent(self) -> list[str]:
        """What is told where nothing is recorded any more."""
        return chat_views.silent(self.app, self.app.chats.project)

    def unclear(self, *, takes: bool) -> "ChatRetrace":
        """The same, with a word about what may be the user's."""
        return replace(self, wanted=replace(self.wanted, takes_unclear=takes))

    def act(self) -> Act | None:
        """The act itself; None: there is nothing to do."""
        return self.app.undertakings.undo_chat(self.wanted, is_redo=self.is_redo)


def since(
    call: Invocation, app: App, chat: Plan, checkpoint: str, paths: tuple[str, ...] = ()
) -> ChatRetrace:
    """The undo of everything that a chat changed since a checkpoint, or of some paths of it."""
    row = app.kept.get_checkpoint(chat.plan_id, checkpoint)
    wanted = read_here(app, UndoRequest(since=row.name, chat=chat.plan_id, paths=paths))
    return ChatRetrace(call, app, wanted, is_redo=False, yes=False, dry_run=False)


def retrace(asked: ChatRetrace) -> Result:
    """Shows what would be done, asks, and does exactly that."""
    _refuse_inside(asked)
    if not asked.dry_run:
        finished = _finish(asked)
        if finished is not None:
            return finished
    act = asked.act()
    if act is None:
        return _nothing(asked)
    if asked.dry_run:
        found = previewing.dry_run(asked.call, act)
        return _preview(asked, found.would, moving=found.is_moving)
    if asked.yes and not asked.is_narrowed:
        return _done(asked, act.carry_out())
    return _agreed(asked, act, act.foresee())


def _agreed(asked: ChatRetrace, act: Act, would: ChatForesight) -> Result:
    """Asks what has to be asked, one thing after the other, and does what was agreed to."""
    if asked.can_ask:
        more = _although_under_way(asked, would) or _with_unclear(asked, would)
        if more is not None:
            return _next_of(more, would)
    if would.is_empty and (asked.is_narrowed or not asked.is_redo):
        if would.is_only_kept and not asked.is_redo and not asked.wanted.with_chat:
            return _kept(asked, would, act.carry_out(would.digest))
        return _conversation_alone(asked, would) or _nothing(asked, would)
    if not asked.yes:
        shown = [*chat_views.blocks(would), *chat_views.conversation(asked.fate(would))]
        show_blocks(shown, asked.call.form, sys.stderr)
        if not would.is_refused:  # what is refused needs no question
            _ask_late(asked, would)
            question = "Do it again?" if asked.is_redo else "Take it back?"
            confirm(question, yes=False, command_line=asked.line)
    return _done(asked, act.carry_out(would.digest))


def _next_of(asked: ChatRetrace, would: ChatForesight) -> Result:
    """Goes on with what was said meanwhile; where that leads to an older turn, it is told."""
    act = asked.act()
    if act is None:
        return _nothing(asked)
    following = act.foresee()
    if _turn(following) != _turn(would) and not following.is_empty:
        told = f"{would.title} stays; next would be {following.title}"
        show_blocks([Text([told])], asked.call.form, sys.stderr)
    return _agreed(asked, act, following)


def _turn(would: ChatForesight) -> tuple[str, int]:
    return would.chat.plan_id, would.turn


def _with_unclear(asked: ChatRetrace, would: ChatForesight) -> ChatRetrace | None:
    """Asks once about paths that may be the user's; None: they stay, or that was said before."""
    if not would.is_undecided:
        return None
    show_blocks(chat_views.unclear(would), asked.call.form, sys.stderr)
    if answer_to(f"Take these of {would.title} back as well? [y/N] ") in ("y", "yes"):
        return asked.unclear(takes=True)
    # Of a turn that has nothing else the turn before it is meant, unless this one was named.
    return None if asked.wanted.is_named or not would.is_empty else asked.unclear(takes=False)


def _although_under_way(asked: ChatRetrace, would: ChatForesight) -> ChatRetrace | None:
    """Asks about calls that are under way, if nothing else stands in the way; None: settled."""
    calls = {chat_views.named(one): one for one in asked.app.chats.reads.under_way()}
    met = [one.path for one in would.obstacles]
    if not met or would.conflicts or not calls.keys() >= set(met):
        return None
    told = [chat_views.aged(calls[name]) for name in met]
    show_blocks([Text(told)], asked.call.form, sys.stderr)
    confirm("Go on all the same?", yes=False, command_line=f"{asked.line} --anyway")
    return replace(asked, wanted=replace(asked.wanted, anyway=True))


def _ask_late(asked: ChatRetrace, would: ChatForesight) -> None:
    """Asks about paths whose state before a call nobody saw in time."""
    if would.questions and asked.can_ask:
        which = "Take back the rest" if would.not_known else "Take them back"
        confirm(f"{which} all the same?", yes=False, command_line=asked.line)


def _refuse_inside(asked: ChatRetrace) -> None:
    """Refuses an agent what only a person may ask for."""
    wanted = asked.wanted
    if asked.dry_run or not (wanted.anyway or wanted.is_everything):
        return
    if asked.app.chats.reads.is_inside_call():
        raise Refused(
            "a call of an agent asks for this: --anyway and --everything are for people",
            hints=["type it in a terminal of your own", f"only look at it: {asked.line} --dry-run"],
        )


def _finish(asked: ChatRetrace) -> Result | None:
    """Finishes what was interrupted, if the user agrees; tells if it was just this."""
    chats = asked.app.chats
    for begun in chats.reads.unfinished():  # of whatever chat: it is one directory
        _show_begun(asked, begun)
        confirm("Finish it first?", yes=asked.yes, command_line=asked.line)
        asked.app.recover(begun.plan_id)
        finished = chats.undos.finished([begun], is_redo=asked.is_redo)
        if finished is not None:
            return _finished(asked, finished)
    return None


def _show_begun(asked: ChatRetrace, begun: Undo) -> None:
    told = f"interrupted, and not finished yet: {begun.kind} of {turn_named(begun.intent.turn)}"
    show_blocks(
        [Text([told]), chat_views.paths("Would go on with", begun.intent.paths)],
        asked.call.form,
        sys.stderr,
    )


def _finished(asked: ChatRetrace, found: ChatUndoFinished) -> Result:
    turn = turn_named(found.done.intent.turn)
    return Result(
        chat_undo_finished_of(found),
        [Text([f"{asked.word} of {turn} of {found.chat.client}"])],
        _footer(asked),
        messages=[f"the interrupted {asked.word} was finished just now; nothing else was done"],
        next_steps=["agents redo    # does it again"] if found.done.kind is Kind.UNDO else [],
    )


def _nothing(asked: ChatRetrace, would: ChatForesight | None = None) -> Result:
    """The answer where nothing is to be done: that is no failure."""
    told = "there is nothing to do again" if asked.is_redo else "there is nothing to take back"
    if would is None:
        passed = asked.app.chats.undos.out_of_reach(asked.wanted.chat) if not asked.is_redo else ()
        away = [f"passed over: {one.why}" for one in passed[: chat_views.LISTED]]
        return Result(
            no_turn(), messages=[*asked.silent, told, *away], next_steps=["agents timeline"]
        )
    if would.misses_all:
        messages = [f"{told}: {one}" for one in chat_views.missed(would)]
    else:
        told = "nothing was taken back" if would.is_undecided else told
        why = "" if would.is_passed_over else f": {would.why_empty}"
        messages = [told + why, *chat_views.passed_over(would)]
    return Result(
        chat_undo_about(would),
        chat_views.apart(would),
        messages=messages,
        next_steps=_instead(asked, would),
    )


def _kept(asked: ChatRetrace, would: ChatForesight, done: Done) -> Result:
    """The answer where a user keeps all that is left of a turn: the next undo goes on before it."""
    following = done.following if isinstance(done, ChatUndoResult) else ""
    again = [f"agents undo    # takes back {following}"] if following else []
    nothing = _nothing(asked, would)
    return nothing._replace(next_steps=again or nothing.next_steps)


def _conversation_alone(asked: ChatRetrace, would: ChatForesight) -> Result | None:
    """Takes the conversation back where no file is to be any more; None: nobody asked for that."""
    fate = asked.fate(would)
    if fate is None or would.misses_all:  # who mistyped a path meant something else
        return None
    if fate.is_ours:
        if not asked.yes:
            show_blocks(chat_views.conversation(fate), asked.call.form, sys.stderr)
            confirm("Take the conversation back?", yes=False, command_line=asked.line)
        fate = asked.app.chats.conversations.take_back(would.chat, would.turn)
    return Result(
        conversation_alone_of(would, fate),
        [Text([chat_views.heading(would)]), *chat_views.conversation(fate)],
        _footer(asked) if fate.is_taken_back else "",
        messages=[f"{would.why_empty}: the files stay as they are"],
        next_steps=chat_views.onwards(fate),
    )


def _instead(asked: ChatRetrace, would: ChatForesight) -> list[str]:
    """Commands for who meets a turn of which nothing would be taken back."""
    if not would.is_undecided:
        return chat_views.elsewhere(would) or ["agents timeline"]
    take, keep = (asked.unclear(takes=takes).line for takes in (True, False))
    before = [] if asked.wanted.is_named else [f"{keep}    # takes back the turn before it"]
    return [f"{take}    # takes it all the same", *before]


def _preview(asked: ChatRetrace, would: ChatForesight, *, moving: bool) -> Result:
    is_empty = would.is_empty and not asked.is_redo
    fate = asked.fate(would)
    return Result(
        chat_undo_preview_of(would, moving=moving, fate=fate),
        [*chat_views.blocks(would), *chat_views.conversation(fate)],
        status="warn" if would.is_refused else "ok",
        exit_code=REFUSED if would.is_refused else 0,
        messages=[previewing.DRY_RUN, *asked.silent, *chat_views.missed(would)],
        next_steps=would.ways_out or (_instead(asked, would) if is_empty else [asked.line]),
    )


def _done(asked: ChatRetrace, done: Done) -> Result:
    if isinstance(done, ChatUndoFinished):
        return _finished(asked, done)
    would, outcome = done.foresight, done.outcome
    if outcome is None:
        return _nothing(asked, would)
    held = dict.fromkeys((*would.held, *outcome.kept))
    fate = asked.end_conversation(would)
    blocks: list[Block] = [
        Text([chat_views.heading(would)]),
        chat_views.changed("Changed", would),
    ]
    return Result(
        chat_undo_of(done, fate),
        [*blocks, *chat_views.apart(would), *chat_views.conversation(fate)],
        _footer(asked),
        messages=[
            *asked.silent,
            *chat_views.passed_over(would),
            *(f"kept, because it holds other files: {path}" for path in held),
            *chat_views.missed(would),
            *([ALREADY] if would.is_empty else ()),
        ],
        next_steps=[*chat_views.onwards(fate), *_next(asked, done)],
    )


def _footer(asked: ChatRetrace) -> str:
    return "Done again" if asked.is_redo else "Taken back"


def _next(asked: ChatRetrace, result: ChatUndoResult) -> list[str]:
    """The command that takes it back, and the one after it."""
    chat = asked.wanted.chat
    of = "" if chat is None else f" --chat {chat}"
    again = "does again what was taken back before" if asked.is_redo else "does it again"
    back = _back(asked, result)
    anyway = " --anyway" if asked.wanted.anyway else ""  # what was in the way may still be
    return [
        *([f"agents redo{of}{anyway}    # {again}"] if result.can_redo else []),
        *([f"agents undo{of}{anyway}    # {back}"] if back else []),
        *([_unclear_too(asked, result.foresight)] if result.foresight.is_undecided else []),
    ]


def _unclear_too(asked: ChatRetrace, would: ChatForesight) -> str:
    """The command that also takes what may be the user's of a turn that was just taken back."""
    wanted, newest = asked.wanted, asked.app.chats.reads.chats()[-1].plan_id
    if not wanted.is_named:
        of = would.chat.plan_id
        wanted = replace(wanted, target=would.title, chat=None if of == newest else of)
    line = replace(wanted, takes_unclear=True, with_chat=False).line(asked.word)
    return f"{line}    # takes what is unclear too"


def _is_plans_turn(app: App) -> bool:
    """Whether the next undo is about a plan, where there are any."""
    from cleveragents.cli.undo import is_chats_turn  # which finds out whose turn it is

    try:
        return bool(app.plans.list(limit=1)) and not is_chats_turn(app, Direction.BACK)
    except CleverAgentsError:  # what was asked for is done; who asks for the next is told why not
        return False


def _back(asked: ChatRetrace, result: ChatUndoResult) -> str:
    """What the next undo does, which may be about a plan; empty: nothing is left."""
    if asked.wanted.chat is None and _is_plans_turn(asked.app):
        is_more = asked.app.undo.latest_at(Direction.BACK) is not None
        return "takes back the newest act on a plan" if is_more else ""
    if asked.is_redo and result.following == result.foresight.title:
        return "takes it back again"
    return f"takes back {result.following}" if result.following else ""
