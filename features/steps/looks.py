"""Steps about what a look at a tree takes: what it compares, what it reads and what it holds."""

import os
import threading
from pathlib import Path

from behave import given, then, when
from both_looks import opened
from kept import kept
from oracle import picture

from cleveragents.errors import Failed
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.store.pack import RESIDENT_BYTES
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree import looks, signature, tracker
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import object_id
from cleveragents.snapshots.tree.tracking import Tracking

FIELDS = (
    "number of links",
    "inode",
    "size",
    "ctime in seconds",
    "ctime in nanoseconds",
    "mtime in seconds",
    "mtime in nanoseconds",
)
WIDE = ("inode", "size", "ctime in seconds", "mtime in seconds")  # of eight bytes, the others four
SLACK = 1 << 20  # what a map may hold besides: its index, and what the last read touched


@then('a look that expects another {field} of "{name}" finds that file and no other')
def check_field(context, field, name):
    for bit in (0, 7, 30, 31, 32, 62) if field in WIDE else (0, 7, 30):
        found = _look(context, {name: (FIELDS.index(field), 1 << bit)})
        assert found == [name], (bit, found)


@then("a look that expects what is there finds nothing")
def check_nothing(context):
    found = _look(context, {})
    assert not found, found


def _look(context, wrong):
    """Looks at all files; of those named it expects another number."""
    top = kept(context).tree
    names = sorted(path.name for path in top.iterdir())
    rows = {name: [*signature.of(os.lstat(top / name))] for name in names}
    for name, (field, bit) in wrong.items():
        rows[name][field] ^= bit
    packed = b"".join(signature.PACKED.pack(*row) for row in rows.values())
    joined = b"\0".join(map(os.fsencode, names))
    with opened(top) as fd:
        found = {tuple(look.differing(fd, joined, packed)) for look in _every_look()}
    assert len(found) == 1, found
    return [*map(os.fsdecode, found.pop())]


def _every_look():
    """The look in Python, and the compiled one if it is here."""
    return looks.PythonLook(), looks.best()


def look_by(context, file):
    """Lets directories be looked at by a compiled file, or by Python if it is none."""
    context.add_cleanup(setattr, looks, "COMPILED", looks.COMPILED)
    looks.COMPILED = file


@when('the tree is looked at, and then "{text}" is written to "{name}"')
def write_after_look(context, text, name):
    path = kept(context).tree / name
    context.identity = object_id(path.read_bytes())
    context.seen = context.kept.archive.see({MAIN: context.kept.tree}, Filter())
    path.write_text(text)


@then('to read what was seen of "{name}" fails: it changed while it was looked at')
def check_read_fails(context, name):
    try:
        found = context.seen.through.read(context.identity)
    except Failed as error:
        assert error.message == f"{name} changed while it was looked at", error.message
    else:
        raise AssertionError(f"read: {found}")


@given("a library that looks at one name at a time")
def have_no_statx(context):
    look_by(context, context.world.home / "none")
    context.add_cleanup(setattr, signature, "statx", signature.statx)
    signature.statx = None


@given("a tree of {directories:d} directories with {files:d} files each")
def make_many(context, directories, files):
    for number in range(directories):
        inner = kept(context).tree / f"d{number}"
        inner.mkdir()
        for index in range(files):
            (inner / str(index)).write_text(f"{number} {index}")


def _resident(below):
    """Bytes of the files below a folder that are mapped and in memory."""
    total, counts = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split(" ")[0]:
            counts = str(below) in line
        elif counts and line.startswith("Rss:"):
            total += int(line.split()[1]) * 1024
    return total


@given("the tree holds {megabytes:d} MB in files of every kind of content")
def make_contents(context, megabytes):
    for number in range(megabytes * 4):
        inner = kept(context).tree / str(number)
        inner.mkdir()
        (inner / "text").write_text(f"line {number}\n" * 8000)
        (inner / "noise").write_bytes(os.urandom(150_000))
        (inner / "empty").touch()


@then('another process captures the tree without reading "{path}"')
def check_not_read(context, path):
    context.kept.reopen(context.tracking)
    put = []
    context.kept.on_put = put.append
    context.kept.capture()
    context.kept.on_put = None
    assert put, "nothing was captured"
    assert context.random[path] not in put


@then("every snapshot but the first brings the tree back exactly")
def check_all_but_first(context):
    for identity in context.kept.snapshots[1:]:
        context.kept.restore(identity)
        context.kept.assert_as_captured(identity)


@when("a capture of the tree fails after {limit:d} objects")
def fail_capture(context, limit):
    left = iter(range(limit))

    def give_up(_):
        if next(left, None) is None:
            raise InterruptedError

    context.kept.on_put = give_up
    try:
        context.kept.capture()
        raise AssertionError("the capture did not fail")
    except InterruptedError:
        context.kept.on_put = None


@then("a look after a capture that failed at any of its objects finds the tree as it is")
def check_after_failures(context):
    kept_ = kept(context)
    with kept_.archive.capture_once(kept_.tree, lambda _: False) as cold:
        reference = cold.commit({})
    objects = len([*kept_.tree.rglob("*")])
    for limit in range(objects):
        kept_.open()
        fail_capture(context, limit)
        fail_capture(context, limit)
        archive = kept_.archive
        found = archive.changes_from_now(archive.load(reference), {MAIN: kept_.tree})
        assert not found[MAIN], (limit, found)


@then("no thread is left")
def check_threads(context):
    left = [thread.name for thread in threading.enumerate() if thread.name == "compressing"]
    assert not left, left


@then("an archive that opens the store anew reads every file back")
def check_read_back(context):
    archive = Archive(Store(context.kept.home / "store"))
    damaged = archive.damaged(archive.load(context.kept.latest))
    assert not damaged, damaged


@then("a capture of the tree never has more than {most:d} directories open")
def check_open(context, most):
    found, trees = [], []

    class Noted(tracker.Tree):
        def __init__(self):
            super().__init__()
            trees.append(self)

    def count(_):
        nodes = trees[-1].nodes()
        found.append(sum(node.opened is not None for node in nodes))

    context.add_cleanup(setattr, tracker, "Tree", tracker.Tree)
    tracker.Tree = Noted
    context.kept.on_put = count
    context.kept.capture()
    context.kept.on_put = None
    assert 0 < max(found) <= most, max(found)


@then("what was seen by watching is read once by a capture at a phase border")
def check_read_once(context):
    context.kept.open(Tracking.AUTO)
    archive = context.kept.archive
    with archive.capture({MAIN: context.kept.tree}, Filter()):
        pass  # seen and not stored
    put = []
    context.kept.on_put = put.append
    with archive.capture({MAIN: context.kept.tree}, Filter(), full=True) as capture:
        capture.commit({})
    context.kept.on_put = None
    wanted = sorted(p.read_bytes() for p in context.kept.tree.rglob("*") if p.is_file())
    assert sorted(data for data in put if data in wanted) == wanted


@when('"{first}" changes, and once more when a full capture reads "{other}", which changed as well')
def change_while_read(context, first, other):
    kept = context.kept
    context.versions = {first: [b"first", b"again"], other: [b"other"]}
    context.put = []
    for path, versions in context.versions.items():
        (kept.tree / path).write_bytes(versions[0])

    def put(data):
        context.put.append(data)
        if data == b"other":
            (kept.tree / first).write_bytes(b"again")

    kept.on_put = put
    with kept.archive.capture({MAIN: kept.tree}, Filter(), full=True) as capture:
        kept.snapshots.append(capture.commit({}))
    kept.on_put = None
    kept.pictures[kept.latest] = picture(kept.tree)


@then('of "{first}" both versions were read, of "{other}" one, each once')
def check_versions(context, first, other):
    wanted = [*context.versions[first], *context.versions[other]]
    assert sorted(data for data in context.put if data in wanted) == sorted(wanted), context.put


@then("of {count:d} objects of {size:d} random bytes that are all {used} little stays in memory")
def check_memory(context, count, size, used):
    store = Store(context.world.home / "large")
    with store.writing(doing="filling it"):
        pack = store.new_pack()
        identities = [pack.put(os.urandom(size)) for _ in range(count)]
        pack.seal(identities[0])
    use = {"looked for": store.bases, "read": store.read}[used]
    for identity in identities:
        use(identity)
    held = _resident(context.world.home / "large")
    assert held <= RESIDENT_BYTES + SLACK, held
