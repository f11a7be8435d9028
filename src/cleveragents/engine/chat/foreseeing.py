"""What an undo or a redo would do, from what happened and what is there; changes nothing."""

import os
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from cleveragents.chats.chat import Chat
from cleveragents.chats.moment import MomentKind
from cleveragents.checkpoints.file_change import telling
from cleveragents.engine.bring.obstacles import Obstacle, hindering
from cleveragents.engine.chat.choice import Choice, titled
from cleveragents.engine.chat.conflicts import Conflict, conflicts_of
from cleveragents.engine.chat.coverage import Coverage
from cleveragents.engine.chat.deed import Deed
from cleveragents.engine.chat.foresight import ChatForesight, Unmatched, unclear_paths
from cleveragents.engine.chat.gaps import Gap, left_out, not_looked_at, uncovered
from cleveragents.engine.chat.lateness import lateness
from cleveragents.engine.chat.lost import GIT, still_lost
from cleveragents.engine.chat.parting import Share
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.place import LivePlace
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.chat.taken import Undo
from cleveragents.engine.chat.taking import Taking, of_redo, taking
from cleveragents.engine.chat.unmerging import Step, Unmerged, step_of, unmerge
from cleveragents.records import frozen, replace
from cleveragents.sandbox.project import inode_of
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.tree.diff import Load, compare
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.tree.scan import shown

OTHER_DIRECTORY = "it is another directory than the one that this chat was recorded in"
MOVE_BACK = "move the right one back"
NAMED = 10  # paths in one note


class Hindrances(Protocol):
    """Tells what else keeps an undo from being done: git, calls under way."""

    def find(
        self,
        place: LivePlace,
        past: Past,
        deeds: Sequence[Deed],
        paths: Collection[bytes],
        wanted: UndoRequest,
        *,
        is_redo: bool,
    ) -> Sequence[Obstacle]: ...


@frozen
class Foreseeing:
    """Foresees one act in one directory."""

    place: LivePlace
    past: Past
    now: Snapshot  # the files as they are
    read: Load  # reads that, and whatever is stored
    wanted: UndoRequest
    hindrances: Hindrances

    def undo(self, choice: Choice) -> ChatForesight:
        """Takes chosen shares out of what is there."""
        past, wanted = self.past, self.wanted
        wanted.refuse_both(_changed(choice))
        if wanted.is_everything:
            return self._everything(choice)
        takes_unclear = bool(wanted.takes_unclear)
        shares = [*choice.shares, *(choice.unclear if takes_unclear else ())]
        steps = self._steps(shares)
        fixed = _fixed(self.place, steps, wanted)
        unmerged = unmerge(self.now, self.read, steps, fixed)
        wanted.refuse_both(change.path for change in unmerged.crushed)
        unclear = self._unclear(choice, unmerged)
        doubtful = unclear_paths(share for share in unclear if share.difference.is_late)
        late = lateness(past, choice)
        mixed = late.told_mixed(doubtful)
        would = replace(
            self._undo(choice, shares, unmerged, [_deed(past, one, self.read) for one in shares]),
            taking=taking(past, choice, shares, fixed, wanted),
            questions=[*late.told_unseen, *(mixed if takes_unclear else ())],
            notes=[*_separated(unmerged), *(() if takes_unclear else mixed)],
            unclear=unclear_paths(unclear),
            late=doubtful,
            takes_unclear=takes_unclear,
            is_undecided=bool(unclear) and wanted.takes_unclear is None,
            mine=_mine(past, shares, wanted),
        )
        return replace(would, unmatched=self._unmatched(would, _changed(choice)))

    def _everything(self, choice: Choice) -> ChatForesight:
        """Brings all back to where a choice begins, whoever changed it."""
        from cleveragents.engine.chat.everything import everything  # noqa: PLC0415 - few ask for it

        all_of_it = [*choice.shares, *choice.unclear]
        wanted = self.wanted
        found = everything(self.place, self.past, self.now, self.read, choice, wanted)
        return replace(
            self._undo(choice, all_of_it, self._unmerged([found.step]), [found.deed]),
            taking=found.taking,
            unclear=found.unclear,
            takes_unclear=True,
            users=found.users,
            mine=found.mine,
            unmatched=self._unmatched(None, {*found.step.paths, *map(os.fsencode, found.mine)}),
        )

    def _undo(
        self,
        choice: Choice,
        shares: Sequence[Share],
        unmerged: Unmerged,
        deeds: Sequence[Deed],
    ) -> ChatForesight:
        """What is told of every undo; of what may be the user's nothing yet."""
        past, wanted, covered = self.past, self.wanted, self.place.foreseen()
        late = lateness(past, choice)
        return ChatForesight(
            kind="undo",
            chat=choice.chat,
            turn=choice.turn,
            call=choice.call,
            title=choice.title,
            is_since=choice.is_since,
            prompt=_prompt(past, choice.chat, choice.turn),
            taking=Taking(),
            unmerged=unmerged,
            conflicts=[
                each
                for each in conflicts_of(past, choice, shares, unmerged, wanted)
                if not wanted.keeps(os.fsencode(each.file))
            ],
            obstacles=self._obstacles(choice.chat, unmerged, deeds, is_redo=False),
            questions=late.told_unseen,
            notes=_separated(unmerged),
            unclear=(),
            late=(),
            takes_unclear=False,
            is_undecided=False,
            users=[shown(change.path) for change in telling(unmerged.crushed)],
            not_covered=self._not_covered(covered, choice, unmerged),
            not_known=late.unknown,
            left_out=left_out(covered, self.now),
            joint=_joint(past, choice, wanted),
            wanted=wanted,
            changed_at=_changed_at(past, choice),
        )

    def redo(self, found: Undo) -> ChatForesight:
        """Takes an undo out of what is there."""
        place, past, wanted, intent = self.place, self.past, self.wanted, found.intent
        covered = place.foreseen()
        was, became = place.archive.load(intent.place.old), place.archive.load(intent.place.new)
        changed = compare(was.roots[MAIN], became.roots[MAIN], place.archive.read)
        changes = [change for change in changed if change.path]
        paths = {change.path for change in changes}
        wanted.refuse_both(sorted(paths))
        deed = Deed(past.checkpoints(found.plan_id).get(intent.safety), changes, self.read)
        chosen = {each for each in paths if wanted.is_asked(each) and past.taken.is_so(found, each)}
        steps = [Step(became, was, frozenset(chosen))]
        unmerged = self._unmerged(steps)
        chat = past.chat(found.plan_id)
        return ChatForesight(
            kind="redo",
            chat=chat,
            turn=intent.turn,
            call=intent.call,
            title=titled(intent.turn, intent.call, is_since=intent.is_since),
            is_since=intent.is_since,
            prompt=_prompt(past, chat, intent.turn),
            taking=of_redo(past.of_acts.get(found.operation_id), chosen, is_all=chosen == paths),
            undoes=found.operation_id,
            unmerged=unmerged,
            conflicts=[
                Conflict(shown(path), "it was changed since the undo")
                for path in unmerged.conflicts
                if not wanted.keeps(path)
            ],
            obstacles=self._obstacles(chat, unmerged, [deed], is_redo=True),
            questions=(),
            notes=_separated(unmerged),
            unclear=(),
            late=(),
            takes_unclear=False,
            is_undecided=False,
            users=[shown(change.path) for change in telling(unmerged.crushed)],
            not_covered=not_looked_at(covered, self.now, unmerged.not_covered),
            left_out=left_out(covered, self.now),
            joint=(),
            wanted=wanted,
            unmatched=self._unmatched(None, paths),
        )

    def _steps(self, shares: Sequence[Share]) -> list[Step]:
        """The steps that take shares back, the newest first."""
        past = self.past
        newest_first = sorted(shares, key=lambda share: share.order, reverse=True)
        return [step_of(past, one, _chosen(past, one, self.wanted)) for one in newest_first]

    def _unclear(self, choice: Choice, unmerged: Unmerged) -> list[Share]:
        """The shares that may be the user's, as far as there is something to decide about them.

        There is not where somebody has said what becomes of a path, and where nothing is left of
        what was made of it.
        """
        if not choice.unclear:
            return []
        if not self.wanted.takes_unclear:
            unmerged = self._unmerged(self._steps([*choice.shares, *choice.unclear]))
        left = {change.path for change in unmerged.merge.changes} | unmerged.conflicts.keys()
        shares = [
            replace(
                share,
                changes=[
                    change
                    for change in share.changes
                    if change.path in left and self.wanted.is_open(change.path)
                ],
            )
            for share in choice.unclear
        ]
        return [share for share in shares if share.changes]

    def _unmerged(self, steps: Sequence[Step]) -> Unmerged:
        return unmerge(self.now, self.read, steps, _fixed(self.place, steps, self.wanted))

    def _not_covered(self, covered: Coverage, choice: Choice, unmerged: Unmerged) -> list[Gap]:
        """What stays because it is not looked at now, or was not when the turn began or ended."""
        now = not_looked_at(covered, self.now, unmerged.not_covered)
        told = {gap.path for gap in now}
        lost = still_lost(self.past, self.place.root)
        is_of_it = lost is not None and any(map(choice.has, lost.calls))
        gone = [Gap(GIT, lost.told)] if lost is not None and is_of_it else []
        before = uncovered(covered, self.past, choice.has)
        more = (gap for gap in [*gone, *before] if gap.path not in told)
        return [*now, *(gap for gap in more if self.wanted.is_asked(os.fsencode(gap.path)))]

    def _unmatched(self, would: ChatForesight | None, paths: Collection[bytes]) -> list[Unmatched]:
        """The typed paths that are none of some; without a preview, those with a fate."""
        wanted = self.wanted
        if not (wanted.paths or wanted.mine or wanted.before):
            return []
        from cleveragents.engine.chat import unmatched  # noqa: PLC0415 - who names no path needs none

        if would is None:
            return unmatched.misnamed(wanted, paths)
        return unmatched.unmatched(self.past, paths, would)

    def _obstacles(
        self, chat: Chat, unmerged: Unmerged, deeds: Sequence[Deed], *, is_redo: bool
    ) -> list[Obstacle]:
        """What stands in the way of taking deeds back."""
        place, past, changes = self.place, self.past, unmerged.merge.changes
        with beneath.root_directory(place.root) as root:
            found = hindering(root, changes, changes)
        if chat.root_inode != inode_of(place.project):
            found.append(Obstacle(str(place.root), OTHER_DIRECTORY, _kept_of(past, chat)))
        paths = {change.path for change in changes} | unmerged.conflicts.keys()
        others = self.hindrances.find(place, past, deeds, paths, self.wanted, is_redo=is_redo)
        return [*found, *others]


def _kept_of(past: Past, chat: Chat) -> str:
    """How files come back of a directory that is there no more."""
    newest = max(past.checkpoints(chat.plan_id).values(), key=lambda row: row.seq, default=None)
    if newest is None:
        return MOVE_BACK
    return (
        f"get its files in a sandbox: agents plan fork {chat.plan_id} {newest.name}; or {MOVE_BACK}"
    )


def _deed(past: Past, share: Share, read: Load) -> Deed:
    before = share.difference.before
    row = past.checkpoints(before.plan_id).get(before.checkpoint_id or "")
    return Deed(row, share.changes, read)


def _separated(unmerged: Unmerged) -> list[str]:
    """Tells of names of one file: each that is placed is a file of its own afterwards."""
    paths = [
        shown(change.path)
        for change in unmerged.merge.changes
        if change.after is not None
        and change.after.is_file
        and (change.after.link or (change.before is not None and change.before.link))
    ]
    more = [f"and {len(paths) - NAMED} more"] if len(paths) > NAMED else []
    told = ", ".join([*paths[:NAMED], *more])
    return [f"hard links come back as separate files: {told}"] if paths else []


def _chosen(past: Past, share: Share, wanted: UndoRequest) -> frozenset[bytes]:
    """The paths of a share that are meant and stand."""
    return frozenset(change.path for change in past.standing(share) if wanted.is_asked(change.path))


def _changed(choice: Choice) -> set[bytes]:
    """The paths that were changed by what is taken back, whoever it was."""
    return {each.path for share in (*choice.shares, *choice.unclear) for each in share.changes}


def _mine(past: Past, shares: Sequence[Share], wanted: UndoRequest) -> list[str]:
    """The paths that would go if the user did not keep them."""
    changes = (change for share in shares for change in past.standing(share))
    kept = (change.path for change in changes if wanted.keeps(change.path))
    return sorted({shown(path) for path in kept})


def _fixed(
    place: LivePlace, steps: Sequence[Step], wanted: UndoRequest
) -> dict[bytes, Entry | None]:
    """The paths that shall be what they were, whatever is there: as the oldest step had them."""
    found: dict[bytes, Entry | None] = {}
    for step in steps:  # the newest first, so that the oldest is what stays
        lookup = place.archive.lookup(step.was)
        for path in step.paths:
            if wanted.fixes(path):
                found[path] = lookup.find(path)
    return found


def _changed_at(past: Past, choice: Choice) -> datetime | None:
    """When what stands of a choice was changed last."""
    shares = [share for share in (*choice.shares, *choice.unclear) if past.standing(share)]
    return max((share.difference.after.at for share in shares), default=None)


def _prompt(past: Past, chat: Chat, turn: int) -> str:
    for one in past.moments:
        if one.plan_id == chat.plan_id and one.turn == turn and one.kind is MomentKind.PROMPT:
            return one.text
    return ""


def _joint(past: Past, choice: Choice, wanted: UndoRequest) -> list[str]:
    """Calls of other turns or chats that did some of it together with what is taken back."""
    chat = choice.chat.plan_id
    found = {
        f"{'' if call.chat == chat else 'another chat '}t{call.turn}.{call.number}"
        for share in choice.shares
        if _chosen(past, share, wanted)
        for call in share.difference.calls
        if not choice.has(call)
    }
    return sorted(found)
