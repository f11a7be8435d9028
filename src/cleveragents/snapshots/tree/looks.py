"""Looks at whole directories: what is not as last seen, gone names included, and what is new.

Compiled code (`look.c`) does it in half the time, where the set-up found a compiler. It finds what
Python finds: whatever it refuses is looked at in Python, which knows what to make of an error.
"""

import ctypes
import os
from collections.abc import Callable
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Protocol

from cleveragents.snapshots.tree import signature

COMPILED = Path(__file__).with_name("look.compiled")
AGREEMENT = "cleveragents_look_1"  # what is called; one that is called otherwise has another name
ROOM = 1 << 16  # bytes: a mark for each name that is known, and the names that are new

Function = Callable[[int, bytes, int, bytes, int, object, int], int]


class Look(Protocol):
    """Looks at directories, for one thread; told the names that are known, sorted and joined."""

    def differing(self, fd: int, known: bytes, packed: bytes) -> list[bytes]: ...


class PythonLook:
    """Looks without compiled code."""

    def __init__(self) -> None:
        self._looks = signature.Looks()

    def differing(self, fd: int, known: bytes, packed: bytes) -> list[bytes]:
        """Returns the known names whose signatures are not these, then the new ones."""
        names = known.split(b"\0") if packed else []
        listed = names_in(fd)
        differing = self._looks.differing(fd, names, packed)
        if listed != names:
            differing += set(listed).difference(names)
        return differing


class CompiledLook:
    """Looks by compiled code."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._out = ctypes.create_string_buffer(ROOM)

    def differing(self, fd: int, known: bytes, packed: bytes) -> list[bytes]:
        """Returns the known names whose signatures are not these, then the new ones."""
        count = len(packed) // signature.PACKED.size
        names = known + b"\0" if count else b""
        told = self._function(fd, names, len(names), packed, count, self._out, ROOM)
        if told == 0:
            return []
        if told < 0:
            return self._python.differing(fd, known, packed)
        found = ctypes.string_at(self._out, told)
        return [*compress(known.split(b"\0"), found[:count]), *found[count:].split(b"\0")[:-1]]

    @cached_property
    def _python(self) -> PythonLook:
        return PythonLook()


def best() -> Look:
    """Returns the quickest look there is here."""
    function = _compiled()
    return PythonLook() if function is None else CompiledLook(function)


def is_compiled() -> bool:
    """Tells whether compiled code looks at directories here."""
    return _compiled() is not None


def names_in(fd: int) -> list[bytes]:
    """The names in a directory, sorted; to encode them one by one took as long as to read them."""
    names = os.listdir(fd)
    return sorted(os.fsencode("\0".join(names)).split(b"\0")) if names else []


def _compiled() -> Function | None:
    """The compiled code; None if there is none, or it is of another machine or version."""
    try:
        function = getattr(ctypes.CDLL(str(COMPILED)), AGREEMENT)
    except (OSError, AttributeError):
        return None
    size, data = ctypes.c_size_t, ctypes.c_char_p
    function.argtypes = (ctypes.c_int, data, size, data, size, data, size)
    function.restype = ctypes.c_long
    return function
