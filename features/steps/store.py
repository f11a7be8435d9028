"""Steps about the store: what it holds, what damages it, and what a sweep frees."""

import os
import struct
import time
from hashlib import sha256

from behave import given, then, when
from forked import beside, die, forked
from kept import Kept, begun_pack, kept

from cleveragents.errors import Damaged
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.store import store
from cleveragents.snapshots.store.pack import Pack, abandoned
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import decode

HEADER = 41  # bytes before the payload of an object: its id, codec and length
CHUNK = 4 << 20


# --- damage ------------------------------------------------------------------------------------


@when('the store suffers a flipped bit in the object of "{path}"')
def flip_bit(context, path):
    pack, at = _found(context, context.random[path])
    _flip(context, pack, at)


@when('a bit of the object of "{path}" flips while the store is open')
def flip_unseen(context, path):
    pack, at = _found(context, context.random[path])
    with pack.open("r+b") as file:
        file.seek(at)
        file.write(bytes([context.random[path][0] ^ 1]))


@when('the store suffers a flipped bit in its first object of "{path}"')
def flip_first(context, path):
    data = context.random[path]
    holders = _holders(context, data)
    assert len(holders) == 2, "there is no second copy"
    _flip(context, holders[0], holders[0].read_bytes().index(data))


@when('the store suffers a flipped bit in the second chunk of "{path}"')
def flip_in_chunk(context, path):
    pack, at = _found(context, context.random[path][CHUNK : 2 * CHUNK])
    _flip(context, pack, at + 12345)


@when('the store suffers a broken header of the object of "{path}"')
def break_header(context, path):
    pack, at = _found(context, context.random[path])
    _flip(context, pack, at - HEADER)


@when('the store suffers an object of "{path}" that is all zeros')
def zero_object(context, path):
    data = context.random[path]
    pack, at = _found(context, data)
    _overwrite(context, pack, at, bytes(len(data)))


@when('the store suffers swapped objects of "{one}" and "{other}"')
def swap_objects(context, one, other):
    first, second = context.random[one], context.random[other]
    pack, at = _found(context, first)
    _, there = _found(context, second)
    _overwrite(context, pack, at, second)
    _overwrite(context, pack, there, first)


@when('the store suffers a flipped bit in the directory "{path}"')
@when('the store suffers a flipped bit in the list of the chunks of "{path}"')
def flip_object_of_entry(context, path):
    root = context.kept.archive.load(context.kept.snapshots[0]).roots[MAIN]
    entry = decode(context.kept.store.read(root.content))[os.fsencode(path)]
    _flip_object(context, entry.content)


@when("the store suffers a flipped bit in the record of snapshot {number:d}")
def flip_record(context, number):
    _flip_object(context, bytes.fromhex(context.kept.snapshots[number - 1]))


@when("another process renames the pack just after it was listed")
def rename_listed(context):
    pack = context.kept.packs[0]

    def late(path):
        store.Pack = Pack
        pack.rename(pack.with_name(f"0{pack.name}"))
        return Pack(path)

    context.add_cleanup(setattr, store, "Pack", Pack)
    store.Pack = late
    context.kept.open()


@then("a pack that is finished while somebody looks for unfinished ones is none of them")
def check_finished(context):
    assert not abandoned(context.kept.home / "writing-it")


@when('the store has a link "{name}" that leads nowhere')
def link_nowhere(context, name):
    context.kept.packs[0].with_name(name).symlink_to("nowhere")
    context.kept.open()


@when("the store suffers its oldest pack {how}")
def damage_pack(context, how):
    pack = context.kept.packs[0]
    size = pack.stat().st_size
    {
        "lost": pack.unlink,
        "cut in half": lambda: os.truncate(pack, size // 2),
        "cut to nothing": lambda: os.truncate(pack, 0),
        "flipped in a bit of its index": lambda: _flip(context, pack, size - 100),
    }[how]()
    context.kept.open()


def _found(context, data):
    for pack in context.kept.packs:
        at = pack.read_bytes().find(data)
        if at >= 0:
            return pack, at
    raise AssertionError("no pack holds it")


def _flip_object(context, identity):
    pack, at = _found(context, identity)  # the first place is the object, the second the index
    _flip(context, pack, at + HEADER + 8)


def _flip(context, pack, at):
    byte = pack.read_bytes()[at]
    _overwrite(context, pack, at, bytes([byte ^ 1]))


def _overwrite(context, pack, at, data):
    with pack.open("r+b") as file:
        file.seek(at)
        file.write(data)
    context.kept.open()


@then('the restore is refused with the damaged paths "{paths}"')
def check_damaged_paths(context, paths):
    assert isinstance(context.error, Damaged), f"not refused as damaged: {context.error!r}"
    assert list(context.error.detail) == paths.split(", "), (
        f"{context.error.message!r} {context.error.detail}"
    )


@then('the snapshot is damaged at "{paths}"')
def check_damage(context, paths):
    archive = context.kept.archive
    found = archive.damaged(archive.load(context.kept.latest))
    assert sorted(found) == paths.split(", "), found


# --- captures beside each other ----------------------------------------------------------------


@given("the tree holds a directory of {count:d} files")
def make_many(context, count):
    many = kept(context).tree / "many"
    many.mkdir()
    for number in range(count):
        (many / f"file-{number:04}").write_text(f"{number}\n")


@given("the tree has been captured {count:d} times, each time with one file changed")
def capture_often(context, count):
    for number in range(count):
        (context.kept.tree / "many" / f"file-{number:04}").write_text(f"changed {number}\n")
        context.kept.capture()


@given('the tree has been captured {count:d} times, each time with other bytes in "{name}"')
def capture_renewed(context, count, name):
    for _ in range(count):
        (context.kept.tree / name).write_bytes(os.urandom(20_000))
        context.kept.capture()


@given('the tree has been captured {count:d} times, each time with a line more in "{name}"')
@when('the tree has been captured {count:d} times, each time with a line more in "{name}"')
def capture_growing(context, count, name):
    for number in range(count):
        with (context.kept.tree / name).open("a") as file:
            file.write(f"line {number}\n")
        context.kept.capture()


@then('the packs end with "{magics}"')
def check_ends(context, magics):
    found = [pack.read_bytes()[-8:].decode() for pack in context.kept.packs]
    assert ", ".join(found) == magics, found


@then("each of the last {count:d} packs takes at most {limit:d} bytes in the mean")
def check_packs(context, count, limit):
    sizes = [pack.stat().st_size for pack in context.kept.packs[-count:]]
    assert sum(sizes) / count <= limit, sizes


@given("two processes have captured the tree at the same time")
def capture_twice(context):
    other = Archive(Store(context.kept.home / "store"))
    with other.capture({MAIN: context.kept.tree}, Filter()) as capture:
        context.kept.capture()
        capture.commit({"kind": "other"})
    context.kept.open()


@when("a capture of the tree is given up")
def give_up(context):
    archive = kept(context).archive
    with archive.capture({MAIN: context.kept.tree}, Filter()):
        assert context.kept.unfinished


@then("a capture of the tree that is given up has written no file")
def give_up_nothing(context):
    with context.kept.archive.capture({MAIN: context.kept.tree}, Filter()):
        assert not context.kept.unfinished


@given("a process that was writing a pack {fate}")
def leave_writer(context, fate):
    WRITERS[fate](context)
    assert context.kept.unfinished


def _kill_writer(context):
    def work():
        begun_pack(kept(context).store)
        die()

    assert forked(work) < 0


def _keep_writer(context):
    """Without the lock that keeps sweeps away, to see that its own mark is enough."""
    beside(context, lambda: begun_pack(kept(context).store))


WRITERS = {"has been killed": _kill_writer, "is still at it": _keep_writer}


# --- sweeps ------------------------------------------------------------------------------------


@given("the packs of the store are {hours:d} hours old")
def age_packs(context, hours):
    then_ = time.time() - hours * 3600
    for pack in context.kept.packs:
        os.utime(pack, (then_, then_))


@when("the store is swept and nothing is forgotten")
def sweep(context):
    _sweep(context, set(context.kept.snapshots), set())


@when("the store is swept and snapshot {number:d} is forgotten")
def sweep_forgotten(context, number):
    forgotten = {context.kept.snapshots[number - 1]}
    _sweep(context, set(context.kept.snapshots) - forgotten, forgotten)


@when("the store is swept and nothing is known of snapshot {number:d}")
def sweep_unknown(context, number):
    _sweep(context, set(context.kept.snapshots) - {context.kept.snapshots[number - 1]}, set())


@when("the store is swept {how}, and snapshot {number:d} is forgotten")
def sweep_otherwise(context, how, number):
    SWEEPS[how](context, number)


def _sweep_beside_capture(context, number):
    with context.kept.archive.capture({MAIN: context.kept.tree}, Filter()):
        sweep_forgotten(context, number)


def _sweep_beside_process(context, number):
    def begin():
        capture = context.kept.archive.capture({MAIN: context.kept.tree}, Filter())
        capture.__enter__()
        return capture

    beside(context, begin)
    sweep_forgotten(context, number)


def _sweep_elsewhere(context, number):
    identity = context.kept.snapshots[number - 1]
    live = set(context.kept.snapshots) - {identity}
    context.swept = Kept(context.kept.home).archive.sweep(lambda: live, {identity})


SWEEPS = {
    "while a capture is under way": _sweep_beside_capture,
    "while another process captures": _sweep_beside_process,
    "by another process": _sweep_elsewhere,
}


def _sweep(context, live, forgotten):
    context.swept = context.kept.archive.sweep(lambda: live, forgotten)


@then("the sweep freed at least {size:d} bytes")
def check_freed(context, size):
    assert context.swept.bytes_freed >= size, context.swept


@then("the sweep did nothing")
def check_no_sweep(context):
    assert context.swept is None


# --- packs without objects ---------------------------------------------------------------------


@given("an earlier version has written a pack without objects for snapshot {number:d}")
def write_empty_pack(context, number):
    """By the format alone: nothing of ours writes such a pack any more."""
    root = bytes.fromhex(context.kept.snapshots[number - 1])
    footer = struct.pack("<QQ32s32s8s", 8, 0, root, sha256(b"").digest(), b"capack01")
    path = context.kept.packs[0].with_name("00000000000000000000000000.pack")
    path.write_bytes(b"capack01" + footer)
    context.kept.open()


@then("no pack is without objects")
def check_no_empty_pack(context):
    assert len(context.kept.packs) == 2
    for path in context.kept.packs:
        assert len(Pack(path)) > 0, path


# --- what is there -----------------------------------------------------------------------------


@then("the capture added at most {size:d} bytes")
def check_added(context, size):
    assert 0 < context.capture.size_bytes <= size, context.capture.size_bytes


@then("the store takes at most {size:d} MiB")
def check_size(context, size):
    taken = sum(pack.stat().st_size for pack in context.kept.packs)
    assert 0 < taken <= size << 20, taken


@then("the store holds nothing")
def check_nothing(context):
    assert (context.kept.packs, context.kept.unfinished) == ([], [])


@then("the store has {count} unfinished pack")
def check_unfinished(context, count):
    assert len(context.kept.unfinished) == {"no": 0, "one": 1}[count], context.kept.unfinished


@then('the store has no object of "{text}"')
def check_no_object(context, text):
    identity = sha256(f"{text}\n".encode()).digest()
    assert not _holders(context, identity)


@then('the store has no object of the file "{path}"')
def check_no_file(context, path):
    assert not _holders(context, context.random[path])


@then('the store has an object of the file "{path}"')
@then('the store still has the bytes of "{path}"')
def check_bytes(context, path):
    lost = [one for one in path.split(", ") if not _holders(context, context.random[one])]
    assert not lost, f"lost: {lost}"


@then("only its owner may read the store")
def check_modes(context):
    paths = [context.kept.packs[0].parent, *context.kept.packs]
    modes = [path.stat().st_mode & 0o077 for path in paths]
    assert modes == [0] * len(paths), modes


def _holders(context, data):
    """The packs in which these bytes are, seen from outside."""
    return [pack for pack in context.kept.packs if data in pack.read_bytes()]
