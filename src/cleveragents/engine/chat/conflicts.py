"""Paths whose change cannot be taken out of what is there: who changed the same, and how."""

import stat
from collections.abc import Mapping, Sequence

from cleveragents.chats.attribution import Whose
from cleveragents.chats.turns import CallName
from cleveragents.engine.chat.choice import Choice
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.unmerging import Step, Unmerged
from cleveragents.ids import PlanId
from cleveragents.records import frozen
from cleveragents.snapshots.merge import MergeConflict
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.content import CHUNK, Read
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.scan import shown

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


def conflicts_of(past: Past, choice: Choice, unmerged: Unmerged) -> list[Conflict]:
    """Says of each conflict who changed the same, and what to do about it."""
    read = unmerged.merge.objects.read
    return [
        _conflict(past, choice, conflict, step, read)
        for conflict, step in unmerged.conflicts.values()
    ]


def typed_turn(past: Past, chat: PlanId, name: str) -> str:
    """A turn as it is typed: of the newest chat by its name alone."""
    return name if chat == past.chats[-1].plan_id else f"{name} --chat {chat}"


def _conflict(
    past: Past, choice: Choice, conflict: MergeConflict, step: Step, read: Read
) -> Conflict:
    path, chat = shown(conflict.path), choice.chat.plan_id
    later = _later(past, choice, conflict.path, step)
    if later is None:
        return Conflict(path, _by_user(conflict, read))
    name = f"t{later.turn}"
    first = f"undo it first: agents undo {typed_turn(past, later.chat, name)}"
    if later.chat != chat:
        return Conflict(path, f"another chat's {name} changed the same", [first])
    since = typed_turn(past, chat, f"--since t{choice.turn}")
    ways = [first, f"or both: agents undo {since}"]
    return Conflict(path, f"{name} changed the same", ways)


def _later(past: Past, choice: Choice, path: bytes, step: Step) -> CallName | None:
    """The newest call of a later turn that changed a path, or something in it, and stands."""
    if step.share is None:
        return None
    since, taken = step.share.pair, {share.pair for share in choice.shares}
    found = [
        share.difference.calls[0]
        for share in past.shares_of(lambda one: one.before.number >= since[1])
        if share.whose is Whose.AGENT
        and share.pair not in taken
        and any(
            change.path == path or tree_path.is_below(change.path, path)
            for change in past.standing(share)
        )
    ]
    return found[-1] if found else None


def _by_user(conflict: MergeConflict, read: Read) -> str:
    """How a user changed what the agent had made of a path."""
    made, now, was = conflict.base, conflict.ours, conflict.theirs
    if now is None:
        return "you deleted it"
    if made is None:
        return "there is one of yours in its place"
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
