"""The deeds, as a step does them: one function each, run by its name in a process of its own.

    python -I -S inside.py NAME FACTS

Whether a deed had its effect is judged outside; what is printed here is only for people. It stands
alone: the step may see nothing of this package but this file.
"""

import array
import ctypes
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

SECONDS = 5.0  # a deed waits so long to be seen
SOON = 2.0  # seconds within which what comes later comes
FORKS, MEMORY, DISK = 60, 512 << 20, 64 << 20  # enough to be told from nothing, and no more

_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS, _NEW_GROUPS, _NEW_USERS, _NEW_PROCESSES = 1 << 17, 1 << 25, 1 << 28, 1 << 29
_NEW_NETWORK = 1 << 30
_REMOUNT, _BIND, _MOVE, _REC, _SLAVE, _DETACH = 32, 4096, 8192, 16384, 1 << 19, 2
_AT_FDCWD, _AT_SYMLINK_FOLLOW = -100, 0x400
_MOUNT_SETATTR, _AT_RECURSIVE, _READ_ONLY = 442, 0x8000, 1
_PIDFD_SEND_SIGNAL, _PIDFD_OPEN, _PIDFD_GETFD = 424, 434, 438
_SEIZE, _INTERRUPT, _POKE, _LEAVE = 0x4206, 0x4207, 5, 17
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_SEARCH, _READ, _SESSION_KEYRING = 10, 11, -3

Facts = SimpleNamespace


def main() -> None:
    """Does one deed."""
    name, given = sys.argv[1:]
    facts = SimpleNamespace(**json.loads(given))
    Path("began").touch()
    print(f"{name}:", flush=True)
    tried(lambda: globals()[name](facts))


def tried(deed: Callable[[], object]) -> None:
    """Tries one way, and says why it failed."""
    try:
        deed()
    except Exception as error:  # whatever it is, the next way is tried
        print(f"  {error!r}", flush=True)


def called(name: str, *arguments: object) -> int:
    """Calls a function of the C library."""
    function = getattr(_LIBC, name)
    function.restype = ctypes.c_long
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = function(*words)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def append(path: str, facts: Facts) -> None:
    """Writes a line at the end of a file."""
    with open(path, "a") as file:
        file.write(facts.token)


def lines_of(path: str) -> list[str]:
    """The lines of a file of the kernel's."""
    return Path(path).read_text().splitlines()


def until_seen(facts: Facts) -> None:
    """Stays as it is until that was seen outside."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and not os.path.exists(facts.seen):
        time.sleep(0.02)


def in_sight(*more: int) -> Iterator[int]:
    """Every process that can be seen, and some that it knows of."""
    own = os.getpid()
    shown = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    yield from (pid for pid in dict.fromkeys((*more, *shown)) if pid != own)


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Mounts."""
    texts = [None if one is None else one.encode() for one in (source, target, kind)]
    called("mount", *texts, flags, None if data is None else data.encode())


def new_namespaces(more: int = 0) -> None:
    """Enters new user and mount namespaces, as uid 0 of them where that can be."""
    user, group = os.getuid(), os.getgid()
    called("unshare", _NEW_USERS | _NEW_MOUNTS | more)
    tried(lambda: Path("/proc/self/setgroups").write_text("deny"))
    tried(lambda: Path("/proc/self/uid_map").write_text(f"0 {user} 1"))
    tried(lambda: Path("/proc/self/gid_map").write_text(f"0 {group} 1"))


# --- The project ----------------------------------------------------------------------------------


def write_absolute(facts: Facts) -> None:
    append(facts.file, facts)


def write_dots(facts: Facts) -> None:
    append(os.path.relpath(facts.file), facts)


def write_link(facts: Facts) -> None:
    os.symlink(facts.project, "link")
    append("link/kept.txt", facts)


def write_hard_link_made(facts: Facts) -> None:
    tried(lambda: os.link(facts.file, "made"))
    fd = os.open(facts.file, os.O_RDONLY)
    named = f"/proc/self/fd/{fd}".encode()
    tried(lambda: called("linkat", _AT_FDCWD, named, _AT_FDCWD, b"named", _AT_SYMLINK_FOLLOW))
    for name in ("made", "named"):
        if os.path.exists(name):
            append(name, facts)


def write_hard_link_found(facts: Facts) -> None:
    append(facts.linked, facts)


def write_own_root(facts: Facts) -> None:
    for root in ("/proc/self/root", "/proc/thread-self/root", f"/proc/{os.getpid()}/root"):
        tried(lambda root=root: append(root + facts.file, facts))


def write_opened_again(facts: Facts) -> None:
    fd = os.open(facts.file, os.O_RDONLY)
    append(f"/proc/self/fd/{fd}", facts)


def write_their_root(facts: Facts) -> None:
    for pid in in_sight(facts.ours):
        tried(lambda pid=pid: append(f"/proc/{pid}/root{facts.file}", facts))


def write_their_directory(facts: Facts) -> None:
    append(f"/proc/{facts.ours}/cwd/kept.txt", facts)


def write_their_descriptor(facts: Facts) -> None:
    tried(lambda: append(f"/proc/{facts.ours}/fd/{facts.opened}", facts))
    process = called("syscall", _PIDFD_OPEN, facts.ours, 0)
    os.write(called("syscall", _PIDFD_GETFD, process, facts.opened, 0), facts.token.encode())


def write_inherited(facts: Facts) -> None:
    found = {}
    for name in sorted(os.listdir("/proc/self/fd"), key=int):
        try:
            found[name] = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue  # the one that listed them
    print("  inherited:", found)
    for name in found:
        if int(name) > 2:
            tried(lambda name=name: os.write(int(name), facts.token.encode()))


def write_own_mount(facts: Facts) -> None:
    os.mkdir("mounted")
    if os.geteuid() != 0:
        new_namespaces()
    mount(facts.project, "mounted", None, _BIND | _REC)
    tried(lambda: append("mounted/kept.txt", facts))
    tried(lambda: mount("", "mounted", None, _REMOUNT | _BIND))
    append("mounted/kept.txt", facts)


def write_other_mount(facts: Facts) -> None:
    append(facts.alias, facts)


def _uncover(facts: Facts) -> None:
    """Takes away or opens whatever is mounted over the project, until it can be written to."""
    places = [line.split()[4].replace(r"\040", " ") for line in lines_of("/proc/self/mountinfo")]
    over = [one for one in places if facts.file.startswith(one.rstrip("/") + "/")]
    os.makedirs("aside", exist_ok=True)
    change = array.array("Q", (0, _READ_ONLY, 0, 0)).tobytes()
    ways: list[Callable[[str], object]] = [
        lambda place: mount("", place, None, _REMOUNT | _BIND),
        lambda place: called(
            "syscall", _MOUNT_SETATTR, _AT_FDCWD, place.encode(), _AT_RECURSIVE, change, 32
        ),
        lambda place: mount(place, "aside", None, _MOVE),
        lambda place: called("umount2", place.encode(), _DETACH),
    ]
    for place in sorted(over, key=len, reverse=True):
        for way in ways:
            tried(lambda way=way, place=place: way(place))
            if _is_written(facts):
                return

    for parent in Path(facts.file).parents:
        tried(lambda parent=parent: _write_below(facts, parent))


def _write_below(facts: Facts, parent: Path) -> None:
    """Shows a directory once more without what is mounted in it."""
    mount(str(parent), "aside", None, _BIND)
    append(str(Path("aside", Path(facts.file).relative_to(parent))), facts)


def _is_written(facts: Facts) -> bool:
    try:
        append(facts.file, facts)
    except OSError:
        return False
    return True


def write_uncovered(facts: Facts) -> None:
    if not _is_written(facts):  # else nothing is in the way, and nothing may be taken away
        _uncover(facts)


def write_new_namespaces(facts: Facts) -> None:
    new_namespaces()
    tried(lambda: mount("", "/", None, _REC | _SLAVE))
    if not _is_written(facts):
        _uncover(facts)


def write_their_mounts(facts: Facts) -> None:
    for pid in in_sight(facts.ours):
        with open(f"/proc/{pid}/ns/mnt") as namespace:
            called("setns", namespace.fileno(), 0)
        append(facts.file, facts)
        return


def write_by_handle(facts: Facts) -> None:
    handle = array.array("I", (128, 0)).tobytes() + bytes(128)
    buffer = ctypes.create_string_buffer(handle, len(handle))
    number = ctypes.c_int()
    called("name_to_handle_at", _AT_FDCWD, facts.file.encode(), buffer, ctypes.byref(number), 0)
    for place in (".", "/"):  # what is mounted there may be written to
        directory = os.open(place, os.O_RDONLY)
        tried(
            lambda fd=directory: os.write(
                called("open_by_handle_at", fd, buffer, os.O_WRONLY | os.O_APPEND),
                facts.token.encode(),
            )
        )


def delete_file(facts: Facts) -> None:
    os.unlink(facts.file)


def make_file(facts: Facts) -> None:
    append(f"{facts.project}/new.txt", facts)


def rename_file(facts: Facts) -> None:
    os.rename(facts.file, f"{facts.file}.gone")


def rename_project(facts: Facts) -> None:
    os.rename(facts.project, f"{facts.project}.gone")


def rename_above(facts: Facts) -> None:
    above = os.path.dirname(facts.project)
    os.rename(above, f"{above}.gone")


def change_mode(facts: Facts) -> None:
    os.chmod(facts.file, 0o777)


def change_owner(facts: Facts) -> None:
    os.chown(facts.file, os.getuid(), os.getgid())


def change_times(facts: Facts) -> None:
    os.utime(facts.file, (1, 1))


def change_attributes(facts: Facts) -> None:
    os.setxattr(facts.file, "user.deed", facts.token.encode())


# --- What else is protected -----------------------------------------------------------------------


def write_file(facts: Facts) -> None:
    append(facts.path, facts)


def change_path_mode(facts: Facts) -> None:
    os.chmod(facts.path, 0o777)


def make_path(facts: Facts) -> None:
    os.makedirs(os.path.dirname(facts.path), exist_ok=True)
    append(facts.path, facts)


def replace_path(facts: Facts) -> None:
    append(f"{facts.path}.new", facts)
    os.replace(f"{facts.path}.new", facts.path)


def replace_link(facts: Facts) -> None:
    os.unlink(facts.link)
    make_path(facts)


def rename_directory(facts: Facts) -> None:
    os.rename(facts.path, f"{facts.path}.gone")


def lock_path(facts: Facts) -> None:
    with open(facts.path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        until_seen(facts)


def open_path(facts: Facts) -> None:
    """Opens a file for writing, and writes nothing: what it governs is the whole machine's."""
    with open(facts.path, "r+b"):
        until_seen(facts)


def open_of_kernel(facts: Facts) -> None:
    tried(lambda: open_path(facts))
    if os.path.exists(facts.seen):
        return
    new_namespaces(_NEW_PROCESSES | _NEW_NETWORK)
    if os.fork() == 0:  # by a new mount of what is covered
        os.mkdir("fresh")
        kind = "proc" if facts.path.startswith("/proc/") else "sysfs"
        top = f"/{facts.path.split('/')[1]}"
        try:
            mount(kind, "fresh", kind, 0)
            with open(f"fresh{facts.path.removeprefix(top)}", "r+b"):
                until_seen(facts)
        except OSError as error:
            print(f"  {error!r}", flush=True)
        os._exit(0)
    os.wait()


def read_path(facts: Facts) -> None:
    tell(Path(facts.path).read_bytes())


def tell(found: bytes) -> None:
    """Tells what was found out, where it is looked for outside."""
    with open("told", "ab") as file:
        file.write(found)


def read_key(facts: Facts) -> None:
    number = _KEYCTL[os.uname().machine]
    key = called("syscall", number, _SEARCH, _SESSION_KEYRING, b"user", facts.key.encode(), 0)
    buffer = ctypes.create_string_buffer(256)
    called("syscall", number, _READ, key, buffer, len(buffer))
    tell(buffer.value)


def write_shared_memory(facts: Facts) -> None:
    _LIBC.shmat.restype = ctypes.c_void_p
    address = _LIBC.shmat(facts.segment, None, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "shmat")
    ctypes.memmove(address, facts.token.encode(), len(facts.token))


# --- Other processes ------------------------------------------------------------------------------


def gain_root(facts: Facts) -> None:
    subprocess.run([facts.helper, "by-root"], check=True)


def trace(facts: Facts) -> None:
    called("ptrace", _SEIZE, facts.ours, 0, 0)
    called("ptrace", _INTERRUPT, facts.ours, 0, 0)
    os.waitpid(facts.ours, 0x40000000)  # __WALL
    try:
        word = int.from_bytes(facts.token.encode()[:8], sys.byteorder)
        called("ptrace", _POKE, facts.ours, facts.address, ctypes.c_void_p(word))
    finally:
        called("ptrace", _LEAVE, facts.ours, 0, 0)


def write_memory(facts: Facts) -> None:
    with open(f"/proc/{facts.ours}/mem", "r+b", buffering=0) as memory:
        memory.seek(facts.address)
        memory.write(facts.token.encode()[:8])


def write_memory_directly(facts: Facts) -> None:
    word = facts.token.encode()[:8]
    here = ctypes.create_string_buffer(word, 8)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(here), 8)
    remote = (ctypes.c_size_t * 2)(facts.address, 8)
    called("process_vm_writev", facts.ours, local, 1, remote, 1, 0)


def read_environment(facts: Facts) -> None:
    for pid in in_sight(facts.ours):
        tried(lambda pid=pid: tell(Path(f"/proc/{pid}/environ").read_bytes()))


def see(facts: Facts) -> None:
    del facts
    for pid in in_sight():
        tried(lambda pid=pid: tell(Path(f"/proc/{pid}/cmdline").read_bytes()))


def send_signal(facts: Facts) -> None:
    tried(lambda: os.kill(facts.ours, signal.SIGUSR1))
    tried(lambda: signal.pidfd_send_signal(os.pidfd_open(facts.ours), signal.SIGUSR1))


def send_signal_by_descriptor(facts: Facts) -> None:
    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, fcntl.F_SETOWN, facts.ours)
    fcntl.fcntl(ours, 10, signal.SIGUSR1)  # F_SETSIG
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    theirs.send(b".")


def limit(facts: Facts) -> None:
    import resource  # noqa: PLC0415 - only here

    resource.prlimit(facts.victim, resource.RLIMIT_CPU, (3600, 3600))


def slow_down(facts: Facts) -> None:
    tried(lambda: os.setpriority(os.PRIO_PROCESS, facts.victim, 19))
    tried(lambda: os.sched_setaffinity(facts.victim, {min(os.sched_getaffinity(0))}))
    tried(lambda: os.sched_setscheduler(facts.victim, os.SCHED_IDLE, os.sched_param(0)))


def offer_to_killer(facts: Facts) -> None:
    Path(f"/proc/{facts.victim}/oom_score_adj").write_text("1000")


def regroup(facts: Facts) -> None:
    """Moves a process of ours into a control group of its own, where it can be frozen or killed."""
    tried(lambda: _regroup(facts, _mounted_groups()))
    if os.geteuid() == 0:
        tried(lambda: called("unshare", _NEW_GROUPS | _NEW_MOUNTS))
    else:
        tried(lambda: new_namespaces(_NEW_GROUPS))
    os.mkdir("groups")
    for kind, options in (("cgroup2", None), ("cgroup", "freezer")):
        tried(lambda kind=kind, options=options: mount("none", "groups", kind, 0, options))
        tried(lambda: _regroup(facts, ["groups"]))


def _mounted_groups() -> list[str]:
    lines = [line.split() for line in lines_of("/proc/self/mounts")]
    return [words[1] for words in lines if words[2] in ("cgroup", "cgroup2")]


def _regroup(facts: Facts, places: list[str]) -> None:
    for place in places:
        group = Path(place, facts.token)
        tried(group.mkdir)
        tried(lambda group=group: (group / "cgroup.procs").write_text(str(facts.victim)))


def daemon(facts: Facts) -> None:
    _leave_behind(facts, dict(os.environ))


def daemon_without_mark(facts: Facts) -> None:
    _leave_behind(facts, {})


def _leave_behind(facts: Facts, environment: dict[str, str]) -> None:
    begun, begins = os.pipe()  # closed as the program begins, or does not
    if os.fork():
        os.close(begins)
        os.wait()
        os.read(begun, 1)
        return
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        program = "import sys, time; time.sleep(20)"
        line = [sys.executable, "-I", "-S", "-c", program, facts.token]
        os.execve(sys.executable, line, environment)
    os._exit(0)


# --- Whoever listens ------------------------------------------------------------------------------


def say_to(facts: Facts) -> None:
    address = facts.address
    where = f"\0{address[1:]}" if address.startswith("@") else address
    tried(lambda: _say(socket.AF_UNIX, socket.SOCK_STREAM, where, facts))
    if address.startswith("@"):
        tried(lambda: _say(socket.AF_UNIX, socket.SOCK_DGRAM, f"{where}.letters", facts))


def say_when_there(facts: Facts) -> None:
    end = time.monotonic() + SOON
    while time.monotonic() < end and not os.path.exists(facts.address):
        time.sleep(0.02)
    say_to(facts)


def write_meanwhile(facts: Facts) -> None:
    end = time.monotonic() + SOON
    while time.monotonic() < end and not os.path.ismount(facts.mounted):
        time.sleep(0.02)
    append(facts.path, facts)


def say_tcp(facts: Facts) -> None:
    _say(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", facts.port), facts)


def say_tcp6(facts: Facts) -> None:
    _say(socket.AF_INET6, socket.SOCK_STREAM, ("::1", facts.port), facts)


def say_udp(facts: Facts) -> None:
    _say(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", facts.port), facts)


def _say(family: int, kind: int, where: str | tuple[str, int], facts: Facts) -> None:
    with socket.socket(family, kind) as line:
        line.settimeout(SECONDS)
        line.connect(where)
        line.send(facts.token.encode())


def write_terminal(facts: Facts) -> None:
    fd = os.open(facts.terminal, os.O_WRONLY | os.O_NOCTTY)
    os.write(fd, facts.token.encode())


# --- Without measure ------------------------------------------------------------------------------


def fork_often(facts: Facts) -> None:
    for _ in range(FORKS):
        if os.fork() == 0:
            until_seen(facts)
            os._exit(0)
    until_seen(facts)


def take_memory(facts: Facts) -> None:
    held = b"x" * MEMORY
    until_seen(facts)
    print(f"  {len(held)} bytes")


def take_disk(facts: Facts) -> None:
    del facts
    with open("filled", "wb") as file:
        file.writelines(b"x" * (1 << 20) for _ in range(DISK >> 20))


if __name__ == "__main__":
    main()
