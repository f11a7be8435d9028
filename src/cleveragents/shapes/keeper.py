"""The keeper, and an event that was recorded without one."""

from collections.abc import Sequence
from typing import TypedDict


class KeeperStatus(TypedDict):
    """The process that takes what coding agents tell."""

    running: bool
    pid: int | None  # null: none is running
    since: str | None
    socket: str | None
    events: int  # that it has recorded
    waiting: int  # events that it has not recorded yet
    roots: Sequence[str]  # directories that it knows
    spooled: int  # events that wait in the data directory


class KeeperStop(TypedDict):
    """The end of the keeper."""

    stopped: bool  # false: none was running
    pid: int | None


class HookAnswer(TypedDict):
    """An event of a coding agent."""

    answer: str  # what the agent is told; empty: nothing
