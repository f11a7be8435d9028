"""The file in the data directory that hooks of clients call: the way to the program of today.

Clients call it by a command that never changes; whatever depends on the release, on Python or on
settings stands in this file, so every command of `agents` looks whether it is still right.
"""

import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from cleveragents.records import frozen
from cleveragents.storage.place import is_ours
from cleveragents.storage.privacy import HOOK
from cleveragents.storage.replacing import replace_file

PACKAGE = Path(__file__).resolve().parents[1]
MODE = 0o700
# The package's own __init__ imports what is slow: a module without anything stands in for it.
PROGRAM = """import sys
package = type(sys)("cleveragents")
package.__path__ = [{package!r}]
sys.modules["cleveragents"] = package
from cleveragents.hooks.client import Settings, main
main(Settings(**{settings!r}), sys.argv[1])
import posix
posix._exit(0)  # nothing is left to tidy up, and to look for it takes time
"""
TEXT = """#!/bin/sh
# Coding agents call this at each event; every `agents` command puts it right.
# `agents unprotect --all` takes it out of their settings.
[ "$#" -eq 1 ] || exit 0
exec {python} -I -S -c {program} "$1"
"""


@frozen
class Launcher:
    """The file, as it should be."""

    data: Path
    budget: float  # seconds that a hook may take
    denials: Mapping[str, str]  # what keeps each client from a call that could not be recorded
    texts: bool = True  # whether anything of prompts and commands is kept

    @property
    def text(self) -> str:
        """All of it; the real interpreter, without a look at any packages, is quick."""
        settings: Mapping[str, object] = {
            "data": str(self.data),
            "python": sys.executable,
            "package": str(PACKAGE),
            "budget": self.budget,
            "denials": dict(self.denials),
            "texts": self.texts,
        }
        program = PROGRAM.format(package=str(PACKAGE), settings=settings)
        python = os.path.realpath(sys.executable)
        return TEXT.format(python=shlex.quote(python), program=shlex.quote(program))

    def install(self) -> None:
        """Writes the file, unless it is as it should be."""
        if _written(self.data) != self.text or not os.access(self.data / HOOK, os.X_OK):
            replace_file(self.data / HOOK, os.fsencode(self.text), MODE)

    def settle(self) -> None:
        """Puts the file right if there is one, after an upgrade."""
        if _written(self.data) in ("", self.text) or not is_ours(self.data):
            return
        with suppress(OSError):  # the command that was typed has nothing to do with it
            self.install()


def remove(data: Path) -> None:
    """Removes the file: hooks that are still anywhere do nothing then."""
    (data / HOOK).unlink(missing_ok=True)


def _written(data: Path) -> str:
    """What stands in the file; empty: there is none, or none that can be read."""
    try:
        return os.fsdecode((data / HOOK).read_bytes())
    except OSError:
        return ""
