"""How undo and redo in a chat are shown: which turn it is, what changes, what is apart."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cleveragents.chats.turns import Call
from cleveragents.cli import changes, views
from cleveragents.cli.render import Block, Fields, Text
from cleveragents.engine.chat.foresight import ChatForesight, PassedOver
from cleveragents.engine.chat.gaps import Gap
from cleveragents.ids import SHORTEST, now
from cleveragents.shapes.chat import call_named

if TYPE_CHECKING:
    from cleveragents.app import App
    from cleveragents.clients.conversation import ConversationFate
    from cleveragents.sandbox.project import Project

SILENT = "this is another directory than was protected here, nothing is recorded: agents protect"
LET_GO = "this directory is not protected any more, nothing is recorded: agents protect"
PROMPT = 60  # letters of a prompt in a heading
NAMED = 5  # paths of what has nothing to do with the turn
LISTED = 20  # paths shown to people; JSON has them all


def silent(app: "App", project: "Project") -> list[str]:
    """What is told where hooks say nothing: another directory is there, or it was let go."""
    if app.chats.protection.is_replaced(project):
        return [SILENT]
    return [LET_GO] if app.chats.protection.is_let_go(project) else []


def blocks(would: ChatForesight) -> list[Block]:
    """The preview: which turn of which chat, what would change, and everything apart from that."""
    about = [] if would.is_passed_over else [heading(would)]
    return [
        Text([*about, *passed_over(would)]),
        changed("Would otherwise change" if would.is_refused else "Would change", would),
        *apart(would),
        *_in_the_way(would),
    ]


def heading(would: ChatForesight) -> str:
    """Says that it is about a chat, which turn of it, and what the user had asked for."""
    asked = f': "{cut(would.prompt, PROMPT)}"' if would.prompt else ""
    short = would.chat.plan_id[:SHORTEST]
    return f"{would.kind} of {would.title}{asked} (chat of {would.chat.client}, {short})"


def changed(title: str, would: ChatForesight) -> Fields:
    """The paths that change, each with what becomes of it."""
    return changes.panel(title, would.files)


def apart(would: ChatForesight) -> list[Block]:
    """Everything that is not simply taken back."""
    found = [*unclear(would)]
    if would.mine:
        found.append(paths("Left as you have it", would.mine))
    if would.users:
        found.append(paths("Your own changes, which go too", would.users))
    if would.not_covered:
        found.append(gaps("Not covered, not taken back", would.not_covered))
    if would.joint:
        found.append(Text([f"done jointly, so that it goes as well: {', '.join(would.joint)}"]))
    named = {gap.path for gap in would.not_covered}
    besides = [gap for gap in would.left_out if gap.path not in named]
    if besides:
        found.append(gaps("Left out here, so that no undo touches it", besides, NAMED))
        if any(gap.is_by_limits for gap in besides):
            found.append(Text(["how much the limits leave out: agents protect --check"]))
    return [*found, *(Text([told]) for told in (*would.questions, *would.notes))]


def passed_over(would: ChatForesight) -> list[str]:
    """The newer turns that nothing is left of, the first of them by name."""
    passed = would.passed_over
    more = [f"passed over: {len(passed) - LISTED} more"] if len(passed) > LISTED else []
    return [*(f"passed over: {_passed(would, each)}" for each in passed[:LISTED]), *more]


def _passed(would: ChatForesight, each: PassedOver) -> str:
    chat = each.chat
    if chat.plan_id == would.chat.plan_id:
        return each.why
    return f"{each.why} (chat of {chat.client}, {chat.plan_id[:SHORTEST]})"


def gaps(title: str, found: Sequence[Gap], most: int = LISTED) -> Fields:
    """The first of some paths that are not covered, each with the reason."""
    more = [("", f"and {len(found) - most} more")] if len(found) > most else []
    return Fields(title, [*((gap.path, gap.why) for gap in found[:most]), *more])


def unclear(would: ChatForesight) -> list[Block]:
    """The paths that may be the user's, and what becomes of them."""
    if not would.unclear:
        return []
    fate = "goes too" if would.takes_unclear else "stays"
    title = f"Unclear: yours, or of something that a call left running ({fate})"
    return [paths(title, would.unclear)]


def conversation(fate: "ConversationFate | None") -> list[Block]:
    """What becomes of the conversation in the client, if somebody asked."""
    return [] if fate is None else [Text([f"the conversation: {fate.how}"])]


def onwards(fate: "ConversationFate | None") -> list[str]:
    """The command that goes on with a conversation, or that takes it back."""
    return [] if fate is None or not fate.command else [fate.command]


def paths(title: str, names: Sequence[str]) -> Fields:
    """The first of some paths, one to a line."""
    more = [f"and {len(names) - LISTED} more"] if len(names) > LISTED else []
    return Fields(title, [("", name) for name in [*names[:LISTED], *more]])


def _in_the_way(would: ChatForesight) -> list[Block]:
    met = [(each.file, each.reason) for each in would.conflicts]
    met += [(each.path, each.why) for each in would.obstacles]
    return [Fields("In the way", met)] if met else []


def missed(would: ChatForesight) -> list[str]:
    """The paths that somebody named and at which nothing was changed."""
    return [f"{would.title} changed nothing at {each.typed}" for each in would.unmatched]


def elsewhere(would: ChatForesight) -> list[str]:
    """How to take back what other turns changed at such paths."""
    return [way for each in would.unmatched for way in each.ways]


def named(call: Call) -> str:
    """A call, as people name it."""
    return call_named(call.name, call.name.chat)


def aged(call: Call) -> str:
    """A call that is under way, and for how long it has been."""
    since = views.elapsed((now() - call.started_at).total_seconds())
    return f"{named(call)} is under way for {since}: {call.tool} {call.text}".rstrip()


def cut(text: str, most: int) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
