"""How far steps are confined, and by which way of the system."""

from collections.abc import Iterable
from enum import StrEnum

from cleveragents.records import frozen

AUTO = "auto"  # `project` wherever the machine can
LIMITS = "sandbox.limits."  # begins the settings of how much a step may use


class Level(StrEnum):
    """What the processes of a step cannot do; each level forbids what those before it do."""

    NONE = "none"
    PROJECT = "project"  # change the project, the data directory, other sandboxes
    WRITE = "write"  # write anywhere but the sandbox, a temporary directory of theirs, caches
    STRICT = "strict"  # use the network, read secrets, see other processes, ask other programs


class Way(StrEnum):
    """What of the system confines a step."""

    NAMESPACES = "namespaces"
    BUBBLEWRAP = "bubblewrap"  # a program that may make some where others may not
    LANDLOCK = "landlock"  # contents and names alone


ORDER = tuple(Level)
KEEPING_WRITES = (Level.WRITE, Level.STRICT)
STRICTER = (Level.PROJECT, Level.WRITE, Level.STRICT)  # what an action or a step may ask for


@frozen
class Confined:
    """How the processes of one call are confined."""

    level: Level
    way: Way | None = None

    @property
    def told(self) -> str:
        """It in a few words."""
        return self.named if self.way is None else f"{self.named}, by {self.way}"

    @property
    def named(self) -> str:
        """The level, and how much of it where that is not all."""
        return f"{self.level} (contents)" if self.way is Way.LANDLOCK else str(self.level)


UNCONFINED = Confined(Level.NONE)


@frozen
class Wish:
    """The level that is wanted."""

    level: Level
    is_explicit: bool  # somebody named it: where it cannot be had nothing runs

    def raised(self, asked: Iterable[str]) -> "Wish":
        """The wish once an action, its steps or tools have asked for more."""
        strictest = max((Level(one) for one in asked), key=ORDER.index, default=Level.NONE)
        if ORDER.index(strictest) <= ORDER.index(self.level):
            return self
        return Wish(strictest, is_explicit=True)


def wish_of(setting: str) -> Wish:
    """The wish that the setting means."""
    if setting == AUTO:
        return Wish(Level.PROJECT, is_explicit=False)
    return Wish(Level(setting), is_explicit=True)
