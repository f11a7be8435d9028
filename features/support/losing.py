"""Forgetting: what is looked for in a data directory, and lives of sandboxes that lose a path."""

import os
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import assert_same, picture
from world import World

from cleveragents.snapshots.store.pack import from_front
from cleveragents.snapshots.store.store import Store

NAMES = (b"plain", b".env", b"[x]*", b"]", b"!a-b", b"-", b"new\nline", b"\xff\xfe", b"^", b"\\")
STATES = 4
SECRET = b"hunter2 "


def found_in(data_dir, needle):
    """Returns where bytes are kept: in any file, or in any object of a store once unpacked.

    Files of sandboxes, output of steps and texts of actions are not what checkpoints store.
    """
    found = []
    for path in data_dir.rglob("*"):
        inside = path.relative_to(data_dir).parts
        if path.is_file() and inside[0] == "projects" and needle in path.read_bytes():
            found.append(path)
    for directory in data_dir.glob("projects/*/store"):
        store = Store(directory)
        store.open()
        for path in directory.glob("packs/*"):
            objects = from_front(path.read_bytes(), store.read)
            found += [(path, data) for data in objects if needle in data and b'"about"' not in data]
    return found


def lives(count):
    """Leads sandboxes through random states, lets each forget a path, and goes everywhere."""
    factor = int(os.environ.get("MACHINE_FACTOR", "1"))

    @settings(
        max_examples=count * factor,
        derandomize=factor == 1,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 1 << 32))
    def many(number):
        world = World()
        try:
            _live(world, Random(number))
        finally:
            world.remove()

    many()


def _live(world, chance):
    (world.project / "kept").write_text("kept")
    action = world.write_action("name: life\nsteps: [{tool: shell, with: {command: 'true'}}]\n")
    _must(world, "run", action)
    tree = world.sandbox
    states = [_state(world, tree, chance) for _ in range(STATES)]
    first = int(world.sql("SELECT max(seq) FROM checkpoints")[0][0]) - STATES + 1
    known = sorted({path for state in states for path in state if path not in (b"", b"kept")})
    doomed = chance.choice(known)
    _must(world, "forget", os.fsdecode(doomed), "--yes")
    assert not found_in(world.data_dir, SECRET + doomed), doomed
    _must(world, "plan", "checkpoint", "verify", "@")
    for number, state in enumerate(states, first):
        before = _at(picture(tree), doomed)
        _must(world, "plan", "rollback", "@", str(number), "--yes")
        now = picture(tree)
        assert_same(_but(now, doomed), _but(state, doomed))
        if doomed in state:
            assert _at(now, doomed) == before, doomed
    _must(world, "doctor", "--format", "json")


def _state(world, tree, chance):
    """Changes some files, each of which says where it stands, and saves them."""
    for _ in range(4):
        path = os.path.join(os.fsencode(tree), _some_path(chance))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.lexists(path) and chance.random() < 0.3:
            os.unlink(path)
        else:
            _write(path, tree, chance)
    _must(world, "plan", "checkpoint", "create", "@")
    return picture(tree)


def _write(path, tree, chance):
    """Marks each file for all that it lies in, so that a directory can be looked for as well."""
    inner = os.path.relpath(path, os.fsencode(tree))
    heads = inner.split(b"/")
    marks = b"".join(SECRET + b"/".join(heads[: n + 1]) + b"\0" for n in range(len(heads)))
    with open(path, "wb") as file:
        file.write(marks + bytes([chance.randrange(256)]) * chance.choice((0, 10, 9000)))


def _some_path(chance):
    depth = chance.choice((1, 1, 2, 3))
    names = [chance.choice(NAMES) for _ in range(depth)]
    return b"/".join([*(b"d" + name for name in names[:-1]), names[-1]])


def _must(world, *line):
    done = world.agents(*line)
    assert done.code == 0, (line, done.out, done.err)


def _at(seen, path):
    return {one: what for one, what in seen.items() if one == path or one.startswith(path + b"/")}


def _but(seen, path):
    return {one: what for one, what in seen.items() if one not in _at(seen, path)}
