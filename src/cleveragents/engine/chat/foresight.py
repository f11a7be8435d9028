"""What an undo in the user's directory would do, and what stands in its way."""

import os
from collections.abc import Iterable, Sequence
from datetime import datetime

from cleveragents.chats.chat import Chat
from cleveragents.checkpoints.file_change import FileChange, telling
from cleveragents.checkpoints.shown import digest_of
from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.chat.conflicts import Conflict
from cleveragents.engine.chat.gaps import WAS_FORGOTTEN, Gap
from cleveragents.engine.chat.parting import Share
from cleveragents.engine.chat.request import NAMED, UndoRequest
from cleveragents.engine.chat.taking import Taking
from cleveragents.engine.chat.unmerging import Unmerged
from cleveragents.records import frozen
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.scan import shown


@frozen
class Unmatched:
    """A path that a user named, and at which nothing was changed by what is taken back."""

    typed: str
    ways: Sequence[str]  # commands that take back what others changed there
    nearest: str = ""  # asks for the path that looks most like it


@frozen
class PassedOver:
    """A turn that stands, but of which an undo would change nothing."""

    chat: Chat
    turn: int
    why: str


@frozen(kw_only=True)
class ChatForesight:
    """The preview of an undo or a redo of what an agent did."""

    kind: str  # undo | redo
    chat: Chat
    turn: int
    call: int
    title: str
    is_since: bool = False  # not that turn or call alone, but all from there on
    prompt: str  # what the user had asked for
    taking: Taking  # what it takes, as it is remembered
    undoes: str = ""  # the undo that a redo takes back
    unmerged: Unmerged
    conflicts: Sequence[Conflict]
    obstacles: Sequence[Obstacle]  # everything else that is refused
    questions: Sequence[str]  # what a person must know before they agree
    notes: Sequence[str]  # what is told besides
    unclear: Sequence[str]  # paths that may be the user's
    late: Sequence[str]  # those of them of which it is so because nobody looked in time
    takes_unclear: bool
    is_undecided: bool  # whether nobody has said yet what becomes of them
    users: Sequence[str]  # changes of the user's own that go too, with --everything
    not_covered: Sequence[Gap]  # what it would touch, or should, and nobody knows
    not_known: Sequence[str] = ()  # paths or calls: nobody ever saw what was there before
    left_out: Sequence[Gap]  # whatever chats do not cover here
    mine: Sequence[str] = ()  # paths that stay because the user wants them as they are
    joint: Sequence[str]  # calls that did some of it together with what is taken back
    wanted: UndoRequest
    unmatched: Sequence[Unmatched] = ()
    changed_at: datetime | None = None  # when what stands of it was changed last
    passed_over: Sequence[PassedOver] = ()  # newer turns

    @property
    def files(self) -> tuple[FileChange, ...]:
        """What would change, as users read it."""
        merged = self.unmerged.merged
        return tuple(
            FileChange(_named(change), _action(change, merged))
            for change in telling(self.unmerged.merge.changes)
        )

    @property
    def held(self) -> list[str]:
        """The directories that stay because others have something in them."""
        return sorted(map(shown, self.unmerged.held))

    @property
    def is_refused(self) -> bool:
        """Whether something stands in the way."""
        return bool(self.conflicts or self.obstacles)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be changed."""
        return not self.unmerged.merge.changes and not self.is_refused

    @property
    def is_only_kept(self) -> bool:
        """Whether nothing would be changed because a user keeps all: that is to be remembered."""
        return self.is_empty and bool(self.taking.mine) and not self.is_undecided

    @property
    def misses_all(self) -> bool:
        """Whether nothing was changed at any of the paths that it was to keep to."""
        missed = {each.typed for each in self.unmatched}
        return bool(self.wanted.paths) and missed.issuperset(self.wanted.paths)

    @property
    def ways_out(self) -> list[str]:
        """What to do about whatever stands in the way."""
        files = [each.file for each in self.conflicts]
        state = "there before the undo" if self.kind == "redo" else "there before"
        more = f"    # and {len(files) - NAMED} more paths" if len(files) > NAMED else ""
        kept = self.wanted.with_mine(files).line(self.kind) + more
        before = self.wanted.with_before(files).line(self.kind) + more
        ways = [
            *(way for each in self.conflicts for way in each.ways),
            *([f"keep yours: {kept}", f"or what was {state}: {before}"] if files else []),
            *(each.remedy for each in self.obstacles if isinstance(each.remedy, str)),
        ]
        return list(dict.fromkeys(ways))

    @property
    def is_settled(self) -> bool:
        """Whether nothing would be changed, and nobody could say a word that makes it otherwise.

        The conversation about a turn may be taken back also where no file is.
        """
        can_be_said = self.is_undecided or self.mine or self.misses_all
        return self.is_empty and not can_be_said and not self.wanted.with_chat

    @property
    def is_passed_over(self) -> bool:
        """Whether it is only here to tell that nothing is left of any turn."""
        own = (self.chat.plan_id, self.turn)
        return any((each.chat.plan_id, each.turn) == own for each in self.passed_over)

    @property
    def why_empty(self) -> str:
        """Why nothing would be changed."""
        if self.is_undecided:
            return f"what {self.title} left here may be yours"
        if self.mine:
            return f"what {self.title} left here stays as you have it"
        if self.not_known:
            return f"what {self.title} changed is not known"
        if any(gap.why != WAS_FORGOTTEN for gap in self.not_covered):
            return f"what {self.title} left here is not covered"
        return f"{self.title} left nothing here that is still so"

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        others = [each.file for each in self.conflicts]
        stands = [self.kind, self.chat.plan_id, self.taking.takes, self.undoes, self.takes_unclear]
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


def unclear_paths(shares: Iterable[Share]) -> list[str]:
    """The paths of unclear shares, each once."""
    found = (shown(change.path) for share in shares for change in telling(share.changes))
    return list(dict.fromkeys(found))
