"""Steps about a damaged store, and about what it costs to look for damage."""

import os
import resource
from collections import Counter
from contextlib import contextmanager

from applies import latest_apply
from behave import given, then, when
from checkpoints import checkpoints, packs
from inside import Inside

from cleveragents.engine.bring.proposal import ApplyOptions
from cleveragents.errors import Damaged, Failed
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.store.pack import Pack
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.manifest import ID_BYTES, object_id


@given("the stored {part} of {thing} is damaged")
def damage_stored(context, part, thing):
    for identity in PARTS[part](context, thing):
        damage(context, identity)


@given("the pack of {thing} is {fate}")
def damage_pack(context, thing, fate):
    (ref,) = snapshots(context, thing)
    (pack,) = [path for path in packs(context) if bytes.fromhex(ref) in path.read_bytes()]
    FATES[fate](pack)


def snapshots(context, thing):
    """The ids of the snapshots that are called so."""
    if thing in SNAPSHOTS:
        return SNAPSHOTS[thing](context)
    number = int(thing.removeprefix("checkpoint "))
    return [checkpoints(context)[number - 1].sandbox_ref]


def _records(context, thing):
    return [bytes.fromhex(ref) for ref in snapshots(context, thing)]


def _top_directories(context, thing):
    return [Inside(context.world).top_of(ref) for ref in snapshots(context, thing)]


def _contents(context, thing):
    """Of `"name"` in the newest checkpoint, or of `"name" in` a checkpoint or the project."""
    _, name, where = thing.split('"')
    if where == " in the project":
        return [object_id((context.world.project / name).read_bytes())]
    inside = Inside(context.world)
    (ref,) = snapshots(context, where.removeprefix(" in ") or "the newest checkpoint")
    return [inside.entries(ref)[os.fsencode(name)].content]


def _second_pieces(context, thing):
    (listed,) = _contents(context, thing)
    chunks = Store(Inside(context.world).store_directory).read(listed)
    return [chunks[ID_BYTES : 2 * ID_BYTES]]


SNAPSHOTS = {
    "the newest checkpoint": lambda context: [checkpoints(context)[-1].sandbox_ref],
    "every checkpoint": lambda context: [row.sandbox_ref for row in checkpoints(context)],
    "what the sandbox started from": lambda context: context.world.sql(
        "SELECT base_ref FROM sandboxes"
    )[0],
    "the apply's result": lambda context: [latest_apply(context).result],
}
PARTS = {
    "record": _records,
    "top directory": _top_directories,
    "content": _contents,
    "second piece": _second_pieces,
}
FATES = {
    "cut short": lambda pack: os.truncate(pack, pack.stat().st_size - 10),
    "gone": lambda pack: pack.unlink(),
}


def damage(context, identity):
    """Turns over the last byte of an object in the pack that holds it."""
    for path in packs(context):
        data = bytearray(path.read_bytes())
        at = data.find(identity)
        if at >= 0:
            head = len(identity) + 1 + 8  # id, codec, stored length
            length = int.from_bytes(data[at + head - 8 : at + head], "little")
            data[at + head + length - 1] ^= 0xFF
            path.write_bytes(data)
            return
    raise AssertionError("no pack holds it")


@then("{act} reads at most {most:d} objects of the store")
def count_reads(context, act, most):
    app = context.world.app()
    with counted() as reads:
        changed = READERS[act](app, app.plans.find("@").plan_id)
    assert len(changed) == 5, changed
    assert 5 < reads.total() <= most, reads.total()


def _roll_back(app, plan_id):
    first = app.checkpoints.get_checkpoint(plan_id, "1")
    return app.checkpoints.rollback_to_checkpoint(plan_id, first).changes


def _apply(app, plan_id):
    return app.apply.run(plan_id, ApplyOptions()).applied.paths


READERS = {"a rollback": _roll_back, "an apply": _apply}


@when("the tree is made sure of")
def secure(context):
    with context.kept.acting():
        context.kept.archive.secure(context.kept.latest, {MAIN: context.kept.tree})


@then('it is told that what was stored of "{path}" was damaged')
def check_told(context, path):
    (told,) = context.kept.told
    assert told.endswith(f"was damaged; it was stored again from the files: {path}"), told


@then('to make sure of the tree is refused, naming "{path}"')
def check_refusal(context, path):
    error = refusal(context)
    assert isinstance(error, Damaged) and error.detail == (path,), error
    assert "nothing was changed" in error.message, error
    assert error.hints == ("look for intact copies: agents doctor --repair",), error.hints


@then("to make sure of the tree without room for a byte is refused")
def check_no_room(context):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        error = refusal(context)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "lost content could not be stored again: File too large" in error.message, error
    assert len(context.kept.packs) == 1, context.kept.packs


def refusal(context):
    try:
        secure(context)
    except Failed as error:
        return error
    raise AssertionError("it was not refused")


@contextmanager
def counted():
    """Counts the objects that are read of packs, by id."""
    reads, read = Counter(), Pack.read

    def count(pack, identity, base):
        reads[identity] += 1
        return read(pack, identity, base)

    Pack.read = count
    try:
        yield reads
    finally:
        Pack.read = read
