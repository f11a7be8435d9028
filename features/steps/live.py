"""Steps about captures of a directory that is the user's own, with others at work in it."""

import os
import socket
import subprocess
import time
from contextlib import nullcontext

from behave import given, then, when
from ordinary import hand_over, ordinary_user
from tracking import _need_watches

from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree import content
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.live_scan import Bounds
from cleveragents.snapshots.tree.tracking import Tracking

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
        self.open(Tracking.SCAN)

    def open(self, tracking):
        """Opens the store as another process would."""
        self.archive = Archive(Store(self.data / "store"), tracking, self.told.append)

    def close(self):
        """Follows it no longer."""
        self.archive.close()

    def capture(self, *, full=False):
        """Captures it; returns the snapshot."""
        with (
            self.acting(),
            self.archive.capture_live(
                self.root, self.filter, self.cache, full=full, bounds=self.bounds
            ) as capture,
        ):
            identity = capture.commit(FACTS)
        self.snapshots.append(self.archive.load(identity))
        return self.snapshots[-1]

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
    if how == "watched":
        _need_watches(context)
    live(context).open(Tracking.WATCH if how == "watched" else Tracking.SCAN)


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


@when("what is known of it is let go")
def let_go(context):
    context.live.archive.release({MAIN: context.live.root})


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
