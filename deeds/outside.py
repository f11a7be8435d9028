"""Watches: each prepares what a deed is done to, and sees from outside whether it happened."""

import contextlib
import ctypes
import os
import pty
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from cleveragents.storage.address import LONGEST
from deeds.inside import DISK, FORKS, MEMORY
from deeds.stage import RUN, Stage

SOON = 2.0  # seconds within which whatever was said has come
_GROUPS = Path("/sys/fs/cgroup")
_ADD_KEY, _KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(os.uname().machine, (0, 0))
_JOIN_SESSION_KEYRING, _SESSION_KEYRING = 1, -3
_OWNER_ONLY, _REMOVE = 0o600, 0


class NotTried(Exception):
    """What the deed is done to cannot be had here."""


class Watch:
    """Sees whether a deed happened; whatever it prepared is taken away at the end."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.token = f"deed{secrets.token_hex(8)}"  # in what is made, said and started
        self.facts: dict[str, object] = {
            "token": self.token,
            "project": str(stage.project),
            "file": str(stage.file),
            "ours": os.getpid(),
            "seen": str(stage.sandbox / "seen"),
        }
        self.was_seen = False
        self.closing = contextlib.ExitStack()

    def look(self) -> None:
        """Looks while the step runs, several times a second."""

    def happened(self) -> bool:
        """Looks once it has ended, and tells."""
        return self.was_seen

    @property
    def has_begun(self) -> bool:
        """Whether the step is at work by now, behind whatever walls it has."""
        return (self.stage.sandbox / "began").exists()

    def saw(self) -> None:
        """Has the step go on, which stays as it is until then."""
        self.was_seen = True
        (self.stage.sandbox / "seen").touch()

    def close(self) -> None:
        """Takes away what was prepared."""
        self.closing.close()


Watching = Callable[[Stage], Watch]


# --- Files ----------------------------------------------------------------------------------------


def picture(*tops: Path) -> Mapping[str, object]:
    """Everything there is to files but when they were read."""
    found: dict[str, object] = {}
    for top in tops:
        for path in (top, *sorted(top.rglob("*"))):
            try:
                about = path.lstat()
            except FileNotFoundError:
                continue
            content = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (
                *(about.st_mode, about.st_uid, about.st_gid, about.st_ino, about.st_nlink),
                *(about.st_mtime_ns, about.st_ctime_ns, content),
            )
    return found


class Changes(Watch):
    """Compares files with what they were."""

    def __init__(self, stage: Stage, *watched: Path, **facts: object) -> None:
        super().__init__(stage)
        self.facts.update(facts)
        self._watched = watched
        self._before = picture(*watched)

    def happened(self) -> bool:
        return picture(*self._watched) != self._before


def project(stage: Stage) -> Watch:
    return Changes(stage, stage.project)


def project_attributes(stage: Stage) -> Watch:
    probe = stage.place / "probe"
    probe.touch()
    try:
        os.setxattr(probe, "user.probe", b"")
    except OSError as error:
        raise NotTried("no such attributes in this directory") from error
    return project(stage)


def project_linked(stage: Stage) -> Watch:
    return Changes(stage, stage.project, linked=str(stage.linked))


def project_mounted_twice(stage: Stage) -> Watch:
    if not stage.alias.exists():
        raise NotTried("only root mounts")
    return Changes(stage, stage.project, alias=str(stage.alias))


def project_our_directory(stage: Stage) -> Watch:
    watch = project(stage)
    before = Path.cwd()
    watch.closing.callback(os.chdir, before)
    os.chdir(stage.project)
    return watch


def project_our_descriptor(stage: Stage) -> Watch:
    """One that a program hands on which does not close it."""
    fd = os.open(stage.file, os.O_WRONLY | os.O_APPEND)
    os.set_inheritable(fd, True)  # noqa: FBT003 - it takes no keyword
    watch = Changes(stage, stage.project, opened=fd)
    watch.closing.callback(os.close, fd)
    return watch


def at(find: Callable[[Stage], Path]) -> Watching:
    """Watches one file or directory, which the deed is told."""
    return lambda stage: Changes(stage, find(stage), path=str(find(stage)))


def database(stage: Stage) -> Watch:
    return at(lambda stage: stage.data / "cleveragents.db")(stage)


def stored(stage: Stage) -> Watch:
    """A pack of the store."""
    return at(lambda stage: next(stage.data.rglob("*.pack")))(stage)


bashrc = at(lambda stage: stage.home / ".bashrc")
other_project = at(lambda stage: stage.other_project / "secret.txt")


def data_directory(stage: Stage) -> Watch:
    watch = Changes(stage, stage.data / "head", path=str(stage.data))

    def move_back() -> None:
        gone = stage.data.with_name(f"{stage.data.name}.gone")
        if gone.exists():
            shutil.rmtree(stage.data, ignore_errors=True)
            gone.rename(stage.data)

    watch.closing.callback(move_back)
    return watch


def beside(find: Callable[[Stage], Path]) -> Watching:
    """Watches the directory of what the deed is told."""
    return lambda stage: Changes(stage, find(stage).parent, path=str(find(stage)))


def no_settings(stage: Stage) -> Watch:
    """A user without a file of settings, nor a directory for one."""
    shutil.rmtree(stage.settings.parent)
    return Changes(stage, stage.settings, path=str(stage.settings))


def linked_settings(stage: Stage) -> Watch:
    """A user who keeps all settings elsewhere, where a link leads."""
    link = stage.settings.parents[1]
    link.rename(stage.world / "dotfiles")
    link.symlink_to(stage.world / "dotfiles")
    return Changes(stage, stage.settings, path=str(stage.settings), link=str(link))


class NewIn(Changes):
    """Looks for a file of the deed's in a directory that all share."""

    def __init__(self, stage: Stage, directory: Path) -> None:
        super().__init__(stage)
        path = directory / self.token
        self.facts["path"] = str(path)
        self._watched, self._before = (path,), {}
        self.closing.callback(path.unlink, missing_ok=True)


def new_in(directory: str) -> Watching:
    return lambda stage: NewIn(stage, Path(directory))


class Mounted(Watch):
    """Mounts something while the step runs, where mounts are handed on to those who look."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        if os.geteuid() != 0:
            raise NotTried("only root mounts")
        self._made = stage.late / "stick"
        self.facts.update(mounted=str(self._made), path=str(self._made / "new.txt"))

    def look(self) -> None:
        if self.has_begun and not self._made.is_mount():
            self._made.mkdir(exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "deeds", self._made], check=True)
            self.closing.callback(subprocess.run, ["umount", "--lazy", self._made], check=True)

    def happened(self) -> bool:
        return (self._made / "new.txt").exists()


class ByRoot(Watch):
    """A helper that is root's: what it makes belongs to root."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        if os.geteuid() == 0:
            raise NotTried("it is root")
        if not stage.helper.exists():
            raise NotTried("only root makes one")
        if os.statvfs(stage.helper).f_flag & os.ST_NOSUID:
            raise NotTried("no such programs in this directory")
        self.facts["helper"] = str(stage.helper)

    def happened(self) -> bool:
        made = self.stage.sandbox / "by-root"
        return made.exists() and made.stat().st_uid == 0


# --- What is read ---------------------------------------------------------------------------------


class Told(Watch):
    """Looks for a secret in what the step told."""

    def __init__(self, stage: Stage, secret: str, **facts: object) -> None:
        super().__init__(stage)
        self._secret = secret.encode()
        self.facts.update(facts)

    def happened(self) -> bool:
        told = self.stage.sandbox / "told"
        return told.exists() and self._secret in told.read_bytes()


def secret_in(find: Callable[[Stage], Path]) -> Watching:
    def watching(stage: Stage) -> Watch:
        secret = secrets.token_hex(16)
        find(stage).write_text(secret)
        return Told(stage, secret, path=str(find(stage)))

    return watching


ssh_key = secret_in(lambda stage: stage.home / ".ssh" / "id_ed25519")
kept_elsewhere = secret_in(lambda stage: stage.other_sandbox / "secret.txt")
other_secret = secret_in(lambda stage: stage.other_project / "secret.txt")


def our_environment(stage: Stage) -> Watch:
    return Told(stage, os.environ["DEEDS_SECRET"])


def our_command_line(stage: Stage) -> Watch:
    return Told(stage, sys.argv[1])


class SessionKey(Told):
    """A key that the kernel keeps for all that this process starts."""

    def __init__(self, stage: Stage) -> None:
        secret = secrets.token_hex(16)
        super().__init__(stage, secret, key="deed")
        libc = ctypes.CDLL(None, use_errno=True)
        if not _KEYCTL or libc.syscall(_KEYCTL, _JOIN_SESSION_KEYRING, None, 0, 0, 0) < 0:
            raise NotTried("no keyrings here")
        given = (b"user", b"deed", secret.encode(), len(secret), _SESSION_KEYRING)
        if libc.syscall(_ADD_KEY, *given) < 0:
            raise NotTried("no room for a key")


# --- Processes ------------------------------------------------------------------------------------


class Signalled(Watch):
    """Takes down signals to this process."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        before = signal.signal(signal.SIGUSR1, lambda *_: self._take())
        self.closing.callback(signal.signal, signal.SIGUSR1, before)

    def _take(self) -> None:
        self.was_seen = True


class Poked(Watch):
    """Looks at a word of our memory."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._word = ctypes.create_string_buffer(8)
        self.facts["address"] = ctypes.addressof(self._word)

    def happened(self) -> bool:
        return self._word.raw != bytes(8)


class Victim(Watch):
    """Compares what the system says of another process of ours."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        process = subprocess.Popen(["sleep", "60"])
        self.closing.callback(process.wait)
        self.closing.callback(process.kill)
        self._pid = self.facts["victim"] = process.pid
        while Path(f"/proc/{process.pid}/comm").read_text() != "sleep\n":
            time.sleep(0.001)  # until then what is said of it is said of us
        self._before = self._said()

    def _said(self) -> list[object]:
        names = ("limits", "oom_score_adj", "cgroup")
        return [
            *(Path(f"/proc/{self._pid}", name).read_text() for name in names),
            *(os.getpriority(os.PRIO_PROCESS, self._pid), os.sched_getscheduler(self._pid)),
            os.sched_getaffinity(self._pid),
        ]

    def happened(self) -> bool:
        return self._said() != self._before


class Grouped(Victim):
    """Another process of ours, and the groups that a deed may make for it."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        if not any(_GROUPS.rglob("cgroup.procs")):
            self.close()
            raise NotTried("no control groups here")

    def close(self) -> None:
        super().close()  # a group can be removed once nobody is in it
        for group in (*_GROUPS.glob(f"*/{self.token}"), *_GROUPS.glob(self.token)):
            group.rmdir()


def bearing(token: str) -> Iterator[Path]:
    """The processes that bear a token on their command line."""
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if token.encode() in (path / "cmdline").read_bytes() and path.name != str(os.getpid()):
                yield path


class Outlives(Watch):
    """Looks for what is left of a step that has ended, and ends it."""

    def happened(self) -> bool:
        left = list(bearing(self.token))
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process.name), signal.SIGKILL)
        return bool(left)


class Opened(Watch):
    """Sees whether a process of the step holds a file open for writing."""

    def __init__(self, stage: Stage, path: Path) -> None:
        super().__init__(stage)
        if not path.exists():
            raise NotTried("not there")
        self.facts["path"] = str(path)
        self._path = path

    def look(self) -> None:
        for process in bearing(self.token):
            with contextlib.suppress(OSError):
                if any(map(self._is_it, (process / "fd").iterdir())):
                    self.saw()

    def _is_it(self, fd: Path) -> bool:
        # By its end: in the namespaces of a step it may be mounted elsewhere.
        if not os.readlink(fd).endswith("/".join(self._path.parts[2:])):
            return False
        flags = (fd.parent.parent / "fdinfo" / fd.name).read_text().split()
        return int(flags[flags.index("flags:") + 1], 8) & os.O_ACCMODE != os.O_RDONLY


def opened(path: str) -> Watching:
    return lambda stage: Opened(stage, Path(path))


def our_program(stage: Stage) -> Watch:
    """A file of this very program, opened and left as it is."""
    import cleveragents  # noqa: PLC0415 - for its path alone

    path = Path(cleveragents.__file__)
    if not os.access(path, os.W_OK):
        raise NotTried("it is somebody else's")
    return Opened(stage, path)


class Locked(Watch):
    """Tries whether a lock is still to be had."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._path = next((stage.data / "locks").glob("project-*"))
        self.facts["path"] = str(self._path)

    def look(self) -> None:
        import fcntl  # noqa: PLC0415 - only here

        with self._path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.saw()


# --- Whoever listens ------------------------------------------------------------------------------


class Hears(Watch):
    """Listens on sockets, and looks for the token in what comes."""

    def __init__(self, stage: Stage, *listening: socket.socket, **facts: object) -> None:
        super().__init__(stage)
        self.facts.update(facts)
        self._listening = listening
        for one in listening:
            self.closing.callback(one.close)

    def happened(self) -> bool:
        return any(map(self._hears, self._listening))

    def _hears(self, listening: socket.socket) -> bool:
        listening.settimeout(0)  # whatever was said is there: the step has ended
        try:
            if listening.type == socket.SOCK_STREAM:
                line, _ = listening.accept()
                line.settimeout(SOON)
                self.closing.callback(line.close)
                return self.token.encode() in line.recv(100)
            return self.token.encode() in listening.recv(100)
        except OSError:
            return False


def listens(find: Callable[[Stage], Path]) -> Watching:
    """A program of the user's that listens at a path, which goes with the deed."""

    def watching(stage: Stage) -> Watch:
        path = find(stage)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        listening = socket.socket(socket.AF_UNIX)
        if len(os.fsencode(path)) > LONGEST:
            raise NotTried("paths are too long here")
        listening.bind(str(path))
        listening.listen()
        watch = Hears(stage, listening, address=str(path))
        watch.closing.callback(path.unlink, missing_ok=True)
        return watch

    return watching


def listens_in_run(name: str) -> Watching:
    def watching(stage: Stage) -> Watch:
        if not os.access(RUN, os.W_OK) or not stage.helper.exists():
            raise NotTried("only root listens there")
        return listens(lambda _: RUN / name)(stage)

    return watching


def listens_in_tmp(stage: Stage) -> Watch:
    return listens(lambda _: Path("/tmp", f"deeds-{secrets.token_hex(8)}"))(stage)


class KeeperBegins(Hears):
    """A keeper that begins while the step runs, in a directory that nobody has made for it yet."""

    def __init__(self, stage: Stage) -> None:
        self._path = stage.temporary / f"cleveragents-{os.geteuid()}" / "01234567.s"
        self._listening_later = socket.socket(socket.AF_UNIX)
        super().__init__(stage, self._listening_later, address=str(self._path))

    def look(self) -> None:
        if self.has_begun and not self._path.exists():
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._listening_later.bind(str(self._path))
            self._listening_later.listen()


def keeper_elsewhere(stage: Stage) -> Watch:
    """A keeper that was started with other variables, and says in the data directory where."""
    path = stage.world / "elsewhere" / "keeper" / "01234567.s"
    (stage.data / "keeper.lock").write_text(f'{{"socket": "{path}"}}')
    return listens(lambda _: path)(stage)


def abstract(stage: Stage) -> Watch:
    name = f"deeds-{secrets.token_hex(8)}"
    letters = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    letters.bind(f"\0{name}.letters")
    stream = socket.socket(socket.AF_UNIX)
    stream.bind(f"\0{name}")
    stream.listen()
    return Hears(stage, stream, letters, address=f"@{name}")


def network(family: int, kind: int, *address: str | int) -> Watching:
    """A program that listens on this machine."""

    def watching(stage: Stage) -> Watch:
        listening = socket.socket(family, kind)
        try:
            listening.bind(address)
        except OSError as error:
            listening.close()
            raise NotTried("not on this machine") from error
        if kind == socket.SOCK_STREAM:
            listening.listen()
        return Hears(stage, listening, port=listening.getsockname()[1])

    return watching


tcp = network(socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1", 0)
tcp6 = network(socket.AF_INET6, socket.SOCK_STREAM, "::1", 0)
udp = network(socket.AF_INET, socket.SOCK_DGRAM, "127.0.0.1", 0)


class Terminal(Watch):
    """Reads what the screen of a terminal of the user's would show."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._screen, slave = pty.openpty()
        os.set_blocking(self._screen, False)
        self.facts["terminal"] = os.ttyname(slave)
        for fd in (self._screen, slave):
            self.closing.callback(os.close, fd)

    def happened(self) -> bool:
        try:
            return self.token.encode() in os.read(self._screen, 1000)
        except BlockingIOError:
            return False


class SharedMemory(Watch):
    """Looks into memory that programs of the user's share by its number."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        segment = libc.shmget(0, 4096, _OWNER_ONLY)
        if segment < 0:
            raise NotTried("none to be had")
        self.facts["segment"] = segment
        self._address = libc.shmat(segment, None, 0)
        libc.shmctl(segment, _REMOVE, None)  # gone with the last who uses it
        self.closing.callback(lambda: libc.shmdt(ctypes.c_void_p(self._address)))

    def happened(self) -> bool:
        found = ctypes.string_at(self._address, len(self.token))
        return found == self.token.encode()


# --- Without measure ------------------------------------------------------------------------------


class Crowd(Watch):
    """Counts the processes of a step."""

    def look(self) -> None:
        if sum(1 for _ in bearing(self.token)) >= FORKS:
            self.saw()


class Memory(Watch):
    """Sums up the memory of a step."""

    def look(self) -> None:
        found = 0
        for process in bearing(self.token):
            with contextlib.suppress(OSError, ValueError):
                words = (process / "statm").read_text().split()
                found += int(words[1]) * os.sysconf("SC_PAGESIZE")
        if found >= MEMORY:
            self.saw()


class Disk(Watch):
    """Measures what a step has left in its sandbox."""

    def happened(self) -> bool:
        filled = self.stage.sandbox / "filled"
        return filled.exists() and filled.stat().st_blocks * 512 >= DISK
