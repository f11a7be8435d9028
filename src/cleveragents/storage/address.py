"""Where the keeper of a data directory listens, and whether it is ours that listens there.

Runs inside every call of a hook, under `python -I -S`: it imports nothing that takes time, which
`os` does. Paths are texts here.
"""

import posix
import sys
from _socket import AF_UNIX, SO_PEERCRED, SOCK_CLOEXEC, SOCK_STREAM, SOL_SOCKET, socket

TYPE_CHECKING = False  # as `typing` has it
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LOCK = "keeper.lock"  # in the data directory: who owns it is the keeper, and it says where it is
LONGEST = 107  # bytes that the path of a socket may have
NAME_BYTES = 11  # of `/01234567.s`
PASSED_ON = (b"XDG_RUNTIME_DIR", b"TMPDIR")  # variables that say where a socket may lie
_KIND, _DIRECTORY, _SOCKET = 0o170000, 0o040000, 0o140000
_OTHERS = 0o077
_CREDENTIALS = 12  # bytes: pid, user and group, four each


def place(environment: "Mapping[bytes, bytes]") -> str | None:
    """Returns the directory for sockets, made if need be; None: there is no place for one."""
    return next(made(environment), None)


def made(environment: "Mapping[bytes, bytes]") -> "Iterator[str]":
    """Yields every such directory, the best first, each made if need be."""
    for path in _places(environment):
        if _is_made(path):
            yield path.decode("utf-8", "surrogateescape")


def _places(environment: "Mapping[bytes, bytes]") -> "Iterator[bytes]":
    """Yields where such a directory may be, the best first."""
    runtime, temporary = (environment.get(name, b"") for name in PASSED_ON)
    mine = b"cleveragents-%d" % posix.geteuid()
    for above, name in ((runtime, b"cleveragents"), (temporary, mine), (b"/tmp", mine)):
        path = b"%s/%s" % (above.rstrip(b"/"), name)
        if above.startswith(b"/") and len(path) + NAME_BYTES <= LONGEST:
            yield path


def _is_made(path: bytes) -> bool:
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    return is_private(path)


def is_private(path: str | bytes) -> bool:
    """Tells whether a path is a directory of our user's that is closed to all others."""
    mode = _mode_of_ours(path)
    return mode & _KIND == _DIRECTORY and not mode & _OTHERS


def is_safe(path: str) -> bool:
    """Tells whether a path is a socket that nobody but our user can have put there."""
    return _mode_of_ours(path) & _KIND == _SOCKET and is_private(path.rpartition("/")[0])


def _mode_of_ours(path: str | bytes) -> int:
    """The mode of what lies there; 0: there is nothing of our user's."""
    try:
        found = posix.lstat(path)
    except OSError:
        return 0
    return found.st_mode if found.st_uid == posix.geteuid() else 0


def connect(path: str, seconds: float) -> socket | None:
    """Connects to who listens there, if that is a process of our user; None: nobody of ours."""
    if seconds <= 0 or not is_safe(path):
        return None
    line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC)
    try:
        line.settimeout(seconds)
        line.connect(path)
        if is_ours(line):
            return line
    except OSError:
        pass
    line.close()
    return None


def is_ours(line: socket) -> bool:
    """Tells whether the process at the other end belongs to our user."""
    told = line.getsockopt(SOL_SOCKET, SO_PEERCRED, _CREDENTIALS)
    return int.from_bytes(told[4:8], sys.byteorder) == posix.geteuid()
