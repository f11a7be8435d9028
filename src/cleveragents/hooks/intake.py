"""Takes events in, in order and each once, whoever brings them: the keeper or a single command."""

import json
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Protocol, cast

from cleveragents.hooks import spool
from cleveragents.records import frozen

Failure = Callable[[Exception], None]


class NotNow(Exception):
    """An event that cannot be recorded at present, and can be later: it stays in the spool."""


class Recorder(Protocol):
    """Whoever writes events down; the same one again is nothing new to it."""

    def patience(self, told: "Told") -> float:
        """Returns how many seconds an event may take if that is more than usual; else 0."""
        ...

    def record(self, told: "Told", *, until: float | None, is_late: bool) -> str:
        """Records an event and returns the answer to the agent.

        `until` is when the agent goes on, by `monotonic`, if that is known; late is one that has
        gone on already.
        """
        ...

    def tidy(self, is_wanted: Callable[[], bool]) -> None:
        """Does what is better done while nobody waits; gives it up once somebody does."""
        ...


@frozen
class Told:
    """An event, and the directory that it belongs to."""

    root: str
    event: Mapping[str, Any]
    identity: tuple[object, ...] = ()  # device and number of the directory, if that was told

    @classmethod
    def of_line(cls, line: bytes) -> "Told":
        """Reads one as hooks write it; refuses anything else with a ValueError."""
        try:
            given: object = json.loads(line)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        told = cast("Mapping[str, object]", given if isinstance(given, dict) else {})
        root, event, identity = told.get("root"), told.get("event"), told.get("identity", [])
        if not (isinstance(root, str) and isinstance(event, dict) and isinstance(identity, list)):
            raise ValueError("no event")  # noqa: TRY004 - whatever is wrong with it
        known = tuple(cast("list[object]", identity))
        return cls(root, cast("Mapping[str, Any]", event), known)

    @property
    def is_call(self) -> bool:
        """Whether the agent waits with a call that may write."""
        return self.event.get("kind") == "before" and bool(self.event.get("may_write"))


class Intake:
    """What was spooled comes first, in order; then whatever is brought."""

    def __init__(self, data: str, recorder: Recorder, failed: Failure) -> None:
        self._data = data
        self._recorder = recorder
        self.failed = failed  # is told what went wrong

    def take_spooled(self) -> int:
        """Records all that was spooled; returns how many. What cannot be now stays there."""
        taken = 0
        stuck: set[str] = set()  # directories whose events have to wait: they stay in order
        for path in spool.waiting(self._data):
            line = spool.read(path)
            if line is None:
                continue
            try:
                told = Told.of_line(line)
                is_taken = told.root not in stuck and self._is_recorded(told)
            except Exception as problem:  # noqa: BLE001 - one that is no event keeps no other back
                self.failed(problem)
                spool.set_aside(path)
                continue
            if is_taken:
                spool.remove(path)
                taken += 1
            else:
                stuck.add(told.root)
        return taken

    def _is_recorded(self, told: Told) -> bool:
        try:
            self._recorder.record(told, until=None, is_late=True)
        except NotNow:
            return False
        return True

    def take(self, told: Told, until: float | None = None) -> str:
        """Records an event after all that was spooled; raises NotNow if that cannot be done."""
        self.take_spooled()
        is_late = until is not None and monotonic() > until
        return self._recorder.record(told, until=until, is_late=is_late)
