"""Events that nobody could take in time: one file each, in the order in which they happened.

Who wrote one may go: it is on the disk, and whoever records next takes it in first. Writing runs
inside a hook, under `python -I -S`, so nothing is imported here that takes time.
"""

import posix

ROOM = "spool"  # in the data directory
ENDING = ".event"
UNFINISHED = "."  # how the name of a file begins that is still being written
BAD = ".bad"  # added to the name of what is no event; kept, and never read again
_NUMBERS = 20  # digits of a moment, so that names are in order
_KIND, _FILE = 0o170000, 0o100000
_READ = posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK
_PIECE = 1 << 20


def put(data: str, moment: int, line: bytes) -> None:
    """Keeps one event that happened at a moment (nanoseconds of the clock) for good."""
    room = f"{data}/{ROOM}"
    try:
        posix.mkdir(room, 0o700)
    except FileExistsError:
        pass
    name = f"{moment:0{_NUMBERS}d}-{posix.getpid()}{ENDING}"
    unfinished = f"{room}/{UNFINISHED}{name}"
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC
    fd = posix.open(unfinished, flags, 0o600)
    try:
        while line:
            line = line[posix.write(fd, line) :]
        posix.fsync(fd)
    except OSError:  # half of an event is none
        posix.unlink(unfinished)
        raise
    finally:
        posix.close(fd)
    posix.rename(unfinished, f"{room}/{name}")
    _sync(room)


def _sync(directory: str) -> None:
    fd = posix.open(directory, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
    try:
        posix.fsync(fd)
    finally:
        posix.close(fd)


def waiting(data: str) -> list[str]:
    """Returns the paths of all that wait, in order."""
    room = f"{data}/{ROOM}"
    try:
        names = posix.listdir(room)
    except FileNotFoundError:
        return []
    whole = (name for name in names if name.endswith(ENDING) and not name.startswith(UNFINISHED))
    return [f"{room}/{name}" for name in sorted(whole)]


def read(path: str) -> bytes | None:
    """Returns what was kept, nothing if it is no file; None: somebody else has taken it."""
    try:
        fd = posix.open(path, _READ)
    except FileNotFoundError:
        return None
    except OSError:  # a link, a socket, closed to us
        return b""
    try:
        if posix.fstat(fd).st_mode & _KIND != _FILE:
            return b""
        pieces: list[bytes] = []
        while piece := posix.read(fd, _PIECE):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        posix.close(fd)


def remove(path: str) -> None:
    """Removes one that was taken in; somebody else may have been quicker."""
    try:
        posix.unlink(path)
    except FileNotFoundError:
        pass


def set_aside(path: str) -> None:
    """Puts what is no event where it stays and is not read again."""
    try:
        posix.rename(path, path + BAD)
    except OSError:
        pass  # somebody else has, or something of that name is there already
