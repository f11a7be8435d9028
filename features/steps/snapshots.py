"""Steps about a tree and the snapshots of it."""

import contextlib
import errno
import json
import os
import shutil
import signal
import tempfile
from dataclasses import replace
from hashlib import sha256
from itertools import cycle
from pathlib import Path

from behave import given, then, when
from forked import die, forked
from kept import kept
from oracle import assert_same, differences, picture
from wrecks import WRECKS

from cleveragents.errors import CleverAgentsError, Damaged
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.tree import manifest, record, scan
from cleveragents.snapshots.tree.tracking import Tracking

EXPECTED = (CleverAgentsError, OSError)


def patterns(context):
    """What the scenario excludes."""
    return context.patterns if "patterns" in context else ()


# --- what is done --------------------------------------------------------------------------------


@given('"{pattern}" is excluded')
def exclude(context, pattern):
    context.patterns = (*patterns(context), pattern)


@when("nothing is excluded any more")
def exclude_nothing(context):
    context.patterns = ()


@given("files are trusted as soon as they are captured")
def trust_files(context):
    context.add_cleanup(setattr, scan, "RACY_NS", scan.RACY_NS)
    scan.RACY_NS = 0


@given("the tree has been captured")
@when("the tree is captured")
def capture(context):
    context.capture = kept(context).capture(*patterns(context))


@when("a capture of the tree is tried")
def try_capture(context):
    context.error = None
    try:
        capture(context)
    except EXPECTED as error:
        context.error = error


@when("another process goes on with what is known of the tree")
def go_on(context):
    context.kept.reopen()


@when("the tree is restored")
def restore(context):
    context.stamps = _stamps(context.kept.tree)
    context.restored = context.kept.restore()


@when("a restore of the tree is tried")
def try_restore(context):
    context.before = picture(context.kept.tree)
    context.error = None
    try:
        context.restored = context.kept.restore()
    except EXPECTED as error:
        context.error = error


@when("the snapshot is restored to a folder whose file system ends in the year 2446")
def restore_elsewhere(context):
    places = (context.world.home, "/var/tmp", "/tmp")  # the first may lie in memory
    room = next(filter(None, (_ending_room(context, place) for place in places)), None)
    if room is None:
        context.scenario.skip("the file systems of temporary folders hold every time")
        return
    context.probe, context.elsewhere = room / "probe", room / "elsewhere"
    context.elsewhere.mkdir()
    snapshot = context.kept.archive.load(context.kept.latest)
    context.kept.archive.restore(snapshot, {MAIN: context.elsewhere}, room / "beside")


def _ending_room(context, place):
    """Makes a folder there, if the file system knows no later time than some."""
    room = Path(tempfile.mkdtemp(prefix="times ", dir=place))
    context.add_cleanup(shutil.rmtree, room, ignore_errors=True)
    (room / "probe").touch()
    os.utime(room / "probe", ns=(1 << 64, 1 << 64))
    return None if (room / "probe").stat().st_mtime_ns == 1 << 64 else room


@then("that folder has the files of the tree, each at the nearest time there is")
def check_elsewhere(context):
    expected, context.rounded, probe = {}, [], context.probe
    for path, seen in context.kept.pictures[context.kept.latest].items():
        if seen.mtime is not None:
            os.utime(probe, ns=(seen.mtime, seen.mtime))
            context.rounded += [path] if probe.stat().st_mtime_ns != seen.mtime else []
            seen = replace(seen, mtime=probe.stat().st_mtime_ns)  # noqa: PLW2901
        expected[path] = seen
    assert_same(expected, picture(context.elsewhere))


@then("it is told of each file whose time is not its own")
def check_rounded(context):
    assert context.rounded
    told = [line for line in context.kept.told if "cannot hold the file's time" in line]
    assert [line.split(":")[0] for line in told] == [*map(os.fsdecode, sorted(context.rounded))]


@when("snapshot {number:d} is restored")
def restore_one(context, number):
    context.kept.restore(context.kept.snapshots[number - 1])


@when('the tree is captured while its "{path}" changes {times:d} time(s)')
def capture_moving(context, path, times):
    file = kept(context).tree / path
    changes = iter(range(times))
    context.kept.on_put = lambda data: _write_over(file, data, changes)
    try_capture(context)
    context.kept.on_put = None


def _write_over(file, data, changes):
    """Changes the file right after its bytes were read."""
    if data == file.read_bytes():
        with contextlib.suppress(StopIteration):
            file.write_text(f"change {next(changes)}\n")


@when('the restore of the tree meets an error after it has placed "{path}"')
def restore_with_error(context, path):
    file = context.kept.tree / path
    replaced = file.lstat().st_ino

    def fail(_):
        if context.kept.is_placing and file.lstat().st_ino != replaced:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    context.kept.on_read = fail
    try_restore(context)
    context.kept.on_read = None
    assert isinstance(context.error, OSError), context.error


@when("a process that restores the tree is killed at placement {number:d}")
def restore_and_die(context, number):
    placed = iter(range(number))

    def count(_):
        if context.kept.is_placing and next(placed, None) is None:
            die()

    def work():
        context.kept.open()
        context.kept.on_read = count
        context.kept.restore()

    assert forked(work) == -signal.SIGKILL


@when('a step puts a link to "{target}" in the place of the tree\'s "{path}" {moment}')
def plant_link(context, target, path, moment):
    """Tries a restore that meets a directory swapped for a link after the scan saw it."""
    tree = context.kept.tree
    placing = {"before anything is removed": False, "while files are placed": True}[moment]

    def plant(_):
        if context.kept.is_placing is placing and not (tree / path).is_symlink():
            (tree / path).rename(tree / "moved away")
            (tree / path).symlink_to(tree / target)

    context.beside = picture(tree / target)
    snapshot = context.kept.archive.load(context.kept.latest)
    context.kept.on_read = plant
    context.error = None
    try:
        context.kept.archive.restore(snapshot, {MAIN: tree}, context.kept.staging)
    except EXPECTED as error:
        context.error = error
    context.kept.on_read = None
    assert (tree / path).is_symlink(), "the link was never planted"


@when('a process with {size:d} MiB to spare captures the tree, changes "{path}" and restores it')
def keep_in_little_memory(context, size, path):
    file = context.kept.tree / path
    context.digest = _digest(file)

    def work():
        _limit_memory(size << 20)
        context.kept.open()
        context.kept.capture()
        file.write_bytes(b"changed")
        context.kept.restore()

    assert forked(work) == 0


def _limit_memory(spare):
    import resource  # noqa: PLC0415 - this process is about to end

    with open("/proc/self/status") as status:
        used = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, (used + spare, used + spare))


# --- what came of it -----------------------------------------------------------------------------


@then("the tree comes back exactly, however it is wrecked")
def check_all_wrecks(context):
    check_all_wrecks_but(context, None)


@then('the tree comes back exactly but for "{path}", however it is wrecked')
def check_all_wrecks_but(context, path):
    left_out = [] if path is None else [os.fsencode(path)]
    tree = context.kept.tree
    captured = context.kept.pictures[context.kept.latest]
    expected = {where: seen for where, seen in captured.items() if where not in left_out}
    problems = []
    for way, tracking in zip(WRECKS, cycle(Tracking), strict=False):
        context.kept.reopen(tracking)
        context.kept.wreck(way)
        context.kept.restore()
        found = differences(expected, picture(tree, without=left_out))
        problems += [f"{way}: {line}" for line in found]
    assert not problems, "\n".join(problems)


@then("the tree is exactly as it was captured")
def check_restored(context):
    context.kept.assert_as_captured()


@then("the tree is as it was before the restore")
def check_unchanged(context):
    assert_same(context.before, picture(context.kept.tree))


@then("every snapshot brings the tree back exactly")
def check_all_snapshots(context):
    ids = context.kept.snapshots
    assert len({str(context.kept.pictures[identity]) for identity in ids}) == len(ids)
    for identity in (*ids, *reversed(ids)):
        context.kept.restore(identity)
        context.kept.assert_as_captured(identity)


@then("snapshot {number:d} brings the tree back exactly")
def check_snapshot(context, number):
    identity = context.kept.snapshots[number - 1]
    WRECKS["emptied"](context.kept.tree)
    context.kept.open()
    context.kept.restore(identity)
    context.kept.assert_as_captured(identity)


@then("the capture tells about {what}")
def check_told(context, what):
    told = context.capture.not_captured
    if what == "nothing":
        assert not told, told
    else:
        assert any(what.strip('"') in one for one in told), told


@then('the capture is refused, naming "{path}"')
@then('the restore is refused, naming "{path}"')
def check_refusal(context, path):
    error = context.error
    assert isinstance(error, CleverAgentsError), f"not a refusal: {error!r}"
    assert path in error.message or any(path in line for line in error.detail), (
        f"{error.message!r} {error.detail}"
    )


@then("the restore failed")
def check_failed(context):
    assert context.error is not None


@then('nothing in "{target}" has changed')
def check_target(context, target):
    assert_same(context.beside, picture(context.kept.tree / target))


@then("{what} was written in the tree")
def check_written(context, what):
    """The directories that a path lies in change with it."""
    now = _stamps(context.kept.tree)
    if what == "nothing":
        assert now == context.stamps
        return
    path = what.removeprefix("nothing but ").strip('"')
    parents = {str(parent) for parent in Path(path).parents}
    moved = {
        name
        for name, stamp in context.stamps.items()
        if name in now and now[name] != stamp and name not in parents
    }
    assert moved == {path}, moved


def _stamps(top):
    """What shows that a path was written or replaced: its inode and its times."""
    found = {}
    for path in (top, *top.rglob("*")):
        seen = path.lstat()
        found[str(path.relative_to(top))] = (seen.st_ino, seen.st_mtime_ns, seen.st_ctime_ns)
    return found


@then('the snapshot holds "{path}" as it was after its last change')
def check_held(context, path):
    assert context.error is None, context.error
    file = context.kept.tree / path
    last, found = file.read_bytes(), file.stat()
    assert last == b"change 0\n"
    file.unlink()
    context.kept.restore()
    assert file.read_bytes() == last
    assert file.stat().st_mtime_ns == found.st_mtime_ns


@then("the restore tells of {what}")
def check_changes(context, what):
    told = [os.fsdecode(change.path) for change in context.restored.changes[MAIN]]
    paths = [] if what == "no change" else what.removeprefix("the changes ").strip('"').split(", ")
    assert told == paths, told
    assert context.restored.changes.keys() == {MAIN}, context.restored.changes


@then('the restore kept "{paths}"')
def check_kept(context, paths):
    assert sorted(context.restored.kept) == paths.split(", "), context.restored.kept


@then('the tree\'s "{path}" is as it was')
def check_digest(context, path):
    assert _digest(context.kept.tree / path) == context.digest


def _digest(file):
    with file.open("rb") as opened:
        digest = sha256()
        while data := opened.read(1 << 20):
            digest.update(data)
    return digest.hexdigest()


@then('to read {what} is refused as damaged, saying "{text}"')
def check_unreadable(context, what, text):
    read, data = {
        "a record of a later format": (record.from_bytes, json.dumps({"format": 2}).encode()),
        "a directory of a later format": (manifest.decode, b"cad2" + bytes(8)),
    }[what]
    try:
        found = read(data)
    except Damaged as error:
        assert text in error.message, error.message
    else:
        raise AssertionError(found)


@then("a directory object of entries as there always were has the id that it always had")
def check_object_id(context):
    """Its times are the first and the last that a row holds, so none is a new kind of entry."""
    entries = {
        b"a": manifest.Entry(0o100644, 3, (1 << 63) - 1, bytes(32)),
        b"b": manifest.Entry(0o100755, 1, -(1 << 63), b"i" * 32, b"b", ((b"user.x", b"v"),)),
    }
    found = manifest.object_id(manifest.encode(entries)).hex()
    assert found == "bef6ff3b2cf274b40670fb89fd34c3cd50f3ca409093c88aca2c980f1203a4b5", found
