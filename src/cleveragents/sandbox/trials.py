"""Trials: whether walls hold here, tried with the real launcher and judged from outside.

A command works in a directory of its own, and does at a canary outside what it must not be able to.
That a launcher starts proves nothing.
"""

import os
import signal
import subprocess
from pathlib import Path

from cleveragents.confinement.cell import Cell
from cleveragents.confinement.confinement import walls_around
from cleveragents.confinement.estate import Estate, resolved
from cleveragents.confinement.level import Confined, Level, Way
from cleveragents.confinement.proof import Trial
from cleveragents.errors import CleverAgentsError
from cleveragents.sandbox.rooms import room
from cleveragents.sandbox.survivors import helper

SECONDS = 20
ENDED = 42  # how the command ends
TOLD = "inside"  # a file of its own
CANARY = "canary"
# Its arguments: the canary, our process, and the project.
DEEDS = """
echo bad >"$1"; echo bad >>"/proc/$2/root$1"; chmod 777 "$1"; mv "$1" "$1.gone"
kill -0 "$2" && echo bad >signal
test -w "$3" && echo bad >project
echo good >inside; exit 42
"""


def trial_in(data: Path, project: Path) -> Trial:
    """A trial of levels for a data directory and a project."""

    def tried(level: Level) -> str | None:
        try:
            with room(data / "sandboxes") as home:
                return _tried(home, data, project, level)
        except (CleverAgentsError, OSError) as error:
            return str(error)

    return tried


def _tried(home: Path, data: Path, project: Path, level: Level) -> str | None:
    tree, own, canary = home / "tree", home / "own", home / CANARY
    tree.mkdir()
    own.mkdir()
    canary.write_text("good\n")
    canary.chmod(0o600)
    estate = Estate(str(tree), resolved([tree]), resolved([data, project]), ())
    cell = Cell(Confined(level, Way.NAMESPACES), walls_around(estate, level))
    command = ("/bin/sh", "-c", DEEDS, "try", str(canary), str(os.getpid()), str(project))
    with cell.launching(command, own if cell.needs_room else None, ()) as launch:

        def start() -> "subprocess.Popen[bytes]":
            nothing = subprocess.DEVNULL
            return subprocess.Popen(
                launch.arguments,
                cwd=tree,
                env={"PATH": os.defpath},
                pass_fds=launch.descriptors,
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                start_new_session=True,
            )

        with helper(start) as process:
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return f"a trial did not end within {SECONDS} s"
        return launch.problem() or _judged(process.returncode, tree, canary)


def _judged(code: int, tree: Path, canary: Path) -> str | None:
    """What a trial shows to be wrong."""
    if code != ENDED or not (tree / TOLD).exists():
        return f"a trial could not work in its own directory (it ended with {code})"
    for name, problem in (("signal", "reached our process"), ("project", "could write there")):
        if (tree / name).exists():
            return f"a trial {problem}"
    if not canary.exists() or canary.read_text() != "good\n" or canary.stat().st_mode & 0o077:
        return "a trial changed what is not its own"
    return None
