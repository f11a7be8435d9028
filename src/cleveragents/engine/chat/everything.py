"""Takes everything back to where a choice begins, whoever changed it, and says who else did."""

from collections.abc import Iterable, Sequence

from cleveragents.chats.attribution import Whose
from cleveragents.checkpoints.file_change import telling
from cleveragents.engine.chat.choice import Choice
from cleveragents.engine.chat.deed import Deed
from cleveragents.engine.chat.parting import Share
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.place import LivePlace
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.chat.taking import Taking, taking_all
from cleveragents.engine.chat.unmerging import Step
from cleveragents.errors import Refused
from cleveragents.records import frozen
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.tree.diff import Load, compare
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.tree.scan import shown


@frozen
class Everything:
    """One step from what is there to what was there, whoever changed it."""

    step: Step
    deed: Deed  # what has happened to the paths of the step
    taking: Taking
    users: Sequence[str]  # the user's own changes, which go too
    unclear: Sequence[str]  # those that may be the user's
    mine: Sequence[str]  # paths that would go if the user did not keep them


def everything(
    place: LivePlace, past: Past, now: Snapshot, read: Load, choice: Choice, wanted: UndoRequest
) -> Everything:
    """Finds what is to go; of what was not covered then nobody knows whether it was there."""
    row = choice.began.checkpoint
    if row is None:
        begun = f"t{choice.turn}.{choice.call}" if choice.call else "the turn"
        raise Refused(f"nobody knows what was there when {begun} began: it was not looked at")
    was = place.archive.load(row.sandbox_ref)
    changed = compare(was.roots[MAIN], now.roots[MAIN], read)
    happened = [one for one in changed if one.path and was.filter.covers(one.path)]

    def is_meant(path: bytes) -> bool:
        return wanted.is_asked(path) and was.filter.covers(path)

    meant = [change for change in happened if is_meant(change.path)]
    users, unclear = _not_agents(past, choice, meant)
    return Everything(
        Step(now, was, frozenset(change.path for change in meant)),
        Deed(row, meant, read),
        taking_all(past, choice, choice.began.number, is_meant, wanted),
        users,
        unclear,
        sorted(shown(change.path) for change in happened if wanted.keeps(change.path)),
    )


def _not_agents(
    past: Past, choice: Choice, changes: Iterable[Change]
) -> tuple[list[str], list[str]]:
    """Of what is to go, the changes of the user's own, and those that may be."""
    later = past.shares_of(lambda one: one.before.number >= choice.began.number)
    owners: dict[bytes, set[Whose]] = {}
    for share in (*later, *choice.shares, *choice.unclear):
        whose = Whose.USER if _is_users(share) else share.whose
        for change in share.changes:
            owners.setdefault(change.path, set()).add(whose)
    users: list[str] = []
    unclear: list[str] = []
    for change in telling(changes):
        found = owners.get(change.path, {Whose.USER})
        if Whose.USER in found or found == {Whose.OURS}:  # an undo of theirs that goes
            users.append(shown(change.path))
        elif Whose.UNCLEAR in found:
            unclear.append(shown(change.path))
    return users, unclear


def _is_users(share: Share) -> bool:
    """Whether a user did it, by hand or by an apply."""
    is_placed = share.whose is Whose.OURS and bool(share.difference.acts)
    return is_placed or share.whose is Whose.USER
