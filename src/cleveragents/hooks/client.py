"""The program that a coding agent calls at each event: tells the keeper, and is never in the way.

It runs under `python -I -S`, before and after everything that an agent does, so it imports next to
nothing (`features/keeper.feature` has the list) and keeps to its budget: an event that nobody could
take in that time is spooled, and is late. It prints the answer if there is one, and nothing else.
"""

import posix
import select
from time import monotonic, sleep, time_ns

from cleveragents.hooks import plain_json, roots, spool
from cleveragents.hooks.payloads import BEFORE, event_of
from cleveragents.storage import address

TYPE_CHECKING = False  # as `typing` has it
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PROTOCOL = "1"  # how client and keeper speak; who speaks otherwise is asked to end
# First words of an answer: recorded, wait longer, cannot be now, cannot be, speaks otherwise.
DONE, WAIT, SPOOL, FAILED, OTHER = "done", "wait", "spool", "failed", "other"
SHARE = 0.9  # of the budget may pass until an event is spooled
PAUSE, LONGEST_PAUSE = 0.005, 0.05  # between two looks for a keeper that is about to start
AGAIN = 1.0  # seconds after which one that was started may have died at it
SHELLS = frozenset((b"sh", b"dash", b"bash", b"zsh", b"ash", b"busybox", b"fish", b"ksh"))
ANCESTORS = 5  # shells between an agent and its hook, at most
FAILURE = "hook.failed"  # in the data directory: where the latest failure of a hook happened
FDS = "/proc/self/fd"
MOST_BYTES = 256 << 20  # that an agent may tell of one event
HANDED_ON = (b"HOME", b"PATH", b"XDG_CONFIG_HOME", *address.PASSED_ON)  # to what is started
# Lets an interpreter run a module of the package, wherever that lies.
BOOT = (
    "import sys; sys.path.append(sys.argv.pop(1).rpartition('/')[0]); from importlib import "
    "import_module; import_module('cleveragents.cli.' + sys.argv.pop(1)).main()"
)
_PIECE = 1 << 16


class Settings:
    """Facts that the file `hook` in the data directory tells its client."""

    def __init__(
        self,
        *,
        data: str,
        python: str,
        package: str,
        budget: float,
        denials: dict[str, str],
        texts: bool = True,
    ) -> None:
        self.data = data
        self.python = python  # the interpreter that has all that the package needs
        self.package = package  # the directory of the package itself
        self.speaks = speaking(package)
        self.budget = budget
        self.denials = denials  # what keeps each agent from a call, if late events are to
        self.texts = texts  # whether anything of prompts and commands is kept


def main(settings: Settings, named: str) -> None:
    """Does what one call of a hook is for; whatever happens, it ends well."""
    try:
        answer = Call(settings, named).answer()
    except Exception as problem:  # noqa: BLE001 - an agent must go on, whatever is wrong with us
        _note(settings.data, problem)
        answer = settings.denials.get(named.partition(":")[0], "") if _is_before(named) else ""
    if answer:
        posix.write(1, answer.encode() + b"\n")


class Call:
    """One event on its way."""

    def __init__(self, settings: Settings, named: str) -> None:
        self._settings = settings
        self._named = named
        self._moment = time_ns()
        self._until = monotonic() + settings.budget * SHARE
        self._payload = b""
        self._started = 0.0  # when a keeper was started, if one was

    def answer(self, told: int = 0) -> str:
        """Tells who records what stands in a descriptor; returns what the agent is to be told."""
        self._payload = self._read(told)
        client, _, name = self._named.partition(":")
        text = self._payload.decode("utf-8", "replace")
        event = event_of(client, name, plain_json.read(text)) if text else None
        if event is None:
            return ""
        found = roots.whereabouts(self._settings.data, str(event["cwd"]))
        if found is None:
            return ""
        root, event["cwd"] = found
        event["pid"] = agent_above(posix.getppid())
        if not self._settings.texts:
            event["text"] = ""
        waits = event["kind"] == BEFORE and event["may_write"]
        denial = self._settings.denials.get(client, "") if waits else ""
        line = {"root": root, "identity": roots.identity(root), "event": event}
        body = plain_json.written(line).encode()
        word, _, rest = self._delivered(body).partition(" ")
        if word == SPOOL:
            spool.put(self._settings.data, self._moment, body)
        return rest if word == DONE else denial

    def _read(self, told: int) -> bytes:
        """Reads what the agent tells, as long as there is time."""
        pieces: list[bytes] = []
        size = 0
        ready = select.poll()
        ready.register(told, select.POLLIN)
        while ready.poll(max(0, int(self._left() * 1000))):
            piece = posix.read(told, _PIECE)
            size += len(piece)
            if not piece or size > MOST_BYTES:
                break
            pieces.append(piece)
        return b"".join(pieces)

    def _left(self) -> float:
        return self._until - monotonic()

    def _delivered(self, body: bytes) -> str:
        """Hands the event to who records it; returns what is said of it."""
        pause = PAUSE
        while self._left() > 0:
            said = self._asked(body)
            if said.partition(" ")[0] in (DONE, SPOOL, FAILED):
                return said
            if not self._is_starting() and not self._start():
                return self._by_ourselves()
            sleep(max(0.0, min(pause, self._left())))
            pause = min(pause * 1.5, LONGEST_PAUSE)
        return SPOOL  # nobody could take it in time

    def _asked(self, body: bytes) -> str:
        """Returns what the keeper says to an event; empty: there is none, or it died of it."""
        line = address.connect(keeper_socket(self._settings.data), self._left())
        if line is None:
            return ""
        try:
            until = f"{self._until!r}".encode()
            line.sendall(b"%s event %s %s\n" % (self._settings.speaks.encode(), until, body))
            said: bytes = b""
            while piece := line.recv(_PIECE):
                said += piece
                while b"\n" in said:
                    first, _, said = said.partition(b"\n")
                    word, _, rest = first.partition(b" ")
                    if word != WAIT.encode():
                        return first.decode("utf-8", "replace")
                    self._until = float(rest)
                line.settimeout(max(0.001, self._left()))
        except OSError:
            pass  # it died, or takes too long: there may be time for another one
        finally:
            line.close()
        return ""

    def _is_starting(self) -> bool:
        """Whether a keeper is there and does not listen, or was started just now."""
        return monotonic() - self._started < AGAIN or is_owned(self._settings.data)

    def _start(self) -> bool:
        """Starts a keeper that owes nothing to us; False: it could listen nowhere."""
        if address.place(posix.environ) is None:
            return False
        null = ((posix.POSIX_SPAWN_OPEN, fd, b"/dev/null", posix.O_RDWR, 0) for fd in range(3))
        self._spawn(("resident", self._settings.data), tuple(null))
        self._started = monotonic()
        return True

    def _spawn(self, words: tuple[str, ...], actions: "Sequence[tuple[Any, ...]]") -> int:
        """Starts a command of ours in a session of its own, with next to no environment.

        It is handed three descriptors and no other: a lock of the user's ends with who holds it.
        """
        given = self._settings
        handed = {name: posix.environ[name] for name in HANDED_ON if name in posix.environ}
        handed[b"LANG"] = b"C.UTF-8"
        argv = (given.python, "-I", "-c", BOOT, given.package, *words)
        others = set(map(int, posix.listdir(FDS))).difference(range(3))
        actions = (*actions, *((posix.POSIX_SPAWN_CLOSE, fd) for fd in others))
        return posix.posix_spawn(given.python, argv, handed, file_actions=actions, setsid=True)

    def _by_ourselves(self) -> str:
        """Lets a process of its own record the event, as long as there is time."""
        told, said = posix.memfd_create("told"), posix.memfd_create("said")
        try:
            rest = self._payload
            while rest:
                rest = rest[posix.write(told, rest) :]
            posix.lseek(told, 0, 0)
            child = self._spawn(
                ("main", "hook", self._named, "--data-dir", self._settings.data),
                (
                    (posix.POSIX_SPAWN_DUP2, told, 0),
                    (posix.POSIX_SPAWN_DUP2, said, 1),
                    (posix.POSIX_SPAWN_OPEN, 2, b"/dev/null", posix.O_RDWR, 0),
                ),
            )
            if not self._has_ended(child):
                return SPOOL
            answer = posix.pread(said, _PIECE, 0).decode("utf-8", "replace")
            return f"{DONE} {answer}".rstrip("\n")
        finally:
            posix.close(told)
            posix.close(said)

    def _has_ended(self, child: int) -> bool:
        fd = posix.pidfd_open(child)
        ready = select.poll()
        ready.register(fd, select.POLLIN)
        is_over = bool(ready.poll(max(0, int(self._left() * 1000))))
        posix.close(fd)
        return is_over and posix.waitpid(child, 0)[1] == 0


def speaking(package: str) -> str:
    """Returns how a package that is installed here speaks: after an upgrade it is otherwise."""
    found = posix.stat(f"{package}/__init__.py")
    return f"{PROTOCOL}/{found.st_ino}.{found.st_mtime_ns}"


def keeper_socket(data: str) -> str:
    """Returns where the keeper says that it listens; empty: there is none that says so."""
    try:
        fd = posix.open(f"{data}/{address.LOCK}", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return ""
    try:
        told = plain_json.read_table(posix.read(fd, _PIECE).decode("utf-8", "surrogateescape"))
    except ValueError:
        return ""
    finally:
        posix.close(fd)
    path = told.get("socket")
    return path if isinstance(path, str) else ""


def is_owned(data: str) -> bool:
    """Tells whether a living process is the keeper, whether it listens or not."""
    import fcntl  # only where something is not as usual

    try:
        fd = posix.open(f"{data}/{address.LOCK}", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        posix.close(fd)
    return False


def agent_above(pid: int) -> int:
    """Returns the process that called the hook, past the shells between; 0: it is not known."""
    for _ in range(ANCESTORS):
        about = _of_process(pid, "stat")
        if not about:
            return 0
        head, _, rest = about.rpartition(b")")
        if head.partition(b"(")[2] not in SHELLS or _runs_script(pid):
            return pid
        pid = int(rest.split()[1])
    return 0


def _runs_script(pid: int) -> bool:
    """Whether a shell is an agent itself, which is a script, and runs no command for one."""
    arguments = _of_process(pid, "cmdline").split(b"\0")[1:3]
    return any(arguments) and not any(one[:1] == b"-" for one in arguments)


def _of_process(pid: int, name: str) -> bytes:
    """What the kernel tells of a process; nothing if it is gone."""
    try:
        fd = posix.open(f"/proc/{pid}/{name}", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return b""
    about = posix.read(fd, _PIECE)
    posix.close(fd)
    return about


def _is_before(named: str) -> bool:
    from cleveragents.hooks.payloads import KINDS  # of use after failures alone

    client, _, name = named.partition(":")
    return KINDS.get(client, {}).get(name) == BEFORE


def _note(data: str, problem: Exception) -> None:
    """Keeps where a hook failed, for who looks for it; never a word of what it was told."""
    import traceback  # slow to import

    where = "".join(traceback.format_tb(problem.__traceback__))
    told = f"{type(problem).__name__}\n{where}".encode("utf-8", "replace")
    try:
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC
        fd = posix.open(f"{data}/{FAILURE}", flags, 0o600)
        posix.write(fd, told)
        posix.close(fd)
    except OSError:
        pass  # no data directory, or a full disk: there is nobody left to tell
