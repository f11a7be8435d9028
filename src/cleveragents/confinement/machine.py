"""What this machine lets this process do, as far as confinement depends on it."""

import ctypes
import os
from functools import cache
from pathlib import Path

from cleveragents.records import frozen

_LANDLOCK_CREATE_RULESET = 444  # the same number on every architecture
_VERSION = 1  # asks for the version in place of a ruleset
_SCOPES_SINCE = 6  # the version of Landlock that can keep signals and sockets apart
_SETGID, _SETUID = 6, 7  # capabilities that map ids


@frozen
class Machine:
    """The facts."""

    user: int
    maps_ids: bool  # it may map any id into a namespace: it is root, wherever that is
    has_scopes: bool  # Landlock keeps signals to processes outside away


def this_machine() -> Machine:
    """Looks at this machine, as this user."""
    return _looked_at(os.geteuid())


@cache
def _looked_at(user: int) -> Machine:
    wanted = 1 << _SETGID | 1 << _SETUID
    return Machine(user, _capabilities() & wanted == wanted, landlock() >= _SCOPES_SINCE)


def _capabilities() -> int:
    lines = Path("/proc/thread-self/status").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines)
    return int(told["CapEff"], 16)


def landlock() -> int:
    """The version of Landlock; -1: there is none."""
    return ctypes.CDLL(None).syscall(_LANDLOCK_CREATE_RULESET, None, 0, _VERSION)
