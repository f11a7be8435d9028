"""Single paths that a capture cannot take: in a place of ours each of them stops it."""

from collections.abc import Sequence

from cleveragents.errors import Failed, Refused


class Hindrance(Exception):
    """One path is in the way of a capture; where it is merely left out, `why` is noted."""

    why = ""


class Uncapturable(Refused, Hindrance):
    """Something that no capture can take."""

    def __init__(self, message: str, *, why: str, hints: Sequence[str] = ()) -> None:
        super().__init__(message, hints=hints)
        self.why = why


class KeepsChanging(Failed, Hindrance):
    """A file that somebody writes to whenever it is read."""

    why = "it keeps changing while it is read"
