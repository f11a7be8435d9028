"""The way back of an exchange: what somebody else edits meanwhile is left, all else goes back."""

from cleveragents.errors import CleverAgentsError
from cleveragents.records import replace
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.diff import reversed_changes
from cleveragents.snapshots.write.exchange import ChangedMeanwhile, Exchange
from cleveragents.snapshots.write.look import is_directory


def take_back(exchange: Exchange) -> list[bytes]:
    """Puts back what was changed; returns the paths that are somebody else's by now, left alone.

    Where one more is met on the way, the rest is gone anew without it: so this comes to an end
    while somebody goes on saving.
    """
    left: dict[bytes, None] = {}
    tried = [exchange]
    while True:
        tried[-1].clean()
        way = _without(exchange, left)
        try:
            theirs = _theirs(way)
            if not theirs and not way.is_done():
                way.carry_out()
        except (CleverAgentsError, OSError) as error:
            theirs = _theirs(way) or _named(error, way)
            if not theirs:
                raise
        if not theirs:
            break
        left |= dict.fromkeys(theirs)
        tried.append(way)
    for one in tried:
        one.release()
    return list(left)


def _without(exchange: Exchange, left: dict[bytes, None]) -> Exchange:
    """The way back of all paths but those."""
    changes = [each for each in reversed_changes(exchange.changes) if each.path not in left]
    return replace(exchange, changes=changes, stamp_ns=None, kept=[])


def _theirs(way: Exchange) -> list[bytes]:
    """The paths that somebody else has changed, with all below a directory that they use."""
    theirs = dict.fromkeys(way.differing())
    inside = way.filled()
    used = [
        change.path
        for change in way.changes
        if is_directory(change.before) and change.after is not None
        if any(tree_path.is_below(path, change.path) for path in inside)
    ]
    within = [
        change.path
        for change in way.changes
        if any(change.path == one or tree_path.is_below(change.path, one) for one in used)
    ]
    return list(theirs | dict.fromkeys(within))


def _named(error: Exception, way: Exchange) -> list[bytes]:
    """The paths of the way that an error says were changed: they may be as they were by now."""
    found = set(error.paths) if isinstance(error, ChangedMeanwhile) else set[bytes]()
    return [change.path for change in way.changes if change.path in found]
