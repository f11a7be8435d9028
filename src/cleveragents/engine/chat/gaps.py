"""What an undo cannot answer for: paths that were not covered at one end of what it takes back."""

import os
from collections.abc import Iterable, Iterator

from cleveragents.engine.chat.choice import Choice
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.place import LivePlace
from cleveragents.records import frozen
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.tree.scan import shown

LEFT_OUT = "it is left out"


@frozen
class Gap:
    """A path that is left as it is because nobody knows what it was, and the reason."""

    path: str
    why: str


def not_looked_at(now: Snapshot, paths: Iterable[bytes]) -> list[Gap]:
    """Paths that would be changed if they were looked at."""
    return [Gap(shown(path), now.why_unknown(path) or LEFT_OUT) for path in sorted(paths)]


def uncovered(past: Past, choice: Choice) -> list[Gap]:
    """Paths that came, went or changed in the turn, and were not covered before or after that.

    Of one that was covered at neither end nobody knows whether it changed.
    """
    found: dict[str, Gap] = {}
    for one in past.differences:
        is_of_it = any(map(choice.has, one.calls))
        if one.before.state is not None and one.after.state is not None and is_of_it:
            was, became = past.load(one.before.state), past.load(one.after.state)
            lines = {*was.not_captured} ^ {*became.not_captured}
            for gap in _gaps(lines, was, became):
                found.setdefault(gap.path, gap)
    return [found[path] for path in sorted(found)]


def left_out(place: LivePlace, now: Snapshot) -> list[Gap]:
    """Whatever chats do not cover here, by name."""
    found = {one.path: Gap(one.path, one.why) for one in place.foreseen().left_out}
    for gap in _gaps(now.not_captured, now):
        found.setdefault(gap.path, gap)
    return [found[path] for path in sorted(found)]


def _gaps(lines: Iterable[str], *snapshots: Snapshot) -> Iterator[Gap]:
    """The paths that lines of snapshots tell of; a path may hold what parts it from the reason."""
    for line in sorted(lines):
        path, _, rest = line.partition(": ")
        while rest and all(one.filter.single.covers(os.fsencode(path)) for one in snapshots):
            more, _, rest = rest.partition(": ")
            path = f"{path}: {more}"
        if rest:
            yield Gap(path, rest)
