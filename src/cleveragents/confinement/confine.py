"""Confines itself, act by act as it is ordered to, and then executes a command.

It does what `confine.c` does, for machines without a compiler, and is told and answers alike: one
descriptor holds the orders, NUL-terminated, another takes `ERRNO ACT ARGUMENT` if one cannot be
obeyed; then nothing was executed, and the exit code is 125. That nothing is said means success.

It runs under `python -I -S` before every process of a step. So it imports next to nothing (`ctypes`
alone would cost half of what Python needs to start), and imports all of it before the first act:
afterwards its own files may be out of sight.
"""

import posix
import sys

TYPE_CHECKING = False  # as `typing` has it
if TYPE_CHECKING:
    import ctypes
    import signal as _signal
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn
else:
    import _signal  # what `signal` wraps in enums, at a price

    NoReturn = None  # `typing` is slow to import

# Ends a process and leaves nothing to Python, which has nothing to tidy up.
_leave = posix._exit  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - so it is called in `os`

try:
    import _ctypes
except ImportError:  # this Python was built without it, and cannot confine anything
    posix.write(int(sys.argv[2]), b"38 import _ctypes\n")
    _leave(125)

_EPERM, _ENOENT, _EINTR, _EACCES, _ENODEV, _ENOTDIR, _EINVAL = 1, 2, 4, 13, 19, 20, 22
_E2BIG, _MOST_KEPT = 7, 64
_ERANGE, _ENOSYS, _ELOOP = 34, 38, 40
_FAILED = 125

# Numbers of system calls that libraries may have no name for; they are the same on all machines.
_CLOSE_RANGE, _MOUNT_SETATTR = 436, 442
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446

# This one differs; a machine of another kind, or a Python of half its width, has no such act.
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
_JOIN_SESSION_KEYRING = 1

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE, _MS_SLAVE = 0x1000, 0x4000, 0x40000, 0x80000
_AT_FDCWD, _AT_RECURSIVE, _MOUNT_ATTR_RDONLY = -100, 0x8000, 1

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_PR_CAPBSET_READ, _PR_CAPBSET_DROP = 23, 24
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_CAPABILITY_VERSION = 0x20080522  # the third: sets of 64 bits
_HALF = 0xFFFFFFFF
_MAY_MAP = 1 << 6 | 1 << 7  # CAP_SETGID, CAP_SETUID

_SCOPE_ABSTRACT_UNIX_SOCKET, _SCOPE_SIGNAL = 1, 2
_RULE_PATH_BENEATH = 1
# Of rights on a directory those that what is no directory can be given as well: to execute, write
# and read it, to cut it off, and to control a device.
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_S_IFMT, _S_IFDIR, _S_IFLNK = 0o170000, 0o040000, 0o120000
_AF_UNIX, _AF_INET, _SOCK_DGRAM, _SOCK_SEQPACKET, _SOCK_CLOEXEC = 1, 2, 2, 5, 0x80000
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
_IFREQ_BYTES = 40
_RLIMIT_CORE = 4
_HIGHEST_FD = 0xFFFFFFFF
_STARTS = -1  # what begins is no status that a process can end with

_NULL, _MEMORY = b"/dev/null", b"/dev/shm"
_DEVICES = (_NULL, b"/dev/zero", b"/dev/full", b"/dev/random", b"/dev/urandom", b"/dev/tty")
_LINKS = (
    (b"/dev/fd", b"/proc/self/fd"),
    (b"/dev/stdin", b"/proc/self/fd/0"),
    (b"/dev/stdout", b"/proc/self/fd/1"),
    (b"/dev/stderr", b"/proc/self/fd/2"),
)
_PIECE = 1 << 16
_LEFT_ALONE = {_signal.SIGKILL, _signal.SIGSTOP, _signal.SIGCHLD}  # the last harms nobody


# --- What the C library does for us ---------------------------------------------------------------


if TYPE_CHECKING:
    _Int = ctypes.c_int
    _Word = ctypes.c_long
    _Natural = ctypes.c_uint
    _LongNatural = ctypes.c_ulong
    _Text = ctypes.c_char_p
else:
    _Simple = _ctypes._SimpleCData  # noqa: SLF001 - so it is called

    class _Int(_Simple):
        _type_ = "i"

    class _Word(_Simple):
        _type_ = "l"

    class _Natural(_Simple):
        _type_ = "I"

    class _LongNatural(_Simple):
        _type_ = "L"

    class _Text(_Simple):
        _type_ = "z"


class _Function(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = _Int


_LIBRARY = _ctypes.dlopen(None, 0)  # pyright: ignore[reportArgumentType] - what is loaded already


def _call(name: str, *arguments: "int | bytes | _ctypes.Array[Any] | None") -> int:
    """Calls a function of the C library; numbers are passed as words, as system calls take them."""
    function = _Function(_ctypes.dlsym(_LIBRARY, name))
    result = function(*(_Word(each) if isinstance(each, int) else each for each in arguments))
    if result < 0:
        raise OSError(_ctypes.get_errno(), name)
    return result


def _number(text: bytes) -> int:
    if not text.isdigit():
        raise OSError(_EINVAL, "no number")
    number = int(text)
    if number >> 64:
        raise OSError(_ERANGE, "too large")
    return number


def _packed(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, sys.byteorder) for number in numbers)


def _texts(texts: "Iterable[bytes]") -> "_ctypes.Array[_Text]":
    """Texts as `execve` takes them: the array ends with a null."""
    listed = list(texts)
    return (_Text * (len(listed) + 1))(*listed)


# --- Files ----------------------------------------------------------------------------------------


def _read(path: bytes) -> bytes:
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: posix.read(fd, _PIECE), b""))
    finally:
        posix.close(fd)


def _write(path: bytes, text: bytes, directory: int | None = None) -> None:
    fd = posix.open(path, posix.O_WRONLY | posix.O_CLOEXEC, dir_fd=directory)
    try:
        posix.write(fd, text)  # at once: the kernel takes a setting in one piece or not at all
    finally:
        posix.close(fd)


def _keep_only(fd: int, number: int) -> None:
    """Gives a descriptor another number, and closes all that are above it."""
    if fd != number:
        posix.dup2(fd, number, inheritable=False)
    _call("syscall", _CLOSE_RANGE, number + 1, _HIGHEST_FD, 0)


# --- Mounts ---------------------------------------------------------------------------------------


def _bind(source: bytes, target: bytes, flags: int = 0) -> None:
    _call("mount", source, target, None, _MS_BIND | flags, None)


def _set_readonly(path: bytes, flags: int) -> None:
    # What is mounted there from now on would be writable, and does not come in.
    _change_mount(path, flags, _packed(_MOUNT_ATTR_RDONLY, 0, _MS_PRIVATE, 0))


def _clear_readonly(path: bytes, flags: int) -> None:
    _change_mount(path, flags, _packed(0, _MOUNT_ATTR_RDONLY, 0, 0))


def _change_mount(path: bytes, flags: int, change: bytes) -> None:
    _call("syscall", _MOUNT_SETATTR, _AT_FDCWD, path, flags, change, len(change))


def _private() -> None:
    _call("mount", None, b"/", None, _MS_REC | _MS_SLAVE, None)


def _itself(path: bytes) -> None:
    _bind(path, path, _MS_REC)


def _readonly(path: bytes) -> None:
    _set_readonly(path, _AT_RECURSIVE)


def _writable(path: bytes) -> None:
    _itself(path)
    try:
        _clear_readonly(path, _AT_RECURSIVE)
    except OSError as error:
        if error.errno != _EPERM:
            raise
        _clear_readonly(path, 0)  # what is mounted below was locked read-only before us, and stays


def _unlock(path: bytes) -> None:
    _clear_readonly(path, 0)


def _place(source: bytes, target: bytes) -> None:
    _bind(source, target, _MS_REC)


def _empty(path: bytes) -> None:
    flags = _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    try:  # noqa: SIM105 - `contextlib` is slow to import
        _call("mount", b"tmpfs", path, b"tmpfs", flags, b"mode=0")
    except (FileNotFoundError, NotADirectoryError):
        pass  # what does not exist shows nothing


def _conceal(path: bytes, beside: bytes) -> None:
    # Not a device: what is written to one is taken, and lost.
    posix.close(posix.open(beside, posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0))
    try:
        _bind(beside, path, _MS_REC)
        _set_readonly(path, _AT_RECURSIVE)
    except FileNotFoundError:
        pass  # what does not exist shows nothing
    posix.unlink(beside)


def _keep(path: bytes) -> None:
    if len(_Course.kept) == _MOST_KEPT:
        raise OSError(_E2BIG, "too many are kept")
    try:
        fd = posix.open(path, posix.O_PATH | posix.O_NOFOLLOW | posix.O_CLOEXEC)
    except FileNotFoundError:
        return
    _Course.kept += ((path, fd),)


def _cover(path: bytes) -> None:
    flags = _MS_NOSUID | _MS_NODEV
    _call("mount", b"tmpfs", path, b"tmpfs", flags, b"mode=0755")
    for place, fd in _Course.kept:
        _make_place(fd, place)
        _bind_opened(fd, place)
    _Course.kept = ()
    _set_readonly(path, 0)


def _make_place(like: int, path: bytes) -> None:
    """Makes what is to be mounted at, and the directories above it."""
    if posix.access(path, posix.F_OK):
        return
    at = path.find(b"/", 1)
    while at > 0:
        try:  # noqa: SIM105 - `contextlib` is slow to import
            posix.mkdir(path[:at], 0o755)
        except FileExistsError:
            pass
        at = path.find(b"/", at + 1)
    if posix.fstat(like).st_mode & _S_IFMT == _S_IFDIR:
        posix.mkdir(path, 0o755)
    else:
        posix.close(posix.open(path, posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o644))


def _layer(path: bytes, space: bytes) -> None:
    lower = posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
    posix.mkdir(space, 0o700)
    mode = posix.fstat(lower).st_mode & 0o7777
    held = [lower]
    for name in (b"upper", b"work"):
        posix.mkdir(space + b"/" + name, mode)
        held.append(posix.open(space + b"/" + name, posix.O_PATH | posix.O_CLOEXEC))
    # By descriptors: in options, names would need to be quoted.
    options = b"lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d"
    flags = _MS_NOSUID | _MS_NODEV
    try:
        _call("mount", b"overlay", path, b"overlay", flags, options % (*held,) + b",userxattr")
    except OSError as error:  # then it can be read, as before
        if error.errno not in (_EPERM, _ENODEV, _EINVAL):
            raise
    for fd in held:
        posix.close(fd)


def _proc() -> None:
    _call("mount", b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, None)


def _devices(shm: bytes) -> None:
    if shm not in (b"own", b"shared"):
        raise OSError(_EINVAL, "neither own nor shared")
    is_own, has_terminals = shm == b"own", posix.access(b"/dev/pts", posix.F_OK)
    old = {path: fd for path in _DEVICES if (fd := _opened(path)) is not None}
    memory = None if is_own else _opened(_MEMORY)
    _call("mount", b"tmpfs", b"/dev", b"tmpfs", _MS_NOSUID, b"mode=0755")
    for path, fd in old.items():
        posix.close(posix.open(path, posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o644))
        _bind_opened(fd, path)
    for path, target in _LINKS:
        posix.symlink(target, path)
    if has_terminals:
        _new_terminals()
    if is_own or memory is not None:
        _shared_memory(memory)


def _opened(path: bytes) -> int | None:
    """A descriptor that only names a file, or nothing if there is none."""
    try:
        return posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
    except FileNotFoundError:
        return None


def _bind_opened(fd: int, target: bytes) -> None:
    """Mounts what a descriptor names, which may lie hidden by now, and closes it."""
    _bind(b"/proc/self/fd/%d" % fd, target, _MS_REC)
    posix.close(fd)


def _new_terminals() -> None:
    posix.mkdir(b"/dev/pts", 0o755)
    options = b"newinstance,ptmxmode=0666,mode=0620"
    _call("mount", b"devpts", b"/dev/pts", b"devpts", _MS_NOSUID | _MS_NOEXEC, options)
    posix.symlink(b"pts/ptmx", b"/dev/ptmx")


def _shared_memory(old: int | None) -> None:
    posix.mkdir(_MEMORY, 0o755)
    if old is None:
        flags = _MS_NOSUID | _MS_NODEV
        _call("mount", b"tmpfs", _MEMORY, b"tmpfs", flags, b"mode=1777")
    else:
        _bind_opened(old, _MEMORY)


# --- Namespaces -----------------------------------------------------------------------------------


def _enter(text: bytes) -> None:
    flags = _number(text)
    if flags >> 31:
        raise OSError(_EINVAL, "no such flags")
    if _capabilities_held()[0] & _MAY_MAP == _MAY_MAP:
        _enter_with_all_ids(flags)
    else:
        _enter_with_own_ids(flags)


def _enter_with_own_ids(flags: int) -> None:
    user, group = posix.geteuid(), posix.getegid()
    _call("unshare", flags)
    _write(b"/proc/self/setgroups", b"deny")
    _write(b"/proc/self/uid_map", b"%d %d 1\n" % (user, user))
    _write(b"/proc/self/gid_map", b"%d %d 1\n" % (group, group))


def _enter_with_all_ids(flags: int) -> None:
    """Enters namespaces in which all ids that exist here are the same.

    Only who stays outside may map them, so a helper is started before, and told when it may.
    """
    maps = [(name, _identity(_read(b"/proc/self/" + name))) for name in (b"uid_map", b"gid_map")]
    # By this it finds us, also where its number for us is not that of the mounted /proc.
    ours = posix.open("/proc/self", posix.O_PATH | posix.O_CLOEXEC)
    told, tell = posix.pipe()
    helper = posix.fork()
    if helper == 0:
        posix.close(tell)
        _help(told, ours, maps)
    posix.close(told)
    try:
        _call("unshare", flags)
        posix.write(tell, b".")
    finally:
        posix.close(tell)
        posix.close(ours)
        number = posix.waitstatus_to_exitcode(posix.waitpid(helper, 0)[1])
    if number:
        raise OSError(number if number > 0 else _EINTR, "the helper failed")


def _identity(ids: bytes) -> bytes:
    """The map that leaves every range of a map as it is, seen from inside."""
    ranges = (line.split() for line in ids.splitlines())
    return b"".join(b"%b %b %b\n" % (first, first, count) for first, _, count in ranges)


def _help(told: int, process: int, maps: "Iterable[tuple[bytes, bytes]]") -> NoReturn:
    number = _EINVAL
    try:
        if posix.read(told, 1):  # else there is nothing to be mapped
            for name, ids in maps:
                _write(name, ids, process)
        number = 0
    except OSError as error:
        number = error.errno or _EINVAL
    finally:
        _leave(number)


def _loopback() -> None:
    request = b"lo".ljust(16, b"\0") + _IFF_UP.to_bytes(2, sys.byteorder)
    fd = _call("socket", _AF_INET, _SOCK_DGRAM | _SOCK_CLOEXEC, 0)
    try:
        _call("ioctl", fd, _SIOCSIFFLAGS, request.ljust(_IFREQ_BYTES, b"\0"))
    finally:
        posix.close(fd)


# --- Process 1 and the one that stands in for it --------------------------------------------------


class _Course:
    """What one act leaves for a later one."""

    environment = b""  # as it was at the start: Python adds to its own
    dispositions: "dict[int, Any]"  # the signals that the command is to find otherwise, and how
    line: int | None = None  # in process 1: between it and its stand-in
    ruleset = -1  # what is to be refused, while it is being told
    kept: "tuple[tuple[bytes, int], ...]" = ()  # places, and descriptors that name them


def _processes() -> None:
    """Goes on as process 1; the process that was started stays outside, and ends as the command."""
    _call("syscall", _CLOSE_RANGE, _HIGHEST_FD, _HIGHEST_FD, 0)  # later nobody hears that it fails
    ends = (_Int * 2)()
    _call("socketpair", _AF_UNIX, _SOCK_SEQPACKET | _SOCK_CLOEXEC, 0, ends)
    outside, inside = ends
    process = posix.fork()
    if process:
        _stand_outside(outside, process)
    posix.close(outside)
    _Course.line = inside
    if posix.getpid() != 1:
        raise OSError(_EINVAL, "not process 1")  # whom it leaves behind would live on
    _end_with_stand_in()


def _end_with_stand_in() -> None:
    """Has the kernel end process 1 with its stand-in; if that is gone, nobody answers `_begin`."""
    _call("prctl", _PR_SET_PDEATHSIG, int(_signal.SIGKILL), 0, 0, 0)


def _stand_outside(line: int, process: int) -> NoReturn:
    """Waits in the command's place, and ends as it did: process 1 cannot die of its own signal."""
    status = int(_signal.SIGKILL)  # unless another is told
    try:
        _keep_only(line, 3)
        line = 3
        while (told := posix.read(line, _PIECE)) and int(told) == _STARTS:
            # From here on a signal to the whole group is for the command, which may take its time.
            _ignore_signals()
            posix.write(line, told)
        posix.waitpid(process, 0)  # with it every process in there has ended
        status = int(told or status)
    finally:
        _end_like(status)


def _ignore_signals() -> None:
    for number in _signal.valid_signals() - _LEFT_ALONE:
        _signal.signal(number, _signal.SIG_IGN)


def _end_like(status: int) -> NoReturn:
    """Ends as a process did."""
    number = posix.WTERMSIG(status) if posix.WIFSIGNALED(status) else 0
    try:
        if number:
            _leave_no_core()
            if number in _signal.valid_signals() - _LEFT_ALONE:
                _signal.signal(number, _signal.SIG_DFL)
            _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (number,))
            posix.kill(posix.getpid(), number)
    finally:  # process 1 of a container does not die of its own signal
        _leave(128 + number if number else posix.WEXITSTATUS(status))


def _leave_no_core() -> None:
    """Our image in memory is not the command's; some programs take it whatever the limit is."""
    _call("setrlimit", _RLIMIT_CORE, (_LongNatural * 2)(0, 0))
    _call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)


def _begin(line: int) -> None:
    """Goes on as the command, a child of process 1.

    The command tells the stand-in itself that it starts. So a signal to the group finds one of them
    at any time, and is never lost on two that ignore it.
    """
    _end_with_stand_in()  # once more: a change of rights may have undone it
    command = posix.fork()
    if command:
        _reap(command, line)
    _Course.line = None  # how this ends is for process 1 to tell
    try:
        posix.write(line, b"%d" % _STARTS)
        is_answered = bool(posix.read(line, _PIECE))
    except OSError:
        is_answered = False
    if not is_answered:
        _leave(_FAILED)  # the stand-in is dead: all this ends without a word


def _reap(command: int, line: int) -> NoReturn:
    """Reaps whatever ends in there, and ends with the command; then the kernel ends the rest."""
    try:
        _keep_only(line, 0)  # the answers too: they are closed as the command starts
        ended, status = posix.wait()
        while ended != command:
            ended, status = posix.wait()
        posix.write(0, b"%d" % status)
    finally:
        _leave(0)


# --- What the command may do ----------------------------------------------------------------------


def _capabilities_held() -> tuple[int, int]:
    """The effective and the permitted capabilities."""
    data = (_Natural * 6)()
    _call("capget", (_Natural * 2)(_CAPABILITY_VERSION, 0), data)
    return data[0] | data[3] << 32, data[1] | data[4] << 32


def _keep_capabilities(text: bytes) -> None:
    mask = _number(text)
    held = _capabilities_held()
    for number in range(64):  # first: to drop these takes a right that may go below
        if not mask >> number & 1 and _is_bounded_by(number):
            _call("prctl", _PR_CAPBSET_DROP, number, 0, 0, 0)
    _call("prctl", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    effective, permitted = (each & mask for each in held)
    data = (effective & _HALF, permitted & _HALF, 0, effective >> 32, permitted >> 32, 0)
    _call("capset", (_Natural * 2)(_CAPABILITY_VERSION, 0), (_Natural * 6)(*data))


def _is_bounded_by(capability: int) -> bool:
    try:
        return _call("prctl", _PR_CAPBSET_READ, capability, 0, 0, 0) == 1
    except OSError:
        return False  # the kernel knows none of this number


def _keyring() -> None:
    if sys.maxsize <= _HALF:
        raise OSError(_ENOSYS, "a Python of 32 bits")
    number = _KEYCTL.get(posix.uname().machine)
    if number is None:
        raise OSError(_ENOSYS, "a machine of another kind")
    try:
        _call("syscall", number, _JOIN_SESSION_KEYRING, None)
    except OSError as error:  # then the kernel has no keys, or keeps them from us: none to leave
        if error.errno not in (_ENOSYS, _EPERM):
            raise


def _no_new_privileges() -> None:
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _scope() -> None:
    _enforce(_new_ruleset(0, _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL))


def _new_ruleset(files: int, scoped: int) -> int:
    # A kernel without scopes takes the size where there are none, and refuses it where there are.
    rules = _packed(files, 0, scoped)
    return _call("syscall", _LANDLOCK_CREATE_RULESET, rules, len(rules), 0)


def _enforce(rules: int) -> None:
    _call("syscall", _LANDLOCK_RESTRICT_SELF, rules, 0)
    posix.close(rules)


def _begin_ruleset(files: bytes, scoped: bytes) -> None:
    """Begins to tell what is refused: rights on files, save what is allowed, and scopes."""
    rights, scopes = _number(files), _number(scoped)
    if _Course.ruleset >= 0:
        raise OSError(_EINVAL, "the one before would be lost")
    _Course.ruleset = _new_ruleset(rights, scopes)


def _allow(path: bytes, rights: bytes) -> None:
    allowed = _number(rights)
    try:
        fd = posix.open(path, posix.O_PATH | posix.O_NOFOLLOW | posix.O_CLOEXEC)
    except OSError as error:
        if error.errno not in (_ENOENT, _EACCES, _ELOOP, _ENOTDIR):
            raise
        return  # what cannot be reached stays refused
    try:
        _allow_opened(fd, allowed)
    finally:
        posix.close(fd)


def _allow_opened(fd: int, rights: int) -> None:
    kind = posix.fstat(fd).st_mode & _S_IFMT
    if kind != _S_IFDIR:
        rights &= _OF_FILES
    if kind == _S_IFLNK or not rights:  # a link would be allowed, not what it leads to
        return
    rule = _packed(rights) + fd.to_bytes(4, sys.byteorder)
    _call("syscall", _LANDLOCK_ADD_RULE, _Course.ruleset, _RULE_PATH_BENEATH, rule, 0)


def _restrict() -> None:
    rules, _Course.ruleset = _Course.ruleset, -1
    _enforce(rules)


def _limit(resource: bytes, most: bytes, bound: bytes) -> None:
    limits = (_LongNatural * 2)()
    number, soft, hard = map(_number, (resource, most, bound))
    _call("getrlimit", number, limits)
    lowered = min(hard, limits[1])
    _call("setrlimit", number, (_LongNatural * 2)(min(soft, lowered), lowered))


# --- The command ----------------------------------------------------------------------------------


def _join(text: bytes) -> None:
    """Joins the group that a descriptor leads to, with all that it starts from now on."""
    fd = _number(text)
    posix.write(fd, b"0")
    posix.close(fd)


def _run(*command: bytes) -> None:
    if _Course.line is not None:
        _begin(_Course.line)
    for number, disposition in _Course.dispositions.items():
        _signal.signal(number, disposition)
    environment = _Course.environment.split(b"\0")[:-1]
    # Not `posix.execve`: an environment may hold what no mapping does, such as a name twice.
    _call("execvpe", command[0], _texts(command), _texts(environment))


def _take_signals() -> None:
    """Undoes what Python has done to signals: at once, or for the command where it is of use."""
    _Course.dispositions = {
        _signal.SIGPIPE: _signal.SIG_DFL,
        _signal.SIGXFSZ: _signal.SIG_DFL,
        _signal.SIGCHLD: _signal.getsignal(_signal.SIGCHLD),
    }
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)  # ignored, it hides how children ended
    if _signal.getsignal(_signal.SIGINT) != _signal.SIG_IGN:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


# --- Orders ---------------------------------------------------------------------------------------

_ACTS: "dict[bytes, tuple[int, Callable[..., None]]]" = {  # how many arguments each has
    b"enter": (1, _enter),
    b"private": (0, _private),
    b"write": (2, _write),
    b"itself": (1, _itself),
    b"readonly": (1, _readonly),
    b"writable": (1, _writable),
    b"unlock": (1, _unlock),
    b"place": (2, _place),
    b"empty": (1, _empty),
    b"conceal": (2, _conceal),
    b"keep": (1, _keep),
    b"cover": (1, _cover),
    b"devices": (1, _devices),
    b"processes": (0, _processes),
    b"layer": (2, _layer),
    b"proc": (0, _proc),
    b"loopback": (0, _loopback),
    b"capabilities": (1, _keep_capabilities),
    b"keyring": (0, _keyring),
    b"no-new-privileges": (0, _no_new_privileges),
    b"scope": (0, _scope),
    b"ruleset": (2, _begin_ruleset),
    b"allow": (2, _allow),
    b"restrict": (0, _restrict),
    b"limit": (3, _limit),
    b"join": (1, _join),
    b"directory": (1, posix.chdir),
    b"run": (1, _run),  # at least: all that follow are its own
}


class _Orders:
    """The acts, performed one after the other, and the answer if one fails."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._act = self._argument = b""  # what is being done, and to what

    def obey(self, words: list[bytes]) -> None:
        """Performs the acts; after the last the command runs, and nothing of this does any more."""
        at = 0
        while at < len(words):
            self._act, self._argument = words[at], b""
            arity, perform = _named(words[at])
            end = len(words) if perform is _run else at + 1 + arity
            arguments = words[at + 1 : end]
            if arity:
                self._argument = b"".join(arguments[:1])
            if len(arguments) < arity:
                raise OSError(_EINVAL, "arguments are missing")
            perform(*arguments)
            at = end
        self._act = self._argument = b""
        raise OSError(_EINVAL, "nothing is to be run")

    def fail(self, number: int) -> NoReturn:
        """Tells what could not be done, and ends; of what has begun nothing stays behind."""
        line = b"%d %b %b" % (number, self._act, self._argument)
        try:
            _signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)  # whether or not anybody reads
            if _Course.line is not None:
                posix.write(_Course.line, b"%d" % (_FAILED << 8))
            posix.write(self._answers, line.replace(b"\n", b"?") + b"\n")
        finally:
            _leave(_FAILED)


def _named(name: bytes) -> "tuple[int, Callable[..., None]]":
    if name not in _ACTS:
        raise OSError(_EINVAL, "no such act")
    return _ACTS[name]


def _words(orders: int) -> list[bytes]:
    """The orders, wherever their file stands."""
    size = posix.fstat(orders).st_size
    text = posix.pread(orders, size, 0)
    if len(text) < size or not text.endswith(b"\0"):
        raise OSError(_EINVAL, "orders are cut off")
    return text.split(b"\0")[:-1]


def main() -> NoReturn:
    """Confines this process and becomes the command, or tells why that cannot be."""
    number, orders = _EINVAL, None
    try:
        given, answers = map(int, sys.argv[1:])
        posix.set_inheritable(given, False)  # noqa: FBT003 - it takes no keyword
        posix.set_inheritable(answers, False)  # noqa: FBT003 - likewise
        orders = _Orders(answers)
        _take_signals()
        # Who has changed its user before it started this must look at its own entries in /proc.
        _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)
        _Course.environment = _read(b"/proc/self/environ")
        orders.obey(_words(given))
    except OSError as error:
        number = error.errno or number
    finally:  # whatever it was, Python must not end in its own way: that would pass for the command
        if orders is None:
            _leave(_FAILED)
        orders.fail(number)
