"""Trials: whether walls hold here, tried with the real launcher and judged from outside.

A command works in a directory of its own, and does at a canary outside what it must not be able to.
That a launcher starts proves nothing.
"""

import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

from cleveragents.confinement.bubblewrap import NOT_INSTALLED, program
from cleveragents.confinement.cell import Cell
from cleveragents.confinement.confinement import WHOLE, walls_around
from cleveragents.confinement.estate import Estate, resolved
from cleveragents.confinement.level import Confined, Way
from cleveragents.confinement.machine import landlock
from cleveragents.confinement.proof import Trial, Untriable
from cleveragents.errors import CleverAgentsError
from cleveragents.sandbox.rooms import room
from cleveragents.sandbox.survivors import helper

SECONDS = 20
KEEPS_CONTENTS = 3  # the version of Landlock that can refuse to cut files off
ENDED = 42  # how the command ends
TOLD = "inside"  # a file of its own
CANARY = "canary"
# Its arguments: the canary, our process, and the project, where its cover shows in its mode.
DEEDS = """
echo bad >"$1"; echo bad >>"/proc/$2/root$1"; chmod 777 "$1"; mv "$1" "$1.gone"
kill -0 "$2" && echo bad >signal
[ -z "$3" ] || { test -w "$3" && echo bad >project; }
echo good >inside; exit 42
"""


def trial_in(data: Path, project: Path) -> Trial:
    """A trial of levels for a data directory and a project."""

    def tried(wanted: Confined) -> str | None:
        if wanted.way is Way.BUBBLEWRAP and program() is None:
            return NOT_INSTALLED
        if wanted.way is Way.LANDLOCK and landlock() < KEEPS_CONTENTS:
            return "Landlock of this kernel cannot keep contents (that of Linux 6.2 and later can)"
        with ExitStack() as leaving:
            try:
                home = leaving.enter_context(room(data / "sandboxes"))
                _prepare(home)
            except OSError as error:  # as on a full disk
                raise Untriable(error) from error
            try:
                return _tried(home, data, project, wanted)
            except Untriable:
                raise
            except (CleverAgentsError, OSError) as error:
                return str(error)

    return tried


def _prepare(home: Path) -> None:
    for name in ("tree", "own"):
        (home / name).mkdir()
    (home / CANARY).write_text("good\n")
    (home / CANARY).chmod(0o600)


def _tried(home: Path, data: Path, project: Path, wanted: Confined) -> str | None:
    tree, own, canary = home / "tree", home / "own", home / CANARY
    estate = Estate(
        str(tree), resolved([tree]), resolved([data, project]), (), closed=os.path.realpath(data)
    )
    walls = walls_around(estate, wanted)
    cell = Cell(wanted, walls)
    is_whole = wanted.way in WHOLE
    seen = str(project) if is_whole else ""
    command = ("/bin/sh", "-c", DEEDS, "try", str(canary), str(os.getpid()), seen)
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
        keeps_signals = is_whole or walls.machine.has_scopes
        wrong = _judged(process.returncode, tree, canary, keeps_signals=keeps_signals)
        return launch.problem() or wrong or (_changed_mode(canary) if is_whole else None)


def _judged(code: int, tree: Path, canary: Path, *, keeps_signals: bool) -> str | None:
    """What a trial shows to be wrong."""
    if code != ENDED or not (tree / TOLD).exists():
        _refuse_unwritable(tree)
        return f"a trial could not work in its own directory (it ended with {code})"
    if keeps_signals and (tree / "signal").exists():
        return "a trial reached our process"
    if (tree / "project").exists():
        return "a trial could have written to the project"
    if not canary.exists() or canary.read_text() != "good\n":
        return "a trial changed what is not its own"
    return None


def _refuse_unwritable(tree: Path) -> None:
    """Refuses to take a disk on which nothing can be written for walls that cannot be had."""
    try:
        (tree / "outside").write_text("good\n")
    except OSError as error:
        raise Untriable(error) from error


def _changed_mode(canary: Path) -> str | None:
    return "a trial changed a mode" if canary.stat().st_mode & 0o077 else None
