"""Steps about how much of a directory chats cover."""

import os
import subprocess
from contextlib import nullcontext

from behave import given, then, when
from kept import WatchedStore
from ordinary import hand_over, ordinary_user

from cleveragents.engine.chat.coverage import Coverage, CoveragePolicy, KeptCoverage
from cleveragents.engine.chat.place import LivePlace
from cleveragents.records import replace
from cleveragents.sandbox.project import Project
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.tree.tracking import Tracking

GENEROUS = CoveragePolicy((), (), 1000, 100_000, 100_000, 100_000, 1 << 40)
IGNORED = "git ignores it, and it is large"


class Covered:
    """A directory of the user's with a data directory elsewhere."""

    def __init__(self, home):
        self.root = home / "outer" / "covered"
        self.root.mkdir(parents=True)
        self.data = home / "kept"
        self.data.mkdir()
        self.policy = GENEROUS
        self.room = 1 << 40
        self.acting = nullcontext
        self.puts = []
        self.on_put = self.puts.append
        self.on_read = None
        self.archive = Archive(WatchedStore(self.data / "store", self), Tracking.SCAN)

    @property
    def coverage(self):
        with self.acting():
            return Coverage.of(self.root, self.policy, self.room)

    @property
    def kept(self):
        return KeptCoverage(self.root, self.data / "live.coverage", self.policy)

    @property
    def place(self):
        project = Project(self.root)
        return LivePlace(project, "id", self.archive, self.policy, self.data / "live.stat")


@given("a directory for chats with")
def make(context):
    context.covered = Covered(context.world.home)
    for row in context.table:
        path = context.covered.root / row["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * int(row["bytes"]))


def _repository(top, ignored):
    subprocess.run(["git", "init", "-q", top], check=True)
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "exclude").write_text("\n".join(ignored.split()))


@given('the directory is a repository that ignores "{ignored}"')
def is_repository(context, ignored):
    _repository(context.covered.root, ignored)


@given('the directory lies in a repository that ignores "{ignored}"')
def in_repository(context, ignored):
    _repository(context.covered.root.parent, ignored)


@given('"{name}" is a repository that ignores "{ignored}"')
def has_repository(context, name, ignored):
    _repository(context.covered.root / name, ignored)


@given('"{name}" is a repository that is broken')
def has_broken(context, name):
    (context.covered.root / name / ".git").write_text("gitdir: /nowhere\n")


@given("the directory has a link")
def has_link(context):
    (context.covered.root / "link").symlink_to("a")


@given("{name:w} is {most:d}")
@when("{name:w} is {most:d}")
def limit(context, name, most):
    if name == "room":
        context.covered.room = most
    else:
        context.covered.policy = replace(context.covered.policy, **{name: most})


@when('exclude is "{globs}"')
def exclude(context, globs):
    context.covered.policy = replace(context.covered.policy, exclude=tuple(globs.split(", ")))


@given("the directory has nothing but {count:d} files of {much:d} bytes and an empty directory")
def make_flat(context, count, much):
    context.covered = Covered(context.world.home / "flat")
    for number in range(count):
        (context.covered.root / str(number)).write_bytes(b"x" * much)
    (context.covered.root / "empty").mkdir()


@given('another file system is mounted at "{path}" of it')
def mount(context, path):
    place = context.covered.root / path
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        context.scenario.skip(f"nothing can be mounted here: {done.stderr.strip()}")
        return
    context.world.mounts.append(place)
    (place / "inside").write_text("inside")


@given(
    '"{closed}" of it is closed to an ordinary user, and "{listed}" can be listed and not entered'
)
def close(context, closed, listed):
    context.world.home.chmod(0o755)
    hand_over(context.covered.root)
    (context.covered.root / closed).chmod(0)
    (context.covered.root / listed).chmod(0o600)
    context.covered.acting = ordinary_user


def _told(found):
    return [(one.path, one.files, one.bytes, one.why) for one in found.left_out]


@then("chats cover {files:d} files of {much:d} bytes and leave out")
def check_table(context, files, much):
    found = context.covered.coverage
    expected = [(row[0], int(row[1]), int(row[2]), row[3]) for row in context.table]
    assert _told(found) == expected, _told(found)
    assert (found.files, found.bytes) == (files, much), (found.files, found.bytes)


def _check_out(context, files, much, paths):
    found = context.covered.coverage
    names = [one.path for one in found.left_out]
    assert names == paths.split(", "), _told(found)
    assert (found.files, found.bytes) == (files, much), (found.files, found.bytes)
    assert sum(one.files for one in found.left_out) + files == 11, _told(found)
    assert sum(one.bytes for one in found.left_out) + much == 150, _told(found)
    for name in names:
        assert not found.filter.covers(os.fsencode(f"{name}/in")), name
        assert found.filter.covers(os.fsencode(f"other/{name}")), name
    return found


@then(
    "chats cover {files:d} files of {much:d} bytes and leave out the directories "
    '"{paths}" that git ignores'
)
def check_ignored(context, files, much, paths):
    found = _check_out(context, files, much, paths)
    assert {one.why for one in found.left_out} == {IGNORED}, _told(found)


@then('chats cover {files:d} files of {much:d} bytes and leave out the largest: "{paths}"')
def check_largest(context, files, much, paths):
    found = _check_out(context, files, much, paths)
    expected = "half of what is free" if context.covered.room < 1 << 40 else "chats cover "
    assert all(one.why.startswith(f"the largest: {expected}") for one in found.left_out), found


@then("a look may take in {files:d} new files, none larger than {much:d} bytes")
def check_bounds(context, files, much):
    bounds = context.covered.policy.bounds
    assert (bounds.new_files, bounds.file_bytes) == (files, much)


@then('a capture of it lists "{line}"')
def check_capture(context, line):
    with context.covered.place.capture() as capture:
        assert capture.not_captured == (line,), capture.not_captured


@when('it is decided, and files come to "{name}"')
def decide(context, name):
    context.decided = context.covered.kept.now(context.covered.room)
    for number in range(20):
        (context.covered.root / name / f"new{number}").write_text("x")


@then("the same is known again")
def check_known(context):
    assert context.covered.kept.known() == context.decided
    assert context.covered.kept.now(context.covered.room) == context.decided
    assert context.covered.coverage != context.decided


@then("it is not known any more when max_files is {most:d}")
def check_other_policy(context, most):
    other = replace(context.covered.policy, max_files=most)
    path = context.covered.data / "live.coverage"
    assert KeptCoverage(context.covered.root, path, other).known() is None


@then("it is not known any more when its record is damaged")
def check_damaged(context):
    path = context.covered.data / "live.coverage"
    for content in (b"", b"[]", b"{}", path.read_bytes()[:-9], b"\xff"):
        path.write_bytes(content)
        assert context.covered.kept.known() is None, content


@given("a chat has captured it")
@when("the chat captures it")
def capture(context):
    context.covered.puts.clear()
    with context.covered.place.capture() as capture:
        context.snapshot = context.covered.archive.load(capture.commit({}))


@when('{count:d} files come to "{name}" of it')
def install(context, count, name):
    (context.covered.root / name).mkdir()
    for number in range(count):
        (context.covered.root / name / str(number)).write_text(f"{name} {number}")


def _paths(context):
    return sorted(context.covered.archive.lookup(context.snapshot).paths())


@then("a preview looks at it without them, and keeps nothing")
def check_preview(context):
    record = context.covered.data / "live.coverage"
    before = record.read_bytes()
    context.covered.puts.clear()
    seen = context.covered.place.look()
    assert sorted(seen.through.lookup(seen.snapshot).paths()) == _paths(context)
    assert record.read_bytes() == before
    assert not context.covered.puts
    assert context.covered.place.foreseen() == context.covered.place.covered()


@then('the capture leaves "{name}" out, and has read none of it')
def check_left_out(context, name):
    assert not [path for path in _paths(context) if path.startswith(name.encode())]
    assert not context.snapshot.covers(f"{name}/1".encode())


@then('it is kept that git ignores "{name}"')
def check_kept(context, name):
    assert [one.path for one in context.covered.kept.known().left_out] == [name]
    assert context.covered.kept.known().left_out[0].why == IGNORED


@then('the capture has the {count:d} files of "{name}"')
def check_made(context, count, name):
    found = [path for path in _paths(context) if path.startswith(f"{name}/".encode())]
    assert len(found) == count, found


@then('the check leaves out "{path}" with {files:d} file of {much:d} bytes')
def check_check(context, path, files, much):
    (found,) = context.world.done.data["left_out"]
    assert (found["path"], found["files"], found["bytes"]) == (path, files, much), found
