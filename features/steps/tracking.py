"""Steps about how changes to a tree are found."""

import mmap
import os
import random
import shlex
import shutil
import subprocess
from pathlib import Path

from behave import given, then, when
from kept import kept
from oracle import differences, picture
from walks import Walk
from world import Done

from cleveragents.errors import CleverAgentsError
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree import node, scan
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import decode
from cleveragents.snapshots.tree.tracking import Tracking
from cleveragents.snapshots.tree.watch import Watcher, WatchLost

EVENTS = Path("/proc/sys/fs/inotify/max_queued_events")


@given("a tree to walk in")
def make_tree(context):
    top = kept(context).tree
    for path in ("a", "b", "d/c", "d/e/f", "g/h"):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(f"{path}\n")
    os.link(top / "a", top / "d" / "linked")
    (top / "link").symlink_to("d")


@given("changes are found by {how}")
def choose_tracking(context, how):
    context.between = ", each time in another process" in how
    context.tracking = Tracking.WATCH if how.startswith("watching") else Tracking.SCAN
    if context.tracking is Tracking.WATCH:
        need_watches(context)
    if "with trust" in how:
        context.add_cleanup(setattr, scan, "RACY_NS", scan.RACY_NS)
        scan.RACY_NS = 0
    kept(context).open(context.tracking)
    context.kept.between = (
        (lambda: context.kept.reopen(context.tracking)) if context.between else lambda: None
    )


def need_watches(context):
    try:
        Watcher().close()
    except WatchLost as problem:
        context.scenario.skip(f"nothing can be watched here: {problem}")


@when(
    "the tree is changed at random {times:d} times and captured after every {changes:d}, "
    "walk {seed:d}"
)
def walk(context, times, changes, seed):
    context.walk = Walk(context.kept.tree, random.Random(seed))
    context.problems = []
    for number in range(0, times, changes):
        for _ in range(changes):
            context.walk.change()
        context.kept.between()
        _capture_and_compare(context, number)
        if number % 12 == 0:
            _restore_aside(context)


def _capture_and_compare(context, number):
    done = ", ".join(context.walk.told[-6:])
    try:
        found = context.kept.capture().roots[MAIN]
    except CleverAgentsError as error:
        context.problems.append(f"{number}: {error!r} after {done}")
        return
    with context.kept.archive.capture_once(context.kept.tree, lambda _: False) as cold:
        if cold.roots[MAIN] != found:
            context.problems.append(f"{number}: not found: {done}")


def _restore_aside(context):
    """Restores the latest snapshot in another place and holds it against the tree."""
    aside = context.world.home / "restored"
    aside.mkdir()
    archive = context.kept.archive
    try:
        archive.restore(archive.load(context.kept.latest), {MAIN: aside}, context.kept.staging)
    except CleverAgentsError as error:
        context.problems.append(f"{error} {error.detail} after {context.walk.told[-6:]}")
    context.problems += differences(picture(context.kept.tree), picture(aside))
    shutil.rmtree(aside)


@then("every capture found what a look at everything finds")
def check_found(context):
    assert not context.problems, "\n".join(context.problems[:5])


@then("the snapshots that were restored were what the oracle had seen")
def check_restored(context):
    assert len(context.kept.snapshots) > 3
    identity = context.kept.snapshots[len(context.kept.snapshots) // 2]
    context.kept.restore(identity)
    context.kept.assert_as_captured(identity)


@when(
    'the tree\'s "{path}" is written {times:d} times through one descriptor and captured each time'
)
def write_through(context, path, times):
    with (context.kept.tree / path).open("r+b", buffering=0) as file:
        for number in range(times):
            file.seek(0)
            file.write(b"%d" % number)
            context.kept.capture()


@when('the tree\'s "{path}" is removed and made anew with the same inode')
def make_anew(context, path):
    directory = context.kept.tree / path
    before = directory.stat().st_ino
    for _ in range(20):
        shutil.rmtree(directory)
        directory.mkdir()
        if directory.stat().st_ino == before:
            return
    context.scenario.skip("this file system does not give an inode again so soon")


@then("a capture of the tree finds that without a look at everything")
def check_no_full_look(context):
    everything, looks = scan.Scanner.everything, []
    scan.Scanner.everything = lambda self, root: (looks.append(root), everything(self, root))
    try:
        context.kept.capture()
    finally:
        scan.Scanner.everything = everything
    assert not looks, looks


@when("more changes than the system can tell happen in the tree")
def overflow(context):
    limit = int(EVENTS.read_text())
    if limit > 100_000:
        context.scenario.skip("the system can tell more than a test should do")
        return
    fd = os.open(context.kept.tree / "d" / "x", os.O_WRONLY)
    other = os.open(context.kept.tree / "d", os.O_RDONLY)
    for number in range(limit):  # the same event twice in a row would be told once
        os.fchmod(fd, 0o600 + number % 2)
        os.fchmod(other, 0o700 + number % 2)
    os.close(fd)
    os.close(other)


@when("the record of the tree is {damage}")
def damage_record(context, damage):
    context.kept.reopen(context.tracking)
    record = context.kept.tree.with_name("tree.stat")
    data = record.read_bytes()
    middle = len(data) // 2
    record.write_bytes(
        {
            "cut short": data[:middle],
            "empty": b"",
            "flipped in one bit": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            "random bytes": os.urandom(len(data)),
            "that of another tree": _record_elsewhere(context),
        }[damage]
    )
    context.kept.open(context.tracking)


def _record_elsewhere(context):
    """What a process has recorded of a tree that has the same names and other content."""
    other = context.world.home / "elsewhere" / "tree"
    shutil.copytree(context.kept.tree, other)
    (other / "a").write_text("other\n")
    archive = context.kept.archive
    with archive.capture({MAIN: other}, Filter()) as capture:
        capture.commit({"kind": "other"})
    archive.remember({MAIN: other})
    return other.with_name("tree.stat").read_bytes()


@when("the tree is captured while a file of it is mapped and changed without an event")
def capture_mapped(context):
    kept = context.kept
    kept.store = Store(context.world.home / "mapped")
    kept.archive = Archive(kept.store, Tracking.AUTO, kept.told.append)
    path = kept.tree / "mapped"
    path.write_bytes(b"before")
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        with kept.archive.capture({MAIN: kept.tree}, Filter()) as capture:
            capture.commit({})
        mapped[:] = b"after!"
        mapped.flush()
        with kept.archive.capture({MAIN: kept.tree}, Filter(), full=True) as capture:
            context.full = capture.commit({})


@then("the full capture holds the change")
def check_full(context):
    archive = context.kept.archive
    found = archive.changes_from_now(archive.load(context.full), {MAIN: context.kept.tree})
    assert not found[MAIN], found
    top = archive.load(context.full).roots[MAIN].content
    entry = decode(context.kept.store.read(top))[b"mapped"]
    assert archive.read_file(entry) == b"after!"


@then('it was told "{text}"')
def check_told(context, text):
    assert any(text in line for line in context.kept.told), context.kept.told


@when('"agents {line}" runs where {limit} is {number:d}')
def run_limited(context, line, limit, number):
    """Runs the command in a user namespace of its own, where watches can be limited."""
    world = context.world
    command = " ".join(
        map(
            shlex.quote,
            world.command([str(context.action) if w == "ACTION" else w for w in line.split()]),
        )
    )
    script = f"echo {number} > /proc/sys/user/{limit} && exec {command}"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", script],
        cwd=world.project,
        env={**os.environ, **world.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in done.stderr or "/proc/sys/user" in done.stderr:
        context.scenario.skip(f"no user namespace here: {done.stderr.strip()}")
        return
    world.done = Done(done.returncode, done.stdout, done.stderr)


@given("a tree of {count:d} files in one directory")
def make_wide_tree(context, count):
    for index in range(count):
        (kept(context).tree / str(index)).write_text("one")


@when("all of them change and the tree is captured by {how}")
def capture_wide(context, how):
    context.kept.open(Tracking(how))
    context.kept.capture()
    for path in context.kept.tree.iterdir():
        path.write_text("two")
    replace, context.replaced = node.Node.replace, []

    def counted(self, *given):
        found = replace(self, *given)
        context.replaced += [] if found is None else [found]
        return found

    node.Node.replace = counted
    try:
        context.kept.capture()
    finally:
        node.Node.replace = replace


@then("no directory was written anew for single files")
def check_wide(context):
    assert not context.replaced, len(context.replaced)
