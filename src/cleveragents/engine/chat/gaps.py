"""What an undo cannot answer for: paths that were not covered at one end of what it takes back."""

import os
from collections.abc import Iterable, Iterator

from cleveragents.engine.chat.choice import Choice
from cleveragents.engine.chat.coverage import Coverage, why_left_out
from cleveragents.engine.chat.past import Past
from cleveragents.records import frozen
from cleveragents.snapshots.tree.filter import FORGOTTEN
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


def uncovered(covered: Coverage, past: Past, choice: Choice) -> list[Gap]:
    """Paths that came, went or changed in the turn, and were not covered before or after that.

    Of one that was covered at neither end nobody knows whether it changed. One that was forgotten
    since may have: it is told.
    """
    found: dict[str, Gap] = {}
    for one in past.differences:
        is_of_it = any(map(choice.has, one.calls))
        if one.before.state is not None and one.after.state is not None and is_of_it:
            was, became = past.load(one.before.state), past.load(one.after.state)
            lines = {*was.not_captured} ^ {*became.not_captured}
            lines.update(line for line in became.not_captured if line.endswith(f": {FORGOTTEN}"))
            for gap in _gaps(lines, was, became):
                found.setdefault(gap.path, _explained(covered, gap))
    return [found[path] for path in sorted(found)]


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
