"""The timeline of a directory: prompts and calls of every chat, with what each changed."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from cleveragents.chats.attribution import Whose
from cleveragents.chats.chat import Chat
from cleveragents.chats.turns import Call, CallName, Turn, turns
from cleveragents.checkpoints.comparison import path_told
from cleveragents.checkpoints.file_change import telling
from cleveragents.engine.chat.gaps import uncovered_paths
from cleveragents.engine.chat.lost import GIT, losses
from cleveragents.engine.chat.parting import Share
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.taken import Undo
from cleveragents.ids import PlanId
from cleveragents.records import frozen, replace


@frozen
class CallStory:
    """A call, and what it changed."""

    call: Call
    changed: Sequence[str]  # paths
    joint_with: Sequence[CallName]  # calls that ran when some of it changed: it may be theirs


@frozen
class TurnStory:
    """A prompt and what followed from it."""

    turn: Turn
    calls: Sequence[CallStory]
    external: Sequence[str]  # paths that the user changed before it or during it
    unclear: Sequence[str]  # paths that may be the user's or of something that a call left running
    not_covered: Sequence[str]  # paths that its calls changed, and that no undo brings back
    taken_back_by: Undo | None  # the last undo that has taken anything of it back
    standing: Sequence[str]  # paths that its calls changed and that no undo has taken back
    changed_at: datetime | None  # when its calls changed something last; None: they did nothing

    @property
    def changed(self) -> Sequence[str]:
        """The paths that its calls changed."""
        return list(dict.fromkeys(path for one in self.calls for path in one.changed))

    @property
    def is_taken_back(self) -> bool:
        """Whether nothing of it stands any more, because it was taken back."""
        return self.taken_back_by is not None and not self.standing


@frozen
class ChatStory:
    """A chat with its turns, the newest first."""

    chat: Chat
    turns: Sequence[TurnStory]


@frozen
class Timeline:
    """The chats of a directory, the one that was heard of last first."""

    chats: Sequence[ChatStory]


def timeline(past: Past, chat: PlanId | None = None, limit: int | None = None) -> Timeline:
    """Tells of all chats or of one; of all their turns, or of so many of the newest."""
    meant = [turn for turn in turns(past.moments) if chat in (None, turn.chat)]
    listed = meant[-limit:] if limit else meant
    told = {chat.plan_id: list[TurnStory]() for chat in past.chats}
    for turn in reversed(listed):
        told[turn.chat].append(_turn(past, turn))
    stories = [ChatStory(each, told[each.plan_id]) for each in reversed(past.chats)]
    return Timeline([story for story in stories if story.turns])


def _turn(past: Past, turn: Turn) -> TurnStory:
    of = (turn.chat, turn.number)
    shown = past.shares_of(lambda one: one.turn == of)
    made = past.shares_of(lambda one: any((call.chat, call.turn) == of for call in one.calls))
    mine = [share for share in made if share.whose is Whose.AGENT]
    return TurnStory(
        turn,
        [_call(call, mine) for call in turn.calls],
        _paths(share for share in shown if share.whose is Whose.USER),
        _paths(share for share in shown if share.whose is Whose.UNCLEAR),
        _not_covered(past, turn),
        _taken_back(past, mine),
        _paths(replace(share, changes=past.standing(share)) for share in mine),
        max((share.difference.after.at for share in mine), default=None),
    )


def _not_covered(past: Past, turn: Turn) -> list[str]:
    def has(call: CallName) -> bool:
        return (call.chat, call.turn) == (turn.chat, turn.number)

    is_lost = any(has(call) for loss in losses(past) for call in loss.calls)
    return [*([GIT] if is_lost else []), *uncovered_paths(past, has)]


def _call(call: Call, shares: Sequence[Share]) -> CallStory:
    mine = [share for share in shares if call.name in share.difference.calls]
    beside = {name: None for share in mine for name in share.difference.calls}
    return CallStory(call, _paths(mine), [name for name in beside if name != call.name])


def _taken_back(past: Past, shares: Sequence[Share]) -> Undo | None:
    """The last undo that took anything of a turn back."""
    found = [one for share in shares for one in past.taken.of(share)]
    return max(found, key=lambda one: one.operation_id, default=None)


def _paths(shares: Iterable[Share]) -> list[str]:
    """The paths that shares tell of, each once."""
    changes = (change for share in shares for change in telling(share.changes))
    return list(dict.fromkeys(map(path_told, changes)))
