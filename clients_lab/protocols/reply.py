"""What the model answers, before it is said in a protocol."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from clients_lab.script import Asked
from clients_lab.tools import Call, Tools

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Request:
    """What of a request decides the answer."""

    asked: Asked | None  # None: no script is named
    tools: Tools
    streams: bool


@dataclass(frozen=True)
class Reply:
    """One model turn: calls, or words alone."""

    text: str
    calls: tuple[Call, ...] = ()
    mark: str = ""  # makes the ids of its calls the only ones of their kind

    def ids(self) -> list[str]:
        """Names every call."""
        return [f"call_{self.mark}_{number}" for number, _ in enumerate(self.calls)]


def stream(events: Iterable[object], *, named: bool = False, end: str = "") -> bytes:
    """Says objects as server-sent events, with their type as name where a protocol wants it."""
    lines = [
        (f"event: {event['type']}\n" if named and isinstance(event, dict) else "")
        + f"data: {json.dumps(event)}\n\n"
        for event in events
    ]
    return ("".join(lines) + end).encode()
