"""Steps about packs: how many there are, how they are joined, and how many are open."""

import os
import resource
import signal

from behave import given, then, when
from forked import beside, die, forked
from kept import Kept, kept

from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.store import joining
from cleveragents.snapshots.store.joining import contents
from cleveragents.snapshots.store.pack import Pack
from cleveragents.snapshots.tree.filter import Filter

STEPS = ("fsync", "rename", "unlink")  # that joining takes, each several times


@given("packs are joined from {count:d} on")
def join_early(context, count):
    context.add_cleanup(setattr, joining, "JOINED_AT", joining.JOINED_AT)
    joining.JOINED_AT = count


@given("the tree has been captured {count:d} times, each time with a new file")
def capture_new(context, count):
    for _ in range(count):
        _new_file(context)
        context.kept.capture()


@when("the tree is captured {count:d} times, with a new file and a join each time")
def capture_and_join(context, count):
    context.most = context.written = 0
    for _ in range(count):
        before = set(context.kept.packs)
        _new_file(context)
        context.kept.capture()
        context.written += _size(set(context.kept.packs) - before)
        before = set(context.kept.packs)
        join_packs(context)
        context.written += _size(set(context.kept.packs) - before)
        context.most = max(context.most, len(context.kept.packs))


def _new_file(context):
    number = len(context.kept.snapshots)
    (kept(context).tree / f"new-{number:04}").write_bytes(os.urandom(500))


def _size(paths):
    return sum(path.stat().st_size for path in paths)


@when("the packs are joined")
def join_packs(context):
    context.kept.store.open()
    context.kept.archive.join()


@when("the packs are joined {how}")
def join_otherwise(context, how):
    JOINS[how](context)


def _join_elsewhere(context):
    context.losses = context.kept.store.losses
    before = len(context.kept.packs)
    assert forked(lambda: _join(Kept(context.kept.home))) == 0
    assert len(context.kept.packs) < before


def _join(kept):
    kept.store.open()
    kept.archive.join()


def _join_beside_capture(context):
    def begin():
        capture = context.kept.archive.capture({MAIN: context.kept.tree}, Filter())
        capture.__enter__()
        return capture

    beside(context, begin)
    join_packs(context)


def _join_on_full_disk(context):
    """What it is told comes through a pipe: no file can grow."""
    reading, writing = os.pipe()

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        join_packs(context)
        os.write(writing, "\n".join(context.kept.told).encode())

    assert forked(work) == 0
    os.close(writing)
    with open(reading) as told:
        context.kept.told += told.read().splitlines()


def _kill_joining(context):
    for number in range(40):
        calls = iter(range(40))

        def dying(name, number=number, calls=calls):
            real = getattr(os, name)

            def call(*args, **options):
                if next(calls) == number:
                    die()
                return real(*args, **options)

            return call

        def work(dying=dying):
            for name in STEPS:
                setattr(os, name, dying(name))
            _join(Kept(context.kept.home))

        if forked(work) == 0:
            break
    assert number > 4, f"only {number} moments were tried"
    context.kept.open()


JOINS = {
    "by another process": _join_elsewhere,
    "while another process captures": _join_beside_capture,
    "where no file can grow": _join_on_full_disk,
    "by processes that are killed, one at each of its steps": _kill_joining,
}


@then("the store has at most {count:d} pack")
@then("the store has at most {count:d} packs")
def check_few(context, count):
    assert len(context.kept.packs) <= count, context.kept.packs


@then("the store has at least {count:d} packs")
def check_many(context, count):
    assert len(context.kept.packs) >= count, context.kept.packs


@then("the store never had more than {count:d} packs")
def check_most(context, count):
    assert 0 < context.most <= count, context.most


@then("what was written is at most {times:d} times what is kept")
def check_written(context, times):
    assert context.written <= times * _size(context.kept.packs), context.written


@then('the pack with "{path}" is the one it was')
def check_same_pack(context, path):
    data = context.random[path]
    (holder,) = [one for one in context.kept.packs if data[:100] in one.read_bytes()]
    assert contents(Pack(holder), context.kept.store.read).is_joined is False


@then('the file "{path}" is {there}')
def check_there(context, path, there):
    held = any(context.random[path] in one.read_bytes() for one in context.kept.packs)
    assert held is (there == "there"), there


@then("the store knows the records of snapshots {numbers}")
def check_roots(context, numbers):
    wanted = {context.kept.snapshots[int(number) - 1] for number in numbers.split(", ")}
    found = [root for one in context.kept.archive.inspect().packs for root in one.roots]
    assert {root.identity.hex() for root in found} == wanted, found


@then("the tree was not read again because packs were gone")
def check_no_loss(context):
    assert context.kept.store.losses == context.losses


@then("at most {count:d} packs are open")
def check_open(context, count):
    found = _open_files()
    assert 0 < sum(name.endswith(".pack") for name in found) <= count, found


def _open_files():
    place = "/proc/self/fd"
    return [os.readlink(f"{place}/{one}") for one in os.listdir(place) if _is_there(place, one)]


def _is_there(place, name):
    return os.path.lexists(f"{place}/{name}")  # that of the list itself is not


@when("a program opens {count:d} sessions one after the other")
def open_sessions(context, count):
    app = context.world.app()
    context.descriptors = []
    for number in range(count):
        with app.session(task=f"session {number}") as session:
            session.tool("write_file", path="f", content=str(number))
        context.descriptors.append(len(os.listdir("/proc/self/fd")))


@then("the last took no more descriptors than the tenth")
def check_descriptors(context):
    assert context.descriptors[-1] <= context.descriptors[9], context.descriptors
    assert context.descriptors[1] > context.descriptors[0], "nothing was followed at all"


@given("the store of the project has fewer than {count:d} packs")
@then("the store of the project has fewer than {count:d} packs")
def check_project_packs(context, count):
    found = list(context.world.data_dir.glob("projects/*/store/packs/*.pack"))
    assert 0 < len(found) < count, found


@then(
    '"agents plan list" under a soft limit of {soft:d} and a hard limit of {hard:d} open files'
    " runs with {wanted:d}"
)
def check_limit(context, soft, hard, wanted):
    def work():
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert context.world.agents("plan", "list").code == 0, context.world.done
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (wanted, hard)

    assert forked(work) == 0


@then('"agents plan list" under a soft limit of {soft:d} open files in this process raises it')
def check_raised(context, soft):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    context.add_cleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
    assert context.world.agents("plan", "list").code == 0, context.world.done
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > soft


@then("{what} waits for a sweep")
def check_waiting(context, what):
    found = _outcomes(context)
    assert found, "nothing was forgotten"
    if what == "what was forgotten":
        assert found == ['{"postponed": true}'], found
    else:
        assert what == "nothing", what
        assert all("bytes_freed" in outcome for outcome in found), found


def _outcomes(context):
    prunes = "SELECT outcome_json FROM operations WHERE kind = 'prune' AND status = 'done'"
    return [outcome for (outcome,) in context.world.sql(prunes)]
