"""What an undo cannot answer for: paths that were not covered at one end of what it takes back."""

import os
from collections.abc import Callable, Iterable, Iterator

from cleveragents.chats.attribution import Difference
from cleveragents.chats.turns import CallName
from cleveragents.engine.chat.coverage import Coverage, why_left_out
from cleveragents.engine.chat.past import Past
from cleveragents.quoting import quoted
from cleveragents.records import frozen, replace
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.tree.filter import FORGOTTEN
from cleveragents.snapshots.tree.lookup import Lookup
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.tree.tree import EXCLUDED

LEFT_OUT = "it is left out"
WAS_FORGOTTEN = f"it was {FORGOTTEN}"
UNSAID = ("", EXCLUDED, WAS_FORGOTTEN)  # a snapshot alone cannot tell why it was left out


@frozen
class Gap:
    """A path that is left as it is because nobody knows what it was, and the reason."""

    path: str
    why: str
    is_by_limits: bool = False  # so `agents protect --check` lists it, too


def not_looked_at(covered: Coverage, now: Snapshot, paths: Iterable[bytes]) -> list[Gap]:
    """Paths that would be changed if they were looked at."""
    found = (Gap(shown(path), now.why_unknown(path) or "") for path in sorted(paths))
    return [_explained(covered, gap) for gap in found]


def uncovered(covered: Coverage, past: Past, has: Callable[[CallName], bool]) -> list[Gap]:
    """Paths that came, went or changed in some calls, and were not covered before or after that.

    Of one that was covered at neither end nobody knows whether it changed. One that was forgotten
    since may have: it is told.
    """
    found = _not_stored(past, has)
    gaps = (_told(past, _explained(covered, gap), first, last) for gap, first, last in found)
    return sorted(gaps, key=lambda gap: gap.path)


def uncovered_paths(past: Past, has: Callable[[CallName], bool]) -> list[str]:
    """The same, of which the paths are all that is asked for."""
    return sorted(gap.path for gap, _, _ in _not_stored(past, has))


def _not_stored(
    past: Past, has: Callable[[CallName], bool]
) -> list[tuple[Gap, Difference, Difference]]:
    """Each such path with the first and the last difference that tells of it."""
    found: dict[str, tuple[Gap, Difference, Difference]] = {}
    for one in past.differences:
        if (
            one.before.state is not None
            and one.after.state is not None
            and any(map(has, one.calls))
        ):
            was, became = past.load(one.before.state), past.load(one.after.state)
            lines = {*was.not_captured} ^ {*became.not_captured}
            lines.update(line for line in became.not_captured if line.endswith(f": {FORGOTTEN}"))
            for gap in _gaps(lines, was, became):
                known, first, _ = found.get(gap.path, (gap, one, one))
                found[gap.path] = known, first, one
    return list(found.values())


def _told(past: Past, gap: Gap, first: Difference, last: Difference) -> Gap:
    """The same with what happened to the path, as far as that is known."""
    path, before, after = os.fsencode(gap.path), first.before, last.after
    if before.state is None or after.state is None or gap.why == WAS_FORGOTTEN:
        return gap
    was, became = past.load(before.state), past.load(after.state)
    if not was.covers(path):
        if not became.covers(path):
            return gap
        is_there = path in Lookup(became.roots[MAIN], past.read)
        did = "overwritten" if is_there else "deleted"
        known = "what it was is not known" if is_there else "it cannot be brought back"
        return replace(gap, why=f"{did}, and it was not stored before ({gap.why}): {known}")
    old = Lookup(was.roots[MAIN], past.read).find(path)
    if old is None:
        return replace(gap, why=f"new, and left here ({gap.why})")
    if not old.is_file:
        return gap
    row = past.checkpoints(before.plan_id).get(before.checkpoint_id or "")
    way = "" if row is None else f": agents cat {row.name} {quoted(gap.path)} --plan {row.plan_id}"
    return replace(gap, why=f"changed, and left as it is ({gap.why}); what it was is stored{way}")


def left_out(covered: Coverage, now: Snapshot) -> list[Gap]:
    """Whatever chats do not cover here, by name."""
    found = {one.path: Gap(one.path, one.why, is_by_limits=True) for one in covered.left_out}
    for gap in _gaps(now.not_captured, now):
        found.setdefault(gap.path, _explained(covered, gap))
    return [found[path] for path in sorted(found)]


def _explained(covered: Coverage, gap: Gap) -> Gap:
    """The same with the reason that was decided, where the look knows none of its own."""
    if gap.why not in UNSAID:
        return gap
    why = why_left_out(covered, os.fsencode(gap.path))
    if why is not None:
        return Gap(gap.path, why, is_by_limits=True)
    return gap if gap.why == WAS_FORGOTTEN else Gap(gap.path, LEFT_OUT)


def _gaps(lines: Iterable[str], *snapshots: Snapshot) -> Iterator[Gap]:
    """The paths that lines of snapshots tell of; a path may hold what parts it from the reason."""
    for line in sorted(lines):
        path, _, rest = line.partition(": ")
        while rest and all(one.filter.single.covers(os.fsencode(path)) for one in snapshots):
            more, _, rest = rest.partition(": ")
            path = f"{path}: {more}"
        if rest:
            yield Gap(path, WAS_FORGOTTEN if rest == FORGOTTEN else rest)
