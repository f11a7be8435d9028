"""Paths whose change cannot be taken out of what is there: who changed the same, and how."""

import stat
from collections.abc import Collection, Mapping, Sequence

from cleveragents.chats.attribution import Whose
from cleveragents.chats.turns import CallName
from cleveragents.engine.chat.choice import Choice
from cleveragents.engine.chat.parting import Pair, Share
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.chat.unmerging import Step, Unmerged
from cleveragents.ids import PlanId
from cleveragents.operations.in_project import TakeBack
from cleveragents.operations.kind import Kind
from cleveragents.operations.operation import AnyOperation
from cleveragents.records import frozen, replace
from cleveragents.snapshots.merge import MergeConflict
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.content import CHUNK, Read
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.scan import shown

TAKE = "--unclear take"
LINES = "you changed the same or neighbouring lines"
_KINDS: Mapping[int, str] = {
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
}


@frozen
class Conflict:
    """A path whose change cannot be taken out of what is there."""

    file: str
    reason: str
    ways: Sequence[str] = ()


def conflicts_of(
    past: Past,
    choice: Choice,
    shares: Sequence[Share],
    unmerged: Unmerged,
    wanted: UndoRequest,
) -> list[Conflict]:
    """Says of each conflict who changed the same, and what to do about it."""
    read = unmerged.merge.objects.read
    taken = {share.pair for share in shares}
    return [
        _conflict(past, choice, wanted, conflict, _since(past, taken, conflict, step), read)
        for conflict, step in unmerged.conflicts.values()
    ]


def typed_turn(past: Past, chat: PlanId, name: str) -> str:
    """A turn as it is typed: of the newest chat by its name alone."""
    return name if chat == past.chats[-1].plan_id else f"{name} --chat {chat}"


def _conflict(
    past: Past,
    choice: Choice,
    wanted: UndoRequest,
    conflict: MergeConflict,
    since: Sequence[Share],
    read: Read,
) -> Conflict:
    path = shown(conflict.path)
    of = {whose: [share for share in since if share.whose is whose] for whose in Whose}
    if of[Whose.AGENT]:
        return _of_turn(past, choice, path, of[Whose.AGENT][-1].difference.calls[0])
    if of[Whose.UNCLEAR] and not of[Whose.USER]:
        return _of_nobody(past, choice, wanted, path, of[Whose.UNCLEAR][-1])
    act = past.act_of(of[Whose.OURS][-1]) if of[Whose.OURS] and not of[Whose.USER] else None
    if act is None:
        return Conflict(path, _by_user(conflict, read))
    return _of_act(past, path, act)


def _since(past: Past, taken: Collection[Pair], conflict: MergeConflict, step: Step) -> list[Share]:
    """The shares that came after a step, stay, and changed a path, or something in it.

    Of a directory that is one on all sides only itself counts: what is in it merges by itself.
    """
    if step.share is None:
        return []
    order, path, is_alone = step.share.order, conflict.path, _is_directory(conflict)
    return [
        share
        for share in past.shares_of(lambda one: one.before.number >= order[0][0])
        if share.order > order
        and share.pair not in taken
        and any(
            change.path == path or (not is_alone and tree_path.is_below(change.path, path))
            for change in past.standing(share)
        )
    ]


def _of_turn(past: Past, choice: Choice, path: str, later: CallName) -> Conflict:
    """A later turn, of this chat or of another, changed the same."""
    name = f"t{later.turn}"
    first = f"undo it first: agents undo {typed_turn(past, later.chat, name)}"
    if later.chat != choice.chat.plan_id:
        return Conflict(path, f"another chat's {name} changed the same", [first])
    since = typed_turn(past, later.chat, f"--since t{choice.turn}")
    return Conflict(path, f"{name} changed the same", [first, f"or both: agents undo {since}"])


def _of_nobody(
    past: Past, choice: Choice, wanted: UndoRequest, path: str, later: Share
) -> Conflict:
    """Something changed the same that may be the user's or an agent's."""
    turn = later.difference.turn
    if later.pair in {share.pair for share in choice.unclear}:
        ways = [f"take that too: {replace(wanted, takes_unclear=True).line(Kind.UNDO)}"]
    else:
        named = [typed_turn(past, turn[0], f"t{turn[1]}")] if turn is not None else []
        ways = [f"take that first: agents undo {one} {TAKE}" for one in named]
    return Conflict(path, "it is unclear who changed the same", ways)


def _of_act(past: Past, path: str, act: AnyOperation) -> Conflict:
    """An act of ours changed the same."""
    article = "a" if act.kind is Kind.REDO else "an"
    if not isinstance(act.intent, TakeBack):
        way = f"take that back first: agents undo --plan {act.plan_id}"
        return Conflict(path, f"{article} {act.kind} of a plan changed the same", [way])
    told = f"{article} {act.kind} of t{act.intent.turn} changed the same"
    turn = typed_turn(past, act.plan_id, f"t{act.intent.turn}")
    is_redo = act.kind is Kind.REDO  # only what was done again can be taken back
    ways = [f"take that back first: agents undo {turn}"] if is_redo else []
    return Conflict(path, told, ways)


def _is_directory(conflict: MergeConflict) -> bool:
    """Whether it is about a directory itself: its mode or attributes."""
    sides = (conflict.base, conflict.ours, conflict.theirs)
    return all(one is None or one.is_dir for one in sides)


def _by_user(conflict: MergeConflict, read: Read) -> str:
    """How a user changed what the agent had made of a path."""
    made, now, was = conflict.base, conflict.ours, conflict.theirs
    if now is None:
        return "you deleted it"
    if made is None:
        return "there is one of yours in its place"
    if _is_directory(conflict):
        return "you changed its mode or attributes" + ("; it was new" if was is None else " too")
    if now.kind != made.kind:
        return f"you made it {_kind(now)}; the agent had left {_kind(made)}"
    return _alike(made, now, was, read)


def _alike(made: Entry, now: Entry, was: Entry | None, read: Read) -> str:
    """The same, where it is still of the kind that the agent had made it."""
    if was is None:
        return "it was new, and you changed it"
    if was.kind != made.kind:
        what = "something in it" if now.is_dir else "it"
        return f"the agent made it {_kind(made)}, before it was {_kind(was)}; you changed {what}"
    if now.content == made.content or was.content in (made.content, now.content):
        return "you changed its mode or attributes too"
    if not now.is_file:
        return "you changed it too"
    if max(made.size, now.size, was.size) > CHUNK:
        return "you changed it too, and it is too large to merge its lines"
    is_text = not any(b"\0" in read(each.content) for each in (made, now, was))
    return LINES if is_text else "you changed it too, and it is no text that could be merged"


def _kind(entry: Entry) -> str:
    return _KINDS.get(entry.kind, "a file")
