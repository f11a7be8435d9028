"""What an undo in the user's directory would do, and what stands in its way."""

import os
from collections.abc import Iterable, Sequence

from cleveragents.chats.attribution import Whose
from cleveragents.chats.chat import Chat
from cleveragents.chats.turns import CallName
from cleveragents.checkpoints.file_change import FileChange, telling
from cleveragents.checkpoints.shown import digest_of
from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.chat.choice import Choice
from cleveragents.engine.chat.past import Past, Share
from cleveragents.engine.chat.unmerging import Step, Unmerged
from cleveragents.records import frozen
from cleveragents.snapshots.merge import MergeConflict
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.scan import shown


@frozen
class Conflict:
    """A path whose change cannot be taken out of what is there."""

    file: str
    reason: str
    ways: Sequence[str] = ()


@frozen(kw_only=True)
class ChatForesight:
    """The preview of an undo or a redo of what an agent did."""

    kind: str  # undo | redo
    chat: Chat
    turn: int
    call: int
    title: str
    prompt: str  # what the user had asked for
    takes: tuple[tuple[int, int], ...]  # differences, by the moments around each
    unclear_pairs: tuple[tuple[int, int], ...]  # those of which some may be the user's
    undoes: str = ""  # the undo that a redo takes back
    unmerged: Unmerged
    conflicts: Sequence[Conflict]
    obstacles: Sequence[Obstacle]  # everything else that is refused
    questions: Sequence[str]  # what a person must know before they agree
    unclear: Sequence[str]  # paths that may be the user's
    takes_unclear: bool
    users: Sequence[str]  # changes of the user's own that go too, with --everything
    not_covered: Sequence[str]
    mine: Sequence[str] = ()  # paths that stay because the user wants them as they are
    joint: Sequence[str]  # calls that did some of it together with what is taken back

    @property
    def files(self) -> tuple[FileChange, ...]:
        """What would change, as users read it."""
        merged = self.unmerged.merged
        return tuple(
            FileChange(_named(change), _action(change, merged))
            for change in telling(self.unmerged.merge.changes)
        )

    @property
    def is_refused(self) -> bool:
        """Whether something stands in the way."""
        return bool(self.conflicts or self.obstacles)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be changed."""
        return not self.unmerged.merge.changes and not self.is_refused

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        others = [each.file for each in self.conflicts]
        stands = [self.kind, self.chat.plan_id, self.takes, self.undoes, self.takes_unclear]
        return digest_of(
            self.unmerged.merge.changes, stands, others, list(map(str, self.obstacles))
        )


def _named(change: Change) -> str:
    entry = change.after or change.before
    is_dir = entry is not None and entry.is_dir
    return os.fsdecode(change.path) + ("/" if is_dir else "")


def _action(change: Change, merged: frozenset[bytes]) -> str:
    if change.path in merged:
        return "merged"
    return "removed" if change.after is None else "restored"


def conflicts_of(past: Past, choice: Choice, unmerged: Unmerged) -> list[Conflict]:
    """Says of each conflict who changed the same, and what to do about it."""
    return [
        _conflict(past, choice, conflict, step) for conflict, step in unmerged.conflicts.values()
    ]


def _conflict(past: Past, choice: Choice, conflict: MergeConflict, step: Step) -> Conflict:
    path = shown(conflict.path)
    later = _later(past, choice, conflict.path, step)
    if later is None:
        return Conflict(path, _by_user(conflict))
    name = (
        f"t{later.turn}" if later.chat == choice.chat.plan_id else f"another chat's t{later.turn}"
    )
    ways = (
        [f"undo {name} first: agents undo {name}", f"or both: agents undo --since t{choice.turn}"]
        if later.chat == choice.chat.plan_id
        else [f"undo it first: agents undo t{later.turn} --chat {later.chat}"]
    )
    return Conflict(path, f"{name} changed the same", ways)


def _later(past: Past, choice: Choice, path: bytes, step: Step) -> CallName | None:
    """The newest call of a later turn that changed a path and stands."""
    if step.share is None:
        return None
    since, taken = step.share.pair, {share.pair for share in choice.shares}
    found = [
        share.difference.calls[0]
        for share in past.shares_of(lambda one: one.before.number >= since[1])
        if share.whose is Whose.AGENT
        and share.pair not in taken
        and any(change.path == path for change in past.standing(share))
    ]
    return found[-1] if found else None


def _by_user(conflict: MergeConflict) -> str:
    if conflict.ours is None:
        return "you deleted it"
    if conflict.base is None:
        return "there is one of yours in its place"
    if conflict.theirs is None:
        return "it was new, and you changed it"
    if conflict.ours.kind != conflict.base.kind:
        return "it is something else now"
    return "you changed the same or neighbouring lines"


def unclear_paths(shares: Iterable[Share]) -> list[str]:
    """The paths of unclear shares, each once."""
    found = (shown(change.path) for share in shares for change in telling(share.changes))
    return list(dict.fromkeys(found))
