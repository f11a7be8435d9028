"""Holds the compiled look at a directory to the one in Python, on directories of every kind.

python both_looks.py COMPILED SEED COUNT    in a process of its own, for sanitizers
"""

import ctypes
import errno
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

from ordinary import hand_over, ordinary_user
from trees import EDGES_NS

from cleveragents.snapshots.tree import looks, signature

NAMES = (
    *(b"a", b"b", b"A", b"a b", b"a\nb", b"\n", b"\xff", b"\xff\xfe\x80", b"\xc3", b"...", b".a"),
    *("é".encode(), "日本".encode(), b"-rf", b"'", b'"', b"$x", b"\x01", b"\x7f", b"aa", b"ab"),
    *(b"x" * 255, b"\xff" * 255, b"x" * 254),
)
SECONDS = (0, -1, 1_700_000_000, 1 << 31, 1 << 32, 9_300_000_000)  # the last: the year 2264
GONE = (b"gone", b"\xfegone", b"", b"a/b")  # names that nobody can find in the directory
MANY = 10_000


class Both:
    """Both looks, and what they have been shown."""

    def __init__(self, file):
        looks.COMPILED = Path(file)
        self.compiled, self.python = looks.best(), looks.PythonLook()
        assert isinstance(self.compiled, looks.CompiledLook), f"nothing to call in {file}"
        self.found = 0

    def assert_same(self, fd, known, rows):
        """Both find the same, or fail in the same way; a descriptor is left as it was found."""
        joined, packed = b"\0".join(known), b"".join(rows)
        told = [_told(look, fd, known, joined, packed) for look in (self.python, self.compiled)]
        assert told[0] == told[1], told
        self.found += len(told[0][0]) if isinstance(told[0], tuple) else 0
        return told[0]


def _told(look, fd, known, joined, packed):
    """What differs, in order, and what is new; or the number of the error."""
    try:
        found = look.differing(fd, joined, packed)
    except OSError as error:
        return error.errno
    finally:
        _assert_at_start(fd)
    old = [name for name in found if name in known]
    assert found[: len(old)] == old, "new names stand before known ones"
    return old, sorted(found[len(old) :])


def _assert_at_start(fd):
    """Who lists the directory next finds all of it."""
    itself = f"/proc/self/fd/{fd}"
    if os.path.isdir(itself) and os.access(itself, os.R_OK):
        assert looks.names_in(fd) == sorted(map(os.fsencode, os.listdir(itself)))


def make(top, name, chance):
    """Makes something of some kind with a name, at some time."""
    path = os.path.join(os.fsencode(top), name)
    chance.choice(KINDS)(path, chance)
    if chance.random() < 0.6:
        moment = chance.choice((*EDGES_NS, *(s * 10**9 + chance.randrange(10**9) for s in SECONDS)))
        with suppress(OverflowError, OSError):  # more than the file system or the library takes
            os.utime(path, ns=(0, moment), follow_symlinks=False)


def _file(path, chance):
    with open(path, "wb") as file:
        file.write(chance.randbytes(chance.randrange(40)))


def _hard_link(path, chance):
    top = os.path.dirname(path)
    files = sorted(entry.path for entry in os.scandir(top) if entry.is_file(follow_symlinks=False))
    os.link(chance.choice(files), path) if files else _file(path, chance)


def _fifo(path, _):
    os.mkfifo(path)


def _socket(path, chance):
    with socket.socket(socket.AF_UNIX) as made:
        try:
            made.bind(path)
        except OSError:  # a path that is too long for a socket
            _file(path, chance)


def _link(path, chance):
    os.symlink(chance.choice((b"a", b"nowhere", b"/")), path)


def _directory(path, _):
    os.mkdir(path)


KINDS = (_file, _file, _file, _hard_link, _fifo, _socket, _link, _directory)


def seen(fd, names):
    """The rows that a look expects if it is to find nothing."""
    return [
        signature.PACKED.pack(*signature.of(os.stat(name, dir_fd=fd, follow_symlinks=False)))
        for name in names
    ]


def _disturbed(row, chance):
    """A row that was seen when something was otherwise; mostly the row itself."""
    luck = chance.random()
    if luck < 0.15:
        return signature.PACKED.pack(*signature.UNTRUSTED)
    if luck < 0.3:
        number = int.from_bytes(row, "little") ^ 1 << chance.randrange(len(row) * 8)
        return number.to_bytes(len(row), "little")
    return row


@contextmanager
def opened(top):
    """A descriptor of a directory."""
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield fd
    finally:
        os.close(fd)


def random_trees(both, home, chance, count):
    """Random directories, of which something is known that is partly wrong."""
    for number in range(count):
        top = Path(home, str(number))
        top.mkdir()
        names = chance.sample(NAMES, chance.randrange(len(NAMES)))
        for name in names:
            make(top, name, chance)
        with opened(top) as fd:
            everything = sorted(names)
            assert both.assert_same(fd, everything, seen(fd, everything)) == ([], [])
            _look_at_some(both, fd, names, chance)
        shutil.rmtree(top)


def _look_at_some(both, fd, names, chance):
    known = dict(zip(names, seen(fd, names), strict=True))
    for name in chance.sample(names, len(names) // 3):
        del known[name]
    known = {name: _disturbed(row, chance) for name, row in known.items()}
    for name in chance.sample(GONE, chance.randrange(len(GONE) + 1)):
        known[name] = chance.randbytes(signature.PACKED.size)
    ordered = sorted(known)
    both.assert_same(fd, ordered, [known[name] for name in ordered])


def many_names(both, home):
    """A directory of very many names: known, new, and more than there is room to tell."""
    top = Path(home, "many")
    top.mkdir()
    for number in range(MANY):
        (top / f"{number} {'x' * 20}").touch()
    with opened(top) as fd:
        names = looks.names_in(fd)
        rows = seen(fd, names)
        assert both.assert_same(fd, names, rows) == ([], [])
        rows[0] = rows[4096] = rows[-1] = bytes(signature.PACKED.size)
        assert both.assert_same(fd, names, rows)[0] == [names[0], names[4096], names[-1]]
        assert both.assert_same(fd, names[:-5], rows[:-5])[1] == names[-5:]
        assert both.assert_same(fd, [], []) == ([], names)


def failures(both, home):
    """What cannot be looked at: both tell the same number."""
    top = Path(home, "closed")
    top.mkdir()
    (top / "a").touch()
    with opened(top) as fd:
        rows = seen(fd, [b"a"])
        assert both.assert_same(fd, [b"a", b"x" * 256], rows * 2) == errno.ENAMETOOLONG
        top.chmod(0o644)
        hand_over(top)
        with ordinary_user():
            assert both.assert_same(fd, [b"a"], rows) == errno.EACCES
        top.chmod(0o755)
        shutil.rmtree(top)
        assert both.assert_same(fd, [b"a"], rows) == ([b"a"], [])
    file = os.open(os.devnull, os.O_RDONLY)
    assert both.assert_same(file, [b"a"], rows) == errno.ENOTDIR
    assert both.assert_same(file, [], []) == errno.ENOTDIR
    os.close(file)
    assert both.assert_same(file, [b"a"], rows) == errno.EBADF


def lengths(file, home):
    """It goes by the lengths that it is told, whatever lies behind them."""
    call = getattr(ctypes.CDLL(str(file)), looks.AGREEMENT)
    call.restype, size = ctypes.c_long, ctypes.c_size_t
    call.argtypes = (
        ctypes.c_int,
        ctypes.c_char_p,
        size,
        ctypes.c_char_p,
        size,
        ctypes.c_char_p,
        size,
    )
    top = Path(home, "lengths")
    top.mkdir()
    for name in ("known", "new"):
        (top / name).touch()
    with opened(top) as fd:
        (row,) = seen(fd, [b"known"])
        needed = 1 + len(b"new\0")
        for room in range(needed):
            out = ctypes.create_string_buffer(room)
            assert call(fd, b"known\0", 6, row, 1, out, room) == -errno.ERANGE
        out = ctypes.create_string_buffer(needed)
        assert call(fd, b"known\0", 6, row, 1, out, needed) == needed
        assert out.raw == b"\0new\0", out.raw
        for names, count in ((b"k" * 100, 1), (b"known\0", 2), (b"known\0x\0", 1)):
            exact = ctypes.create_string_buffer(names, len(names))  # `bytes` have one byte more
            told = call(fd, exact, len(names), row * 2, count, out, needed)
            assert told == -errno.EINVAL, (names, told)
        assert call(fd, b"", 0, b"", 2**61, out, 2**62) < 0


def others_at_work(both, home, chance, rounds):
    """While others make, change and remove names, what nobody touches is judged as ever."""
    top = Path(home, "busy")
    top.mkdir()
    still = [f"still {number}".encode() for number in range(300)]
    for name in still:
        (top / os.fsdecode(name)).touch()
    over = threading.Event()
    worker = threading.Thread(target=_work, args=(top, over))
    worker.start()
    try:
        with opened(top) as fd:
            rows = dict(zip(still, seen(fd, still), strict=True))
            for _ in range(rounds):
                wrong = set(chance.sample(still, 3))
                fresh = set(chance.sample(still, 3))
                _look_at_busy(both, fd, rows, wrong, fresh)
    finally:
        over.set()
        worker.join()


def _look_at_busy(both, fd, rows, wrong, fresh):
    busy = {b"busy %d" % number: bytes(signature.PACKED.size) for number in range(20)}
    known = {name: row for name, row in rows.items() if name not in fresh} | busy
    known.update(dict.fromkeys(wrong - fresh, bytes(signature.PACKED.size)))
    names = sorted(known)
    found = both.compiled.differing(fd, b"\0".join(names), b"".join(known[n] for n in names))
    assert len(found) == len(set(found)), "a name was told twice"
    assert {name for name in found if name.startswith(b"still")} == wrong | fresh


def _work(top, over):
    number = 0
    while not over.is_set():
        number += 1
        path = top / f"busy {number % 40}"
        path.write_text(str(number))
        path.rename(top / f"busy {(number + 7) % 40}")
        (top / f"busy {(number + 20) % 40}").unlink(missing_ok=True)


def hold(file, seed, count):
    """Holds a compiled file to all of it; returns how many differences both have found."""
    both, chance = Both(file), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="looks ") as home:
        random_trees(both, home, chance, count)
        many_names(both, home)
        failures(both, home)
        lengths(file, home)
        others_at_work(both, home, chance, count)
    return both.found


def compiled(source, target, *flags):
    """Compiles the look with all warnings as errors; returns what the compiler says."""
    line = ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared", *flags]
    done = subprocess.run(
        [*line, "-o", target, source], capture_output=True, text=True, check=False
    )
    return done.stderr if done.returncode else ""


def hold_sanitized(file, seed, count):
    """The same in a process of its own, in which each access to memory is checked."""
    library = subprocess.run(
        ["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    environment = os.environ | {
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "halt_on_error=1",
        "PYTHONMALLOC": "malloc",
    }
    line = [sys.executable, __file__, str(file), str(seed), str(count)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.stdout.write(str(hold(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
