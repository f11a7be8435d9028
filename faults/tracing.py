"""System calls of one process: which it makes, and what happens at the n-th of a kind."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

# Every call that changes what a later process finds. `?`: not every machine has all of them.
CHANGING = (
    *("open", "openat", "creat", "mknod", "mknodat", "mkdir", "mkdirat", "rmdir"),
    *("write", "writev", "pwrite64", "pwritev", "copy_file_range", "fallocate"),
    *("truncate", "ftruncate", "fsync", "fdatasync", "syncfs", "sync_file_range"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat"),
    *("link", "linkat", "symlink", "symlinkat"),
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "utimensat"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
)
# What asks about files besides, or reads them: where one may come in between.
LOOKING = (
    *("stat", "lstat", "newfstatat", "fstat", "statx", "access", "faccessat", "faccessat2"),
    *("read", "pread64", "getdents64", "readlink", "readlinkat", "openat2", "close"),
    *("getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr"),
)
ASKING = ("SIGINT", "SIGTERM", "SIGHUP")  # signals that a process can heed
ATTACH_SECONDS = 10
RUN_SECONDS = 60
_LINE = re.compile(r"(\w+)\((.*)")
_OCTAL = re.compile(rb"\\([0-3]?[0-7]{1,2})")  # how strace writes what is not ASCII, in paths too


@dataclass(frozen=True)
class SystemCall:
    """One call of a traced process."""

    name: str
    number: int  # the how-manieth call of this name
    text: str  # as strace wrote it, descriptors with their paths

    @property
    def changes(self) -> bool:
        """Whether it changes anything: opening does if it may create or cut a file."""
        if re.search(r"= -1 E\w+", self.text):
            return False
        return not self.name.startswith("open") or "O_CREAT" in self.text or "O_TRUNC" in self.text


@dataclass(frozen=True)
class Injection:
    """What happens at the n-th call of a name."""

    call: SystemCall
    effect: str  # signal=SIGKILL, error=ENOSPC, …
    lasting: bool = False  # from there on, not only once

    def __str__(self) -> str:
        when = f"{self.call.number}{'+' * self.lasting}"
        return f"{self.effect} at {self.call.name} {when} ({self.call.text})"

    @property
    def option(self) -> str:
        """The way strace wants it."""
        when = f"{self.call.number}{'+' * self.lasting}"
        return f"inject={self.call.name}:{self.effect}:when={when}"


def missing() -> str | None:
    """Tells why nothing can be traced here, if so."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    probe = subprocess.run(
        ["strace", "-o", os.devnull, "-e", "trace=none", "true"], capture_output=True, check=False
    )
    return "strace may not trace processes here" if probe.returncode else None


def run_traced(
    work: Callable[[], int],
    log: Path,
    *,
    injection: Injection | None = None,
    calls: Sequence[str] = CHANGING,
    stopped: Callable[[], None] = lambda: None,
) -> int:
    """Runs the work in a child under strace; returns its exit code, negative for a signal.

    While a signal that stops it holds it, `stopped` is called; then it goes on.

    The child is forked from this process, where everything is imported already, and strace joins
    it just before the work begins: so only the work is counted, and starting it costs nothing.
    """
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        _end_with(work)
    os.waitpid(pid, os.WUNTRACED)
    traced = "trace=" + ",".join(f"?{name}" for name in calls)
    heeded = f"signal={','.join(ASKING)}"
    command = ["strace", "-q", "-y", "-s", "40", "-e", heeded, "-e", traced, "-o", str(log)]
    if injection is not None:
        command += ["-e", injection.option]
    tracer = subprocess.Popen([*command, "-p", str(pid)], stderr=subprocess.PIPE)
    try:
        _wait_for_tracer(pid, tracer)
        os.kill(pid, signal.SIGCONT)
        code = _ended(pid, stopped)
    finally:
        tracer.communicate()
    return code


def forked(work: Callable[[], int]) -> int:
    """Runs the work in a child; returns its exit code, negative for a signal."""
    pid = os.fork()
    if pid == 0:
        _end_with(work)
    return _ended(pid)


def killed(work: Callable[[], int], when: Callable[[], bool]) -> None:
    """Runs the work in a child that is killed at a moment."""
    pid = os.fork()
    if pid == 0:
        _end_with(work)
    deadline = time.monotonic() + RUN_SECONDS
    while not when() and time.monotonic() < deadline:
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code != -signal.SIGKILL:
        raise AssertionError(f"process {pid} had ended before, with {code}")


def _end_with(work: Callable[[], int]) -> None:
    """Ends this child with the work: what its parent has begun is not for it to clean up."""
    code = 1
    try:
        code = work()
    finally:
        os._exit(code)


def _ended(pid: int, stopped: Callable[[], None] = lambda: None) -> int:
    """Waits for a child; returns its exit code, negative for a signal. One that hangs is killed."""
    deadline = time.monotonic() + RUN_SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if done and os.WIFSTOPPED(status):
            stopped()
            os.kill(pid, signal.SIGCONT)
        elif done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise TimeoutError(f"process {pid} did not end within {RUN_SECONDS} s")


def read_calls(log: Path) -> list[SystemCall]:
    """Reads what strace wrote, in order."""
    counts: Counter[str] = Counter()
    calls: list[SystemCall] = []
    for line in _OCTAL.sub(_byte, log.read_bytes()).decode(errors="replace").split("\n"):
        if found := _LINE.match(line):
            counts[found[1]] += 1
            calls.append(SystemCall(found[1], counts[found[1]], line))
    return calls


def _byte(escaped: re.Match[bytes]) -> bytes:
    return bytes([int(escaped[1], 8)])


def _wait_for_tracer(pid: int, tracer: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + ATTACH_SECONDS
    status = Path(f"/proc/{pid}/status")
    while "TracerPid:\t0\n" in status.read_text():
        if tracer.poll() is not None or time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise OSError(f"strace could not attach: {tracer.communicate()[1].decode()}")
        time.sleep(0.001)
