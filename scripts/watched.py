"""Runs a command for as long as it gets on, however long that takes.

    python scripts/watched.py SECONDS LOG COMMAND...

What it prints goes into LOG. If nothing is added to that for SECONDS, the command is ended with all
that it has started, and the line at which it stood still is named. Whatever outlives the command is
ended too.
"""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
STOOD_STILL = 124  # as timeout(1) ends
STARTING = 600  # seconds: how long the first word may take, where less is allowed later
MINDED = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT}


def main() -> int:
    seconds, log, *command = sys.argv[1:]
    # What a killed parent leaves behind becomes our child: nothing can get out of reach.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.pthread_sigmask(signal.SIG_BLOCK, MINDED)
    try:
        return watch(start(command, Path(log)), Path(log), float(seconds))
    finally:
        end_all()


def start(command: list[str], log: Path) -> int:
    """Starts the command in a session of its own, its output going into the log."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    output = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.fspath(log), flags, 0o644),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    return os.posix_spawnp(
        command[0], command, os.environ, file_actions=output, setsid=True, setsigmask=[]
    )


def watch(pid: int, log: Path, seconds: float) -> int:
    """Waits for the command; returns how it ended, or that it stood still or was called off."""
    size, since = 0, time.monotonic()
    while True:
        code = reaped(pid)
        if code is not None:
            return code
        if log.stat().st_size != size:
            size, since = log.stat().st_size, time.monotonic()
        left = since + (seconds if size else max(seconds, STARTING)) - time.monotonic()
        if left <= 0:
            tell(log, seconds)
            return STOOD_STILL
        told = signal.sigtimedwait(MINDED, min(left, seconds))
        if told is not None and told.si_signo != signal.SIGCHLD:
            return 128 + told.si_signo


def reaped(pid: int) -> int | None:
    """Takes in every child that has ended; returns how the command did, if it is among them."""
    while True:
        try:
            found, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if found == pid:
            return os.waitstatus_to_exitcode(status)
        if not found:
            return None


def tell(log: Path, seconds: float) -> None:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    where = lines[-1].strip() if lines else "before its first test"
    with log.open("a", encoding="utf-8") as file:
        file.write(f"\nNothing happened for {seconds:g} s, ended in: {where}\n")


def end_all() -> None:
    """Ends everything that is left below us; what is left by that becomes ours and is ended too."""
    while pids := children():
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def children() -> list[int]:
    own = Path(f"/proc/self/task/{os.getpid()}/children")
    return [int(pid) for pid in own.read_text().split()]


if __name__ == "__main__":
    sys.exit(main())
