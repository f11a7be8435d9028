"""A clock of our own for one process: it goes wrong whenever a file says so.

Libraries that lie about the time to a whole program make Python's own `sleep` fail, so the time is
bent where the product asks for it: `time.time`, `time.time_ns`, and `datetime` in `ids`.
"""

import time
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from cleveragents import ids


def bend(said: Path) -> None:
    """Lets this process and its children be off by as many seconds as a file says at the time."""
    true_time, true_time_ns = time.time, time.time_ns

    def offset() -> int:
        return int(said.read_text())

    class Bent(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime.now(tz) + timedelta(seconds=offset())

    time.time = lambda: true_time() + offset()
    time.time_ns = lambda: true_time_ns() + offset() * 10**9
    ids.__dict__["datetime"] = Bent


def set_off(said: Path, seconds: int) -> None:
    """Moves the clocks that a file rules, all at once."""
    new = said.with_suffix(".new")
    new.write_text(str(seconds))
    new.replace(said)
