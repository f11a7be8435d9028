"""The file in the data directory that hooks of clients call: the way to the program of today.

Clients call it by a command that never changes; an upgrade moves the interpreter and the package,
so every command of `agents` looks whether the file still leads to itself.
"""

import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path

from cleveragents.storage.place import is_ours
from cleveragents.storage.privacy import HOOK
from cleveragents.storage.replacing import replace_file

PROGRAM = Path(__file__).resolve().parents[1] / "hooks" / "client.py"
MODE = 0o700


def install(data: Path) -> None:
    """Writes the file, unless it is as it should be."""
    if _written(data) != text_for(data) or not os.access(data / HOOK, os.X_OK):
        replace_file(data / HOOK, text_for(data).encode(), MODE)


def settle(data: Path) -> None:
    """Puts the file right if there is one, after an upgrade."""
    if _written(data) in ("", text_for(data)) or not is_ours(data):
        return
    with suppress(OSError):  # the command that was typed has nothing to do with it; the next tries
        install(data)


def remove(data: Path) -> None:
    """Removes the file: hooks that are still anywhere do nothing then."""
    (data / HOOK).unlink(missing_ok=True)


def text_for(data: Path) -> str:
    """The file as it should be; the real interpreter, without a look at any packages, is quick."""
    words = [os.path.realpath(sys.executable), "-I", "-S", str(PROGRAM), str(data)]
    return f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'


def _written(data: Path) -> str:
    """What stands in the file; empty: there is none, or none that can be read."""
    try:
        return (data / HOOK).read_bytes().decode(errors="replace")
    except OSError:
        return ""
