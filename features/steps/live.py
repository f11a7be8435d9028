"""Steps about captures of a directory that is the user's own, with others at work in it."""

import errno
import os
import random
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager, nullcontext

from behave import given, then, when
from forked import ended, start
from kept import WatchedStore
from ordinary import hand_over, ordinary_user
from tracking import EVENTS, need_watches
from walks import Walk

from cleveragents.errors import Damaged, Failed
from cleveragents.sandbox.git import merge_text
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree import content, giving_up, looks, scan
from cleveragents.snapshots.tree.diff import compare
from cleveragents.snapshots.tree.filter import NEVER, Filter
from cleveragents.snapshots.tree.live_scan import Bounds, TooMuchNew
from cleveragents.snapshots.tree.tracking import Tracking
from cleveragents.storage.lock import FileLock

FACTS = {"kind": "live"}


class Live:
    """A directory of the user's, with a store that lies elsewhere."""

    def __init__(self, home):
        self.root = home / "live"
        self.root.mkdir()
        self.data = home / "projects"
        self.data.mkdir()
        self.cache = self.data / "live.stat"
        self.told = []
        self.acting = nullcontext
        self.filter = Filter()
        self.bounds = Bounds()
        self.snapshots = []
        self.puts = []  # what the latest capture has stored, or would have
        self.on_put = self.puts.append
        self.on_read = None
        self.open(Tracking.SCAN)

    def open(self, tracking):
        """Opens the store as another process would."""
        store = WatchedStore(self.data / "store", self)
        self.archive = Archive(store, tracking, self.told.append)

    def close(self):
        """Follows it no longer."""
        self.archive.close()

    def capture(self, *, full=False):
        """Captures it; returns the snapshot."""
        self.puts.clear()
        with self.captured(full=full) as capture:
            identity = capture.commit(FACTS)
        self.snapshots.append(self.archive.load(identity))
        return self.snapshots[-1]

    @contextmanager
    def captured(self, *, full=False):
        """Captures it, and stores nothing."""
        with (
            self.acting(),
            self.archive.capture_live(
                self.root, self.filter, self.cache, full=full, bounds=self.bounds
            ) as capture,
        ):
            yield capture

    def now(self):
        """Looks at it, and stores nothing."""
        with self.acting():
            return self.archive.live_now(self.root, self.filter, self.cache, bounds=self.bounds)

    @property
    def latest(self):
        return self.snapshots[-1]

    def paths(self, snapshot=None):
        """The paths that a snapshot has."""
        return sorted(map(os.fsdecode, self.archive.lookup(snapshot or self.latest).paths()))

    def text(self, path, snapshot=None):
        """What a snapshot has in a file."""
        entry = self.archive.lookup(snapshot or self.latest).find(os.fsencode(path))
        return b"".join(content.stream(entry, self.archive.read)).decode()


def live(context):
    if "live" not in context:
        context.live = Live(context.world.home)
        context.add_cleanup(context.live.close)
    return context.live


@given("a live directory that is {how}")
def make_live(context, how):
    if how.startswith("watched"):
        need_watches(context)
    if how.endswith("with trust"):
        context.add_cleanup(setattr, scan, "RACY_NS", scan.RACY_NS)
        scan.RACY_NS = 0
    live(context).open(Tracking.WATCH if how.startswith("watched") else Tracking.SCAN)


@given('the shell has run "{command}" in the live directory')
@when('the shell runs "{command}" in the live directory')
def run_shell(context, command):
    subprocess.run(["bash", "-c", command], cwd=live(context).root, check=True, timeout=60)


@given("it is an ordinary user's")
def is_ordinary(context):
    context.world.home.chmod(0o755)
    hand_over(context.world.home)
    context.live.acting = ordinary_user


@given('"{patterns}" are left out of it')
@when('"{patterns}" are left out of it')
def leave_out(context, patterns):
    context.live.filter = Filter.of([one for one in patterns.split(", ") if one])


@given("one look at it may take in {files:d} new files of {much:d} bytes")
@when("one look at it may take in {files:d} new files of {much:d} bytes")
def bound(context, files, much):
    context.live.bounds = Bounds(new_files=files, new_bytes=much)


@given("a file in it may have {much:d} bytes")
def bound_file(context, much):
    context.live.bounds = Bounds(file_bytes=much)


@given("a socket and a device in it")
def make_specials(context):
    top = context.live.root
    with socket.socket(socket.AF_UNIX) as one:
        before = os.getcwd()
        os.chdir(top)
        try:
            one.bind("socket")
        finally:
            os.chdir(before)
    if os.geteuid() != 0:
        context.scenario.skip("only root makes devices")
        return
    os.mknod(top / "device", 0o20666, os.makedev(1, 3))


@given("the live directory has been captured")
@when("the live directory is captured")
def capture(context):
    live(context).capture()


@when("the live directory is captured with a look at everything")
def capture_fully(context):
    context.live.capture(full=True)


@when("another process goes on with it")
def go_on(context):
    with context.live.acting():
        context.live.archive.remember({MAIN: context.live.root})
        context.live.archive.close()
        context.live.open(Tracking.SCAN)


@when("the process that captured it ends")
def end_process(context):
    context.live.archive.close()
    context.live.open(Tracking.SCAN)


@when("the process that captured it is killed")
def kill_process(context):
    context.live.open(Tracking.SCAN)


@when("all that is kept of it is gone")
def remove_data(context):
    (context.live.root / "a").write_text("five")
    context.live.capture()
    shutil.rmtree(context.live.data)


@then("nobody minds that the process ends")
def check_end(context):
    context.live.archive.close()
    assert not context.live.data.exists()


@then('the last capture has stored {text} and neither "{one}" nor "{other}"')
def check_stored(context, text, one, other):
    puts = context.live.puts
    assert text == "nothing" or f"{text}\n".encode() in puts, puts
    for absent in (one, other):
        assert f"{absent}\n".encode() not in puts, absent


@then("the capture has")
def check_has(context):
    expected = sorted(row["path"] for row in context.table)
    assert context.live.paths() == expected, context.live.paths()


@then('the capture has "{text}" in "{path}"')
def check_text(context, text, path):
    assert context.live.text(path) == text.encode().decode("unicode_escape"), context.live.text(
        path
    )


@then("the capture leaves out")
def check_left_out(context):
    expected = sorted(f"{row['path']}: {row['why']}" for row in context.table)
    assert sorted(context.live.latest.not_captured) == expected, context.live.latest.not_captured
    for row in context.table:
        assert not context.live.latest.covers(os.fsencode(row["path"])), row["path"]


@then("the capture leaves nothing out")
def check_nothing_left_out(context):
    assert context.live.latest.not_captured == (), context.live.latest.not_captured


@then('it covers "{covered}" and not "{uncovered}"')
def check_covers(context, covered, uncovered):
    latest = context.live.latest
    for path in covered.split(", "):
        assert latest.covers(path.encode()), path
    for path in uncovered.split(", "):
        assert not latest.covers(path.encode()), path


@then("no mode of it was changed")
def check_modes(context):
    moments = {path.lstat().st_ctime_ns for path in context.live.root.rglob("*")}
    assert max(moments) <= context.before_ns, "something was changed by the capture"


@when("a moment passes")
def pass_moment(context):
    time.sleep(0.02)
    context.before_ns = time.time_ns()


@then("nothing lies beside the live directory but the store")
def check_beside(context):
    found = sorted(path.name for path in context.world.home.iterdir())
    assert "live" in found, found
    assert not [name for name in found if name.startswith("live") and name != "live"], found


# --- Others at work -------------------------------------------------------------------------------


@contextmanager
def writer(path, write):
    """Lets another process write to a file without pause, for as long as this one wants it to."""
    wait, let_go = os.pipe()
    os.set_blocking(wait, False)

    def work():
        os.close(let_go)
        until = time.monotonic() + 30
        with path.open("ab", buffering=0) as file:
            for number in range(1 << 40):
                write(file, number)
                if time.monotonic() > until or _is_closed(wait):
                    return

    pid = start(work)
    os.close(wait)
    try:
        _wait_for_growth(path)
        yield
    finally:
        os.close(let_go)
        ended(pid)


def _is_closed(wait):
    try:
        return os.read(wait, 1) == b""
    except BlockingIOError:
        return False


def _wait_for_growth(path):
    size = path.stat().st_size if path.exists() else 0
    until = time.monotonic() + 20
    while not path.exists() or path.stat().st_size == size:
        assert time.monotonic() < until, "nobody writes"
        time.sleep(0.001)


@when('the live directory is captured while a process writes to "{name}", which has {size:d} MiB')
def capture_growing(context, name, size):
    path = context.live.root / name
    with path.open("wb") as file:
        for _ in range(size):
            file.write(os.urandom(1 << 20))
    with writer(path, lambda file, _: file.write(b"x")):

        def on_put(data):
            context.live.puts.append(data)
            _wait_for_growth(path)

        context.live.on_put = on_put
        context.live.capture()
        context.live.on_put = context.live.puts.append


@then('little of "{name}" was stored')
def check_little(context, name):
    pieces = [data for data in context.live.puts if len(data) == content.CHUNK]
    assert len(pieces) <= 2, len(pieces)


@then('the capture holds "{name}" as it is')
def check_holds(context, name):
    entry = context.live.archive.lookup(context.live.latest).find(name.encode())
    stored = b"".join(content.stream(entry, context.live.archive.read))
    assert stored == (context.live.root / name).read_bytes()


@when('the live directory is captured {times:d} times while a process adds lines to "{name}"')
def capture_log(context, times, name):
    def write(file, number):
        file.write(b"line %d\n" % number)
        time.sleep(0.0005)

    with writer(context.live.root / name, write):
        for _ in range(times):
            context.live.capture()


@then('each of the captures has whole lines of "{name}", or lists it')
def check_lines(context, name):
    had = 0
    for snapshot in context.live.snapshots:
        if any(line.startswith(f"{name}: ") for line in snapshot.not_captured):
            assert context.live.paths(snapshot) == ["a"]
            continue
        had += 1
        lines = context.live.text(name, snapshot).splitlines(keepends=True)
        assert lines == [f"line {number}\n" for number in range(len(lines))]
    assert had, "none of them has it"


# --- In the middle of a look ----------------------------------------------------------------------


def _lay_out(top):
    shutil.rmtree(top, onerror=_open_and_again)
    for name in ("d", "e", "f/g"):
        (top / name).mkdir(parents=True)
        for number in range(3):
            (top / name / str(number)).write_text(f"{name} {number}")


def _open_and_again(function, path, _):
    os.chmod(os.path.dirname(path), 0o700)
    os.chmod(path, 0o700)
    shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def _to_file(path):
    shutil.rmtree(path)
    path.write_text("a file now")


def _to_directory(path):
    path.unlink()
    path.mkdir()


DEEDS = (
    ("d", shutil.rmtree),
    ("d", _to_file),
    ("e", lambda path: path.chmod(0o600)),
    ("e", lambda path: path.chmod(0)),
    ("f", lambda path: path.rename(path.with_name("h"))),
    ("d/1", lambda path: path.unlink()),
    ("e/1", _to_directory),
    ("f/g/0", lambda path: path.chmod(0)),
)
MOMENTS = 18  # how often one capture asks whether to go on


@when("at each moment of a capture, one after the other, something happens to what is captured")
def capture_disturbed(context):
    context.problems, context.listed = [], set()
    for name, deed in DEEDS:
        for moment in range(1, MOMENTS, 3):
            _disturb(context, name, deed, moment)


def _disturb(context, name, deed, moment):
    one = context.live
    with ordinary_user():
        _lay_out(one.root)
    asked = iter(range(1, 1000))

    def check():
        if next(asked) == moment:
            deed(one.root / name)

    before = {str(path.relative_to(one.root)) for path in one.root.rglob("*")}
    with giving_up.at_any_file(check), one.captured() as capture:
        seen = one.archive.seen(capture)
        found = {os.fsdecode(path) for path in seen.through.lookup(seen.snapshot).paths()}
    context.listed.update(line.partition(": ")[2] for line in capture.not_captured)
    there = {path for path in before if path != name and not path.startswith(f"{name}/")}
    there -= {"e", "f/g", "f"}  # what happens in them may have happened to them
    lost = [p for p in there - found if seen.snapshot.covers(p.encode())]
    if lost:
        context.problems.append(f"{name} at {moment}: {lost} not found")
    _find_all(context, f"after {name} at {moment}")


def _find_all(context, when_):
    """Holds a capture against one by a store that knows nothing and may borrow."""
    one = context.live
    snapshot = one.capture()
    with one.acting():
        other = Archive(Store(one.data / "other"), Tracking.SCAN)
        with other.capture({MAIN: one.root}, NEVER) as borrowing:
            borrowing.commit(FACTS)
    objects = _either(one.archive.read, other.read)
    for change in compare(snapshot.roots[MAIN], borrowing.roots[MAIN], objects):
        links = [entry and entry._replace(link=b"") for entry in (change.before, change.after)]
        if snapshot.covers(change.path) and links[0] != links[1]:
            context.problems.append(f"{when_}: {change}")


def _either(one, other):
    def read(identity):
        try:
            return one(identity)
        except Damaged:
            return other(identity)

    return read


@then("every capture stood, and the next one found all that was there")
def check_stood(context):
    assert not context.problems, "\n".join(context.problems[:5])


@then("what could not be read in the middle of it was listed")
def check_listed(context):
    expected = {"no permission to read it", "it cannot be read: Permission denied"}
    assert expected <= context.listed, context.listed


@when(
    "it is changed at random {times:d} times, closed here and there, and captured after every "
    "{changes:d}, walk {seed:d}"
)
def walk_live(context, times, changes, seed):
    one, chance = context.live, random.Random(seed)
    context.problems, closed = [], []
    with ordinary_user():
        _lay_out(one.root)
        walk = Walk(one.root, chance)
    for number in range(0, times, changes):
        with ordinary_user():
            for path, mode in reversed(closed):  # who walks there must be able to
                path.chmod(mode)
            for _ in range(changes):
                walk.change()
            closed = list(_closed(one.root, chance))
        _find_all(context, f"{number}: {walk.told[-changes:]}")


def _closed(top, chance):
    found = [path for path in sorted(top.rglob("*")) if not path.is_symlink()]
    for path in chance.sample(found, min(2, len(found))):
        if os.access(path.parent, os.X_OK, effective_ids=True):
            yield path, path.stat().st_mode & 0o7777
            path.chmod(chance.choice((0, 0o200, 0o600) if path.is_dir() else (0, 0o200)))


@then("every capture was what one that borrows finds, but for what it lists")
def check_walk(context):
    assert not context.problems, "\n".join(context.problems[:5])
    listed = [line for snapshot in context.live.snapshots for line in snapshot.not_captured]
    assert any("no permission" in line for line in listed), "nothing was closed"


# --- Hostile trees --------------------------------------------------------------------------------


@given("directories in it that are nested {depth:d} deep with a file in each")
def nest(context, depth):
    fd = os.open(context.live.root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=fd)
        inner = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
        os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=fd))
    os.close(fd)


@then("the capture leaves out only the directory at depth {depth:d}: {why}")
def check_deep(context, depth, why):
    path = "/".join(["d"] * (depth - 1))
    assert context.live.latest.not_captured == (f"{path}: {why}",), context.live.latest.not_captured
    assert not context.live.latest.covers(f"{path}/f".encode())


@then("the capture has the files of {count:d} directories")
def check_deep_files(context, count):
    files = [path for path in context.live.paths() if path.endswith("f")]
    assert len(files) == count - 1, len(files)


@when('a file system is mounted at "{path}" in the live directory, with a file in it')
def mount(context, path):
    place = context.live.root / path
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        context.scenario.skip(f"nothing can be mounted here: {done.stderr.strip()}")
        return
    context.mounted = place
    context.world.mounts.append(place)
    (place / "inside").write_text("inside")


@when("it is unmounted again")
def unmount(context):
    subprocess.run(["umount", context.mounted], check=True)
    context.world.mounts.remove(context.mounted)


@when("more files are made in it than the system can tell of")
def make_many(context):
    limit = int(EVENTS.read_text())
    if limit > 20_000:
        context.scenario.skip("the system can tell of more than a test should make")
        return
    context.many = limit // 2 + 100  # each is made, and then written to
    (context.live.root / "many").mkdir()
    context.live.capture()  # so that it is watched
    for number in range(context.many):
        (context.live.root / "many" / str(number)).write_text("x")


@then("all of them are in the capture")
def check_many(context):
    found = [path for path in context.live.paths() if path.startswith("many/")]
    assert len(found) == context.many, len(found)


@then('the next capture finds "{name}" without a look at everything')
def check_still_watched(context, name):
    everything, seen = scan.Scanner.everything, []
    scan.Scanner.everything = lambda self, root: (seen.append(root), everything(self, root))
    try:
        context.live.capture()
    finally:
        scan.Scanner.everything = everything
    assert name in context.live.paths()
    assert not seen, seen


# --- What is known --------------------------------------------------------------------------------


@then("only what changed was read")
def check_only_changed(context):
    assert b"one\n" not in context.live.puts, context.live.puts
    assert context.live.puts, "nothing was stored"


@then('"{name}" was not read for it')
def check_not_read(context, name):
    assert (context.live.root / name).read_bytes() not in context.live.puts
    assert b"four\n" in context.live.puts


@when("what is known of it is let go while somebody else keeps it")
def let_go_beside(context):
    context.live.archive.remember({MAIN: context.live.root})
    assert context.live.cache.exists()
    context.live.cache.unlink()
    with FileLock(context.live.cache.with_suffix(".lock"), doing="keeping what is known"):
        context.live.archive.release({MAIN: context.live.root})


@then("it was not kept again")
def check_not_kept(context):
    assert not context.live.cache.exists()


@then("to capture it takes in too much")
def check_too_much(context):
    try:
        context.live.capture()
    except TooMuchNew:
        return
    raise AssertionError(context.live.paths())


# --- Who goes by a snapshot -----------------------------------------------------------------------


def _merged(context, base, ours, theirs):
    result = context.live.archive.merge(base, ours, theirs, merge_text)
    assert not result.conflicts, result.conflicts
    return {change.path.decode() for change in result.changes}


@then('to go from the first capture to the latest changes "{path}" in the first and nothing else')
def check_merge_on(context, path):
    first, latest = context.live.snapshots[0], context.live.latest
    assert _merged(context, first, first, latest) == {path}


@then('to go back changes "{path}" in the latest and nothing else')
def check_merge_back(context, path):
    first, latest = context.live.snapshots[0], context.live.latest
    assert _merged(context, latest, latest, first) == {path}


@then('the latest says of "{path}" "{why}" and of "{other}" nothing')
def check_why(context, path, why, other):
    assert context.live.latest.why_unknown(path.encode()) == why
    assert context.live.latest.why_unknown(other.encode()) is None


@when("the live directory is looked at")
def look(context):
    context.live.puts.clear()
    context.look = context.live.now()


@then("the look is what a capture finds, and nothing of it is stored")
def check_look(context):
    assert not context.live.puts
    snapshot = context.live.capture()
    seen = context.look.snapshot
    assert seen.roots == snapshot.roots
    assert (seen.filter, seen.not_captured) == (snapshot.filter, snapshot.not_captured)
    assert seen.not_captured == ("b: no permission to read it",), seen.not_captured
    context.live.open(Tracking.SCAN)
    shutil.rmtree(context.live.data / "store")
    context.look = context.live.now()


@then('the look reads "{one}" in "{path}" and "{other}" in "{link}"')
def check_look_reads(context, one, path, other, link):
    lookup = context.look.through.lookup(context.look.snapshot)
    for name, expected in ((path, one), (link, other)):
        with ordinary_user():
            found = context.look.through.read(lookup.find(name.encode()).content)
        assert found.decode().strip() == expected, (name, found)


@then('to read "{path}" of the look fails, and its mode stays')
def check_look_closed(context, path):
    entry = context.look.through.lookup(context.look.snapshot).find(path.encode())
    try:
        with ordinary_user():
            context.look.through.read(entry.content)
    except (PermissionError, Failed):
        assert (context.live.root / path).stat().st_mode & 0o777 == 0
        return
    raise AssertionError("it was read")


@then("a capture fails if the store has no space")
def check_no_space(context):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    context.live.on_put = full
    try:
        context.live.capture()
    except OSError as error:
        assert error.errno == errno.ENOSPC, error
        return
    finally:
        context.live.on_put = context.live.puts.append
    raise AssertionError("it was captured")


class _FailingLook:
    """As where a directory that is known is one of a server that does not answer any more."""

    def differing(self, *_):
        raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))


@when("the live directory is captured where looks at whole directories fail")
def capture_failing_looks(context):
    best = looks.best
    looks.best = _FailingLook
    try:
        context.live.capture()
    finally:
        looks.best = best


@when('the path "{path}" is erased from all captures')
def erase(context, path):
    one = context.live
    one.archive.remember({MAIN: one.root})
    assert one.cache.exists()
    eraser = one.archive.eraser
    all_of_them = set(one.archive.made_for([None]))
    with one.archive.holding("forgetting"):
        paths = {identity: [path.encode()] for identity in all_of_them}
        renamed = eraser.write(paths, all_of_them, lambda snapshot: snapshot.about)
        eraser.begin(renamed)
    left = {renamed.get(identity, identity) for identity in all_of_them}
    eraser.finish(lambda: left, (), (), wait=True)
    one.snapshots = [one.archive.load(identity) for identity in left]


@then("nothing is known of the live directory any more")
def check_unknown(context):
    assert not context.live.cache.exists()


@then('the latest capture says of "{path}" "{why}"')
def check_why_forgotten(context, path, why):
    assert context.live.latest.why_unknown(path.encode()) == why
    assert not context.live.latest.covers(path.encode())


@then("a filter without each of {count:d} random paths leaves out these alone")
def check_single_paths(context, count):
    chance = random.Random(7)
    signs = [*b"ab/]*?[!-.\n\\", 0xFF, 0xC3]

    def path():
        found = bytes(chance.choice(signs) for _ in range(chance.randrange(1, 7)))
        return b"/".join(filter(None, found.split(b"/"))) or b"a"

    left_out = {path() for _ in range(count)}
    filter_ = Filter.of(["*.pyc", "[/a]b*"]).without(left_out)
    assert all(map(filter_.excludes, left_out))
    others = {path() for _ in range(count)} - left_out
    globbed = Filter.of(["*.pyc", "[/a]b*"])
    assert others
    for other in others:
        assert filter_.excludes(other) == globbed.excludes(other), other
