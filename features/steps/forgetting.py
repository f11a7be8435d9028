"""Steps about paths that are forgotten: nothing of them stays, and all else does."""

import os
import shutil

from behave import given, then
from crashes import Turn
from forked import die, forked
from inside import Inside
from losing import found_in, lives

from cleveragents.ids import new_id

FORGOTTEN_ROWS = "SELECT 1 FROM checkpoints WHERE metadata_json LIKE '%: forgotten%'"


@then('"{text}" is stored')
def check_stored(context, text):
    assert found_in(context.world.data_dir, text.encode())


@then('"{text}" is stored nowhere')
def check_stored_nowhere(context, text):
    found = found_in(context.world.data_dir, text.encode())
    assert not found, found


@given("what every checkpoint holds is remembered")
def remember_checkpoints(context):
    context.held = _held(context.world)


@then('every checkpoint is as it was but for "{names}"')
def check_checkpoints(context, names):
    gone = [os.fsencode(name) for name in names.split(", ")]
    wanted = {
        row: {path: entry for path, entry in held.items() if not _is_at(path, gone)}
        for row, held in context.held.items()
    }
    now = {row: held for row, held in _held(context.world).items() if row in wanted}
    assert _without_directories(now) == _without_directories(wanted)
    done = context.world.agents("plan", "checkpoint", "verify", "--all")
    assert done.code == 0, done.out


def _held(world):
    """What each checkpoint of all plans has at each path."""
    rows = world.sql(
        "SELECT checkpoints.plan_id, seq, sandbox_ref, project_id FROM checkpoints"
        " JOIN plans ON plans.plan_id = checkpoints.plan_id"
    )
    sandboxes = Inside(world).sandboxes
    return {(row[0], row[1]): _entries(sandboxes.archive(row[3]), row[2]) for row in rows}


def _entries(archive, snapshot_id):
    lookup = archive.lookup(archive.load(snapshot_id))
    return {path: lookup.find(path) for path in lookup.paths()}


def _without_directories(held):
    """Directories have the ids of what is in them: their modes count alone."""
    return {
        row: {
            path: entry.mode if entry.is_dir else entry._replace(link=b"")
            for path, entry in entries.items()
        }
        for row, entries in held.items()
    }


def _is_at(path, gone):
    return any(path == one or path.startswith(one + b"/") for one in gone)


@then('the paths "{names}" are forgotten')
def check_forgotten(context, names):
    told = [row["path"] for row in context.world.done.data["forgotten"]]
    assert sorted(told) == names.split(", "), told


@given('another project where ".env" has been stored as "{name}"')
def store_elsewhere(context, name):
    other = context.world.home / "other project"
    other.mkdir()
    shutil.copy(context.world.project / ".env", other / name)
    done = context.world.agents("run", context.action, cwd=other)
    assert done.code == 0, done.err


@then('the project has "{files}" and no "{gone}"')
def check_project(context, files, gone):
    for name, text in (one.split(": ") for one in files.split(", ")):
        assert (context.world.project / name).read_text() == f"{text}\n", name
    assert not (context.world.project / gone).exists()


@given("an operation that cannot be read is open")
def leave_operation(context):
    context.world.sql(
        "INSERT INTO operations (operation_id, plan_id, kind, status, intent_json, opened_at)"
        " VALUES (?, ?, 'restore', 'stuck', '{}', '2026-01-02 03:04:05.000000')",
        new_id(),
        context.world.plan.plan_id,
    )


@given('a conflict about "{path}" is open')
def leave_conflict(context, path):
    _leave_conflict(context.world, path, None)


@given('a conflict about "{path}" was resolved')
def leave_solved_conflict(context, path):
    _leave_conflict(context.world, path, new_id())


@then("no conflict is known any more")
def check_conflicts(context):
    assert context.world.sql("SELECT conflict_id FROM conflicts") == []


def _leave_conflict(world, path, closed_by):
    world.sql(
        "INSERT INTO conflicts (conflict_id, plan_id, path, source, reason, versions_json,"
        " refs_json, closed_by, created_at)"
        " VALUES (?, ?, ?, 'project', 'changed on both sides', '{}', '[]', ?, ?)",
        new_id(),
        world.plan.plan_id,
        path.encode(),
        closed_by,
        "2026-01-02 03:04:05.000000",
    )


@given("the store and its rows are remembered")
def remember_store(context):
    context.store = _store(context.world)


@then("the store and its rows are as they were")
def check_store(context):
    assert _store(context.world) == context.store


def _store(world):
    """Every pack, and every row that names a snapshot."""
    packs = {path: path.read_bytes() for path in world.data_dir.glob("projects/*/store/*/*")}
    tables = ("checkpoints", "sandboxes", "operations", "conflicts")
    return packs, [world.sql(f"SELECT * FROM {table}") for table in tables]


@given("a copy of every pack lies there that is cut short")
def copy_packs(context):
    for number, pack in enumerate([*context.world.data_dir.glob("projects/*/store/packs/*.pack")]):
        pack.with_name(f"copy{number}.pack").write_bytes(pack.read_bytes()[:-10])


@given('forgetting "{path}" was killed {when} the rows')
def kill_forgetting(context, path, when):
    turn = Turn(FORGOTTEN_ROWS)
    at = {"before": turn.beginning, "after": turn.begun}[when]

    def act():
        with at(die):
            context.world.agents("forget", path, "--yes")

    assert forked(act) != 0


@then("forgetting is {how}")
def check_finished(context, how):
    found = found_in(context.world.data_dir, b"hunter2")
    has = any(b".env" in held for held in _held(context.world).values())
    assert (bool(found), has) == ((False, False) if how == "finished" else (True, True)), how


@given("the row of the newest checkpoint is lost")
def lose_row(context):
    context.world.sql("DELETE FROM checkpoints WHERE seq = (SELECT max(seq) FROM checkpoints)")


@given('a killed restore has put "{path}" aside')
def put_aside(context, path):
    staging = context.world.sandbox.parent / "staging"
    staging.mkdir(exist_ok=True)
    shutil.copy(context.world.sandbox / path, staging / "aside-0123-1")


@then("nothing lies aside")
def check_aside(context):
    assert not [*context.world.data_dir.glob("sandboxes/*/staging/*")]


@then("in {count:d} lives of a sandbox a path is forgotten, and nothing else")
def check_lives(context, count):
    lives(count)
