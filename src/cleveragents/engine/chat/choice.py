"""What an undo is to take back: words that a user typed, made shares of differences."""

import re
from collections.abc import Iterator, Sequence

from cleveragents.chats.attribution import Difference, Whose
from cleveragents.chats.chat import Chat
from cleveragents.chats.moment import Moment, MomentKind
from cleveragents.chats.turns import Call, CallName
from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.counting import counted
from cleveragents.engine.chat.parting import Share
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.errors import InvalidInput, NotFound
from cleveragents.records import frozen, replace

_TURN = re.compile(r"t?([0-9]+)(?:\.([0-9]+))?")
_CHECKPOINT = re.compile(r"cp([0-9]+)")
SEE = "see what there is: agents timeline"


@frozen
class Beginning:
    """Where that begins which is to be taken back."""

    number: int  # of the moment
    checkpoint: Checkpoint | None  # of the files then; None: nobody looked in time


@frozen
class Choice:
    """The shares that are to be taken back."""

    chat: Chat
    turn: int
    call: int  # 0: all of the turn
    shares: Sequence[Share]  # the agent's, the oldest first
    unclear: Sequence[Share]
    began: Beginning
    is_since: bool = False

    @property
    def title(self) -> str:
        """What is taken back, in a word."""
        return titled(self.turn, self.call, is_since=self.is_since)

    def has(self, call: CallName) -> bool:
        """Whether a call is one of those that are taken back."""
        if call.chat != self.chat.plan_id:
            return False
        if self.is_since:
            return (call.turn, call.number) >= (self.turn, self.call)
        return call.turn == self.turn and self.call in (0, call.number)


def titled(turn: int, call: int, *, is_since: bool) -> str:
    """What is taken back, in a word: a turn, a call, or all from there on."""
    name = f"t{turn}.{call}" if call else f"t{turn}"
    return f"everything since {name}" if is_since else name


def choose(past: Past, wanted: UndoRequest) -> Choice | None:
    """Finds what is meant first of all; None: there is nothing that stands."""
    return next(choices(past, wanted), None)


def choices(past: Past, wanted: UndoRequest) -> Iterator[Choice]:
    """What may be meant: all that stands, the newest first, unless somebody has named one."""
    chats = [chat for chat in reversed(past.chats) if wanted.chat in (None, chat.plan_id)]
    if not chats:
        raise NotFound(
            "no chat was recorded here", hints=["protect this directory: agents protect"]
        )
    if wanted.since is not None and wanted.target is not None:
        raise InvalidInput(
            f"{wanted.target} and --since {wanted.since} were both given",
            hints=[
                f"one turn or call: agents undo {wanted.target}",
                f"everything since then: agents undo --since {wanted.since}",
            ],
        )
    if wanted.since is None and wanted.target is None:
        yield from _standing(past, chats, wanted)
        return
    since, target = wanted.since, wanted.target or ""
    found = _named(past, chats[0], target) if since is None else _since(past, chats[0], since)
    if found.call and wanted.with_chat:
        since_word = "--since " if found.is_since else ""
        raise InvalidInput(
            "a conversation is taken back before a prompt, not before a call",
            hints=[f"take the turn back: agents undo {since_word}t{found.turn} --with-chat"],
        )
    yield found


def _standing(past: Past, chats: Sequence[Chat], wanted: UndoRequest) -> Iterator[Choice]:
    """The turns that changed something and stand, of the newest chat first.

    The last are those of which nobody knows what they changed: no turn that is known is older.
    """
    with_unclear = wanted.takes_unclear is not False
    for chat in chats:
        seen: set[int] = set()
        for difference in reversed(past.differences):
            turn = max(_turns(difference, chat), default=0)
            if turn in seen or not turn:
                continue
            if any(past.due(one, with_unclear=with_unclear) for one in past.shares(difference)):
                seen.add(turn)
                yield _unkept(past, _of_turn(past, chat, turn, 0))
        unseen = {call.name.turn for call in past.unseen if call.name.chat == chat.plan_id}
        for turn in sorted(unseen - seen, reverse=True):
            yield _of_turn(past, chat, turn, 0)


def _unkept(past: Past, choice: Choice) -> Choice:
    """The same without the paths that a user has kept: who wants them gone has to name them."""

    def without(share: Share) -> Share:
        kept = past.taken.kept(share)
        return replace(share, changes=[one for one in share.changes if one.path not in kept])

    return replace(
        choice,
        shares=list(map(without, choice.shares)),
        unclear=list(map(without, choice.unclear)),
    )


def _turns(difference: Difference, chat: Chat) -> list[int]:
    """The turns of a chat that a difference may be of."""
    shown = difference.turn
    found = [call.turn for call in difference.calls if call.chat == chat.plan_id]
    if difference.whose is Whose.UNCLEAR and shown is not None and shown[0] == chat.plan_id:
        found.append(shown[1])
    return found


def _named(past: Past, chat: Chat, text: str) -> Choice:
    if found := _CHECKPOINT.fullmatch(text):
        return _of_checkpoint(past, chat, int(found[1]))
    if (found := _TURN.fullmatch(text)) is None:
        raise InvalidInput(
            f"{text!r} is neither a turn nor a call nor a checkpoint",
            hints=["write t4, t4.2 or cp9", SEE],
        )
    turn, call = int(found[1]), int(found[2] or 0)
    known = {one.turn for one in past.moments if one.plan_id == chat.plan_id and one.turn}
    if turn not in known:
        raise NotFound(f"the chat has no turn t{turn}", hints=[SEE])
    return _of_turn(past, chat, turn, call)


def _of_turn(past: Past, chat: Chat, turn: int, call: int) -> Choice:
    def is_meant(one: Difference) -> bool:
        named = [each for each in one.calls if (each.chat, each.turn) == (chat.plan_id, turn)]
        if call:
            return any(each.number == call for each in named)
        return bool(named) or turn in _turns(one, chat)

    began = _begun(past, chat, turn, call)
    return _made(chat, turn, call, past.shares_of(is_meant), began)


def _begun(past: Past, chat: Chat, turn: int, call: int) -> Beginning:
    """Where a turn or a call begins; of a turn, somebody may look only at its first call."""
    if call:
        return _at(past, _call(past, CallName(chat.plan_id, turn, call)).before)
    moments = [one for one in past.moments if (one.plan_id, one.turn) == (chat.plan_id, turn)]
    first = next((one for one in moments if one.state is not None or one.may_write), moments[0])
    return _at(past, moments[0] if first.kind is MomentKind.AFTER else first)


def _at(past: Past, moment: Moment) -> Beginning:
    row = past.checkpoints(moment.plan_id).get(moment.checkpoint_id or "")
    return Beginning(moment.number, row)


def _call(past: Past, name: CallName) -> Call:
    for one in past.calls:
        if one.name == name:
            return one
    had = [one for one in past.calls if (one.name.chat, one.name.turn) == (name.chat, name.turn)]
    raise NotFound(
        f"the chat has no call t{name.turn}.{name.number};"
        f" t{name.turn} has {counted(len(had), 'call')} that may write",
        hints=[SEE],
    )


def _made(
    chat: Chat,
    turn: int,
    call: int,
    shares: Sequence[Share],
    began: Beginning,
    *,
    is_since: bool = False,
) -> Choice:
    agents = [share for share in shares if share.whose is Whose.AGENT]
    unclear = [share for share in shares if share.whose is Whose.UNCLEAR]
    return Choice(chat, turn, call, agents, unclear, began, is_since=is_since)


def _of_checkpoint(past: Past, chat: Chat, seq: int) -> Choice:
    """The call after which a checkpoint was made."""
    rows = past.checkpoints(chat.plan_id)
    if seq not in {row.seq for row in rows.values()}:
        raise NotFound(f"the chat has no checkpoint cp{seq}", hints=[SEE])
    for one in past.differences:
        row = rows.get(one.after.checkpoint_id or "")
        mine = [call for call in one.calls if call.chat == chat.plan_id]
        if one.whose is Whose.AGENT and row is not None and row.seq == seq and mine:
            return _of_turn(past, chat, mine[0].turn, mine[0].number)
    raise NotFound(
        f"no call ended with cp{seq}",
        hints=[f"take back what came after it: agents undo --since cp{seq}"],
    )


def _since(past: Past, chat: Chat, text: str) -> Choice:
    """Everything that the chat changed from a checkpoint, a turn or a call on."""
    if found := _CHECKPOINT.fullmatch(text):
        turn, call, began = _since_checkpoint(past, chat, int(found[1]))
    elif found := _TURN.fullmatch(text):
        turn, call = int(found[1]), int(found[2] or 0)
        if all((one.plan_id, one.turn) != (chat.plan_id, turn) for one in past.moments):
            raise NotFound(f"the chat has no {text}", hints=[SEE])
        began = _begun(past, chat, turn, call)
    else:
        raise InvalidInput(f"{text!r} is neither a checkpoint nor a turn nor a call", hints=[SEE])

    def is_meant(one: Difference) -> bool:
        is_named = call and CallName(chat.plan_id, turn, call) in one.calls
        return bool(_turns(one, chat)) and (is_named or one.before.number >= began.number)

    shares = past.shares_of(is_meant)
    return _made(chat, max(turn, 1), call, shares, began, is_since=True)


def _since_checkpoint(past: Past, chat: Chat, seq: int) -> tuple[int, int, Beginning]:
    """The turn in which a checkpoint was made, and that; one made by hand is of no moment."""
    rows = past.checkpoints(chat.plan_id).values()
    row = next((row for row in rows if row.seq == seq), None)
    mine = [one for one in past.moments if one.plan_id == chat.plan_id]
    if row is None or not mine:
        raise NotFound(f"the chat has no cp{seq}", hints=[SEE])
    noted = [one for one in mine if one.checkpoint_id == row.checkpoint_id]
    at = (noted or [one for one in mine if one.at >= row.created_at] or mine[-1:])[0]
    return at.turn, 0, Beginning(at.number, row)
