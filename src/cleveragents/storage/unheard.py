"""Events of agents that nobody can record any more, and the trace of a hook that failed.

Hooks leave both in the data directory (`hooks.spool`, `hooks.client`): they have nobody to tell.
"""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cleveragents.counting import counted
from cleveragents.records import frozen

FAILURE = "hook.failed"
SPOOL = "spool"
BAD = "*.bad"  # what was no event
UNFINISHED = ".*.event"  # what is still being written, or never will be
GIVEN_UP = 60  # seconds: a hook has ended long before


@frozen
class Unheard:
    """What was left."""

    failures: Sequence[Path]
    unread: Sequence[Path]

    @property
    def paths(self) -> Sequence[Path]:
        """All files."""
        return [*self.failures, *self.unread]

    @property
    def told(self) -> Iterator[str]:
        """A sentence about each kind."""
        for path in self.failures:
            at = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(" ", "seconds")
            kind = path.read_text(errors="replace").partition("\n")[0]
            why = kind or "nothing could be written, as on a full disk"
            yield f"a hook failed at {at} ({why}): what an agent told then may be lost"
        if self.unread:
            events = counted(len(self.unread), "event")
            yield f"{events} of agents cannot be read: {', '.join(map(str, self.unread))}"


def unheard(data: Path) -> Unheard:
    """Finds what hooks have left in a data directory."""
    room, failure = data / SPOOL, data / FAILURE
    until = time.time() - GIVEN_UP
    unfinished = [path for path in room.glob(UNFINISHED) if path.lstat().st_mtime < until]
    return Unheard([failure] if failure.is_file() else [], sorted([*room.glob(BAD), *unfinished]))
