"""Runs programs with a limit in time, and ends all that came of them.

Clients start shells in sessions of their own, and one of them starts itself anew: a process group
is not enough. Whatever a client starts inherits a mark in its environment, which is looked for.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = "CLIENTS_LAB_MARK"
LIMIT = 150  # seconds for one run of a client


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    output: str
    errors: str


def run(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], *, limit: float = LIMIT
) -> Ended:
    """Runs a program without a terminal; at the limit its group is ended and the code is 124."""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit)
            return Ended(process.returncode, output, errors)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            end_marked(environment[MARK])
            output, errors = process.communicate()
            return Ended(124, output, errors + f"\nended after {limit:.0f} s")


def end_marked(mark: str) -> int:
    """Ends every process that carries a mark, and those they start meanwhile; returns how many."""
    ended = 0
    for _ in range(20):
        found = marked(mark)
        if not found:
            return ended
        for pid in found:
            _kill(pid)
        ended += len(found)
        time.sleep(0.05)
    return ended


def marked(mark: str) -> list[int]:
    """Finds living processes whose environment holds a mark."""
    sought = f"{MARK}={mark}".encode()
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and sought in _environment(entry)
    ]


def _environment(process: Path) -> list[bytes]:
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:  # ended meanwhile, or somebody else's
        return []


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
