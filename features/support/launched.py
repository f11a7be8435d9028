"""Starts the launcher with orders, as root or as an ordinary user, and takes down how it ends."""

import atexit
import functools
import importlib.util
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import uuid
from contextlib import nullcontext
from pathlib import Path

from ordinary import NOBODY

ROOT = Path(__file__).parents[2]
ROOM = ROOT / "src/cleveragents/confinement"
SOURCE = ROOM / "confine.c"
WAYS = (("musl-gcc", "-static"), ("cc", "-static"), ("cc",))
COMPILE = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2")
TWIN = f"import sys; sys.path.insert(0, {str(ROOM)!r}); import confine; confine.main()"
NAMESPACES = {"mount": 1 << 17, "user": 1 << 28, "processes": 1 << 29, "network": 1 << 30}
RIGHTS = {
    "none": 0,
    "write": 1 << 1,
    "read": 1 << 2,
    "remove": 0b11 << 4,  # directories and others
    "make": 0b1111111 << 6,  # of every kind
    "refer": 1 << 13,
    "truncate": 1 << 14,
    "change": 1 << 1 | 0b111111111 << 4 | 1 << 13 | 1 << 14,  # all of these but to read
}
SCOPES = {"none": 0, "sockets": 1 << 0, "signals": 1 << 1}
# What has names, by the act and the place among its arguments; names are joined by `+`.
FLAGS = {
    ("enter", 1): NAMESPACES,
    ("ruleset", 1): RIGHTS,
    ("ruleset", 2): SCOPES,
    ("allow", 2): RIGHTS,
}
LONG = 60  # seconds, in which any command has ended on any machine

# What commands run in Python, with hardly anything imported: no shell connects or lists itself.
PROGRAMS = {
    "CONNECT": """
import errno, posix, sys, _socket
where = sys.argv[1]
if where.startswith("@"):
    where = "\\0" + where[1:]
else:  # addresses of sockets are short
    folder, where = where.rsplit("/", 1)
    posix.chdir(folder)
try:
    _socket.socket(_socket.AF_UNIX).connect(where)
    print("connected")
except OSError as error:
    print(errno.errorcode[error.errno])
""",
    "LISTEN": """
import sys, _socket
server = _socket.socket(_socket.AF_UNIX)
server.bind("\\0" + sys.argv[1])
server.listen()
print("listening", flush=True)
sys.stdin.read()
""",
    "LOOP": """
import errno, _socket
try:
    server = _socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    _socket.socket().connect(server.getsockname())
    print("connected")
except OSError as error:
    print(errno.errorcode[error.errno])
""",
    "DESCRIPTORS": """
import posix
def is_open(fd):
    try:
        return bool(posix.fstat(fd))
    except OSError:
        return False
print(*filter(is_open, sorted(map(int, posix.listdir("/proc/self/fd")))))
""",
    "BUSY": "import time\nwhile time.process_time() < 0.2: pass",
    "SESSION": """
import ctypes, os
keyctl, session = {"x86_64": 250}.get(os.uname().machine, 219), -3
print(ctypes.CDLL(None).syscall(keyctl, 0, session, 0))
""",
    "DEEDS": """
import errno, posix, sys
MODES = {"read": posix.O_RDONLY, "write": posix.O_WRONLY, "make": posix.O_CREAT | posix.O_EXCL}
for deed in sys.argv[1:]:
    act, *paths = deed.split()
    try:
        if act in MODES:
            posix.close(posix.open(*paths, MODES[act]))
        elif act == "truncate":
            posix.truncate(*paths, 0)
        else:
            getattr(posix, act)(*paths)
        print("works")
    except OSError as error:
        print(errno.errorcode[error.errno])
""",
}


def _used():
    """Seconds of the processor that processes of ours that have ended took."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


class Launcher:
    """A launcher, by whom it is started, and what became of it the last time."""

    def __init__(self, line, here, user, python):
        self.line, self.here = line, here
        self.user = user  # None: whoever runs the tests
        self.mark = f"mark-{uuid.uuid4().hex}"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HERE": str(here),
            "MARK": self.mark,
            "PYTHON": python,
            **PROGRAMS,
        }
        self.starting = nullcontext  # what is the case while it is started
        self.before = ()  # a command that becomes it
        self.handed = ()
        self.process = self.answers = self.code = None
        self.out = self.err = self.answer = b""

    def begin(self, text):
        """Orders something, and does not wait."""
        orders = os.memfd_create("orders")
        os.write(orders, b"".join(os.fsencode(word) + b"\0" for word in self._words(text)))
        self.answers, answers = os.pipe()
        try:
            line = (*self.line, str(orders), str(answers))
            self.process = self.started(line, (orders, answers))
        finally:
            os.close(orders)
            os.close(answers)

    def end(self):
        """Waits for the end."""
        self.out, self.err = self.process.communicate(timeout=LONG)
        self.code, self.answer = self.process.returncode, self.heard()
        os.close(self.answers)

    def run(self, text):
        """Orders something, and waits for the end."""
        before = _used()
        self.begin(text)
        self.end()
        self.used = _used() - before

    def started(self, line, descriptors=()):
        """Starts a command, with or without the launcher."""
        with self.starting():
            return subprocess.Popen(
                [*self.before, *line],
                bufsize=0,  # what follows the first line is still to be read
                cwd=self.here,
                env=self.environment,
                pass_fds=(*descriptors, *self.handed),
                start_new_session=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                user=self.user,
                group=self.user,
                extra_groups=None if self.user is None else [],
            )

    def heard(self):
        """All that it answers; that ends when it has become the command."""
        return b"".join(iter(lambda: os.read(self.answers, 1 << 16), b""))

    def processes(self):
        """The processes that were started with its environment, and live."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if os.fsencode(self.mark) in path.read_bytes():
                    found.append(int(path.parent.name))
            except OSError:  # of somebody else, or gone by now
                continue
        return found

    def told(self, text):
        """A text in which names stand for what differs from run to run."""
        for name in ("HERE", "HANDED", "DEVICES"):
            text = text.replace(f"${name}", self.environment.get(name, ""))
        return text

    def _words(self, text):
        """The words of the orders; acts may be parted by `;`, and have names for numbers."""
        words = shlex.split(text)
        command = words.index("run") if "run" in words else len(words)
        for at, word in enumerate(words[:command]):
            before = words[max(at - 2, 0) : at]
            words[at] = _number(before, self.told(word.rstrip(";")).replace(r"\n", "\n"))
        if words[command:] and words[command:] != ["run"]:
            words[command + 1] = self.told(words[command + 1])
        return words


def _number(before, word):
    """What a word stands for, by the two before it: no third argument has a name."""
    if before[-1:] == ["limit"]:
        return str(getattr(resource, f"RLIMIT_{word}", word))
    for place, act in enumerate(reversed(before), 1):
        flags = FLAGS.get((act, place), {})
        if set(word.split("+")) <= flags.keys():
            return str(sum(flags[name] for name in word.split("+")))
    return word


@functools.cache
def compiled():
    """The line that starts the launcher in C, compiled with all warnings as errors."""
    if shutil.which("cc") is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="launcher "))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    target = folder / "confine"
    for compiler, *flags in WAYS:
        if shutil.which(compiler) is None:
            continue
        line = [compiler, *COMPILE, *flags, "-o", target, SOURCE]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return (str(target),)
    raise AssertionError(done.stderr)


@functools.cache
def python_of(user):
    """A Python that a user may run, if there is one."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            done = subprocess.run(
                [python, "-ISc", "import sys, _ctypes; sys.exit(sys.version_info < (3, 11))"],
                cwd="/",
                capture_output=True,
                check=False,
                user=user,
                extra_groups=None if user is None else [],
            )
        except OSError:
            continue
        if done.returncode == 0:
            return python
    return None


def built(root):
    """Whether the build of the project in a checkout compiles the launcher."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    return hook.is_compiled(root, hook.LAUNCHER)


def user_of(name):
    """The user that a name stands for; None is whoever runs the tests."""
    return NOBODY if name == "an ordinary user" and os.geteuid() == 0 else None
