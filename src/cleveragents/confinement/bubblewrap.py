"""Walls by bubblewrap, for machines where it may make namespaces and other programs may not.

The same acts, in its words. It differs in how steps end: it tells a signal as exit code 128 and
more, and ends at the first polite signal, so a step has no time to clean up.
"""

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

from cleveragents.confinement.launch import Launch
from cleveragents.confinement.usual import SHARED_MEMORY
from cleveragents.confinement.walls import Act
from cleveragents.records import frozen

NOT_INSTALLED = "it is not installed"
_MOST = 1 << 16  # bytes that it tells of how it began
_UNSHARED: Mapping[int, str] = {
    0x20000000: "--unshare-pid",
    0x40000000: "--unshare-net",
    0x08000000: "--unshare-ipc",
    0x04000000: "--unshare-uts",
}
_NAMES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP")  # FEW


@frozen
class Wrapped:
    """A command as bubblewrap starts it."""

    arguments: Sequence[str]
    descriptors: tuple[int, ...]  # the last is where it tells of itself
    inner: Launch

    def problem(self) -> str | None:
        """Why it could not be confined: it says so when it begins with what it wraps."""
        if b"child-pid" in os.pread(self.descriptors[-1], _MOST, 0):
            return self.inner.problem()
        return "bubblewrap could not build the walls"


@cache
def program() -> str | None:
    """Where it is; None: it is not installed."""
    import shutil  # noqa: PLC0415 - slow to import, and few machines need another way

    return shutil.which("bwrap")


@contextmanager
def wrapping(acts: Sequence[Act], inner: Launch, *, is_root: bool) -> Generator[Wrapped]:
    """Prepares a start, for as long as the block lasts."""
    for beside in {act[2] for act in acts if act[0] == "conceal"}:
        os.close(os.open(beside, os.O_CREAT | os.O_CLOEXEC, 0))
    told = os.memfd_create("told", os.MFD_CLOEXEC)
    try:
        words = (str(program()), "--json-status-fd", str(told), *arguments(acts, is_root=is_root))
        yield Wrapped((*words, "--", *inner.arguments), (*inner.descriptors, told), inner)
    finally:
        os.close(told)


def arguments(acts: Sequence[Act], *, is_root: bool) -> Iterator[str]:
    """The acts in its words.

    It binds what lies outside, without what was bound inside so far: so what is whole comes first.
    """
    given = {act[0]: act[1:] for act in acts}
    keeps_writes = ("readonly", "/") in acts
    yield "--unshare-user"
    yield from (word for bit, word in _UNSHARED.items() if int(acts[0][1]) & bit)
    if is_root:  # without that it keeps what takes covers off
        yield from ("--cap-drop", "ALL")
        for name in _NAMES:
            yield from ("--cap-add", f"CAP_{name}")
    yield from ("--ro-bind" if keeps_writes else "--bind", "/", "/")
    yield from ("--dev", "/dev") if "devices" in given else ("--dev-bind", "/dev", "/dev")
    if given.get("devices") == ("shared",):
        yield from ("--ro-bind" if keeps_writes else "--bind", SHARED_MEMORY, SHARED_MEMORY)
    if "proc" in given:
        yield from ("--proc", "/proc")
    for name, *paths in acts:
        if name == "cover":
            kept = [act[1] for act in acts if act[0] == "keep"]
            yield from ("--tmpfs", *paths)
            yield from (word for path in kept for word in ("--ro-bind", path, path))
            yield from ("--remount-ro", *paths)
        elif (name, *paths) not in _DONE:
            yield from (word.format(*paths) for word in _WORDS.get(name, ()))


# Mount points already, or bound as a whole.
_DONE = (("readonly", "/"), ("itself", "/dev"), ("itself", "/proc"))
# It knows nothing of these; they need no rights, and are done inside.
LEFT = ("keyring", "scope")
# What it does by itself is not among them: no new privileges, the loopback, slave mounts.
_WORDS: Mapping[str, Sequence[str]] = {
    "itself": ("--bind", "{0}", "{0}"),
    "readonly": ("--ro-bind", "{0}", "{0}"),
    "writable": ("--bind", "{0}", "{0}"),
    "place": ("--bind", "{0}", "{1}"),
    "empty": ("--perms", "0000", "--tmpfs", "{0}"),
    "conceal": ("--ro-bind", "{1}", "{0}"),
    "directory": ("--chdir", "{0}"),
}
