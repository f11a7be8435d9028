"""Steps about the database, identifiers and the disk it lives on."""

import contextlib
import hashlib
import json
import os
import sqlite3
import subprocess
import tempfile
import time
from datetime import datetime

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from behave import given, step, then, when
from forked import forked
from inside import Inside
from sqlalchemy import create_engine

from cleveragents import ids
from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.errors import Failed
from cleveragents.storage.database import SCHEMA, Database
from cleveragents.storage.migrations import upgrade
from cleveragents.storage.tables import metadata

# --- The database ---------------------------------------------------------------------------------


@given("a new database")
def make_database(context):
    context.world.data_dir.mkdir()
    context.database = Database(context.world.data_dir / "cleveragents.db")


@given("a database that migrations have led")
def migrate_database(context):
    context.world.data_dir.mkdir()
    path = context.world.data_dir / "cleveragents.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as driver:
        upgrade(driver)


@then("a new one is made by the very statements that made it")
def check_script(context):
    made = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    migrated = context.world.sql(made)
    Database(context.world.home / "new.db")
    with contextlib.closing(sqlite3.connect(context.world.home / "new.db")) as driver:
        assert driver.execute(made).fetchall() == migrated


@then("it has exactly the tables that are declared, column by column")
def check_tables(context):
    engine = create_engine(f"sqlite:///{context.world.data_dir / 'cleveragents.db'}")
    with engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        found = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
    assert found == [], found


@then("it is of the schema this program knows")
def check_schema(context):
    assert context.world.sql("SELECT version_num FROM alembic_version") == [(SCHEMA,)]


@then("it keeps its promises after a power cut, as this version of SQLite can")
def check_pragmas(context):
    wal = sqlite3.sqlite_version_info >= (3, 51, 3)
    with context.database.registering() as connection:
        found = [
            connection.value(f"PRAGMA {name}")
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    assert (found[0] == "wal") == wal, found
    assert found[1:] == [2 if wal else 3, 1, 10000], found


@step("the database is changed by hand")
def change_by_hand(context):
    """One statement on each line, past everything that this program sees to."""
    for statement in context.text.splitlines():
        context.world.sql(statement)


@when("a transaction does this")
def transact(context):
    """One statement on each line; the first that fails takes all of them back."""
    database = Database(context.world.data_dir / "cleveragents.db")
    with database.registering() as connection:
        for statement in context.text.splitlines():
            connection.execute(statement)


@when("a transaction tries this")
def try_transaction(context):
    context.error = None
    try:
        transact(context)
    except Failed as error:
        context.error = error


@then("it was refused with")
def check_refused(context):
    """What the parts of the error say: its message, the last line of its detail; all its hints."""
    error = context.error
    assert error is not None, "it was not refused"
    found = {"message": error.message, "hints": "\n".join(error.hints)}
    found["detail"] = error.detail[-1] if error.detail else ""
    for row in context.table:
        text = row["says"].replace("DATA", str(context.world.data_dir))
        assert text in found[row["part"]], found
        assert row["part"] != "hints" or text == found["hints"], found


@then('the database answers "{query}" with {value}')
def check_query(context, query, value):
    ((found,),) = context.world.sql(query)
    assert found == json.loads(value), found


@given("a database of a newer version")
def make_newer(context):
    make_database(context)
    context.world.sql("UPDATE alembic_version SET version_num = '9999'")
    context.before = digest(context.world.data_dir)


@then("the database is what it was, byte for byte")
def check_unchanged(context):
    assert digest(context.world.data_dir) == context.before


def digest(directory):
    return hashlib.sha256((directory / "cleveragents.db").read_bytes()).hexdigest()


@given('the database file holds "{text}"')
def corrupt_database(context, text):
    context.world.data_dir.mkdir(exist_ok=True)
    (context.world.data_dir / "cleveragents.db").write_text(text * 100)


@given('the metadata of checkpoint {number:d} is "{text}"')
def break_metadata(context, number, text):
    context.world.sql("UPDATE checkpoints SET metadata_json = ? WHERE seq = ?", text, number)


@when("checkpoint {number:d} is recorded a second time")
def record_again(context, number):
    app = context.world.app()
    plan = app.plans.find("@")
    row = app.checkpoints.get_checkpoint(plan.plan_id, str(number))
    context.error = None
    try:
        with Inside(context.world).database.registering() as connection:
            CheckpointRepository(connection).add(row)
    except Failed as error:
        context.error = error


# --- Times and identifiers ------------------------------------------------------------------------


@then("a time comes back from the database in UTC")
def check_times(context):
    with context.database.registering() as connection:
        project = {"project_id": "j", "path": "/x", "created_at": ids.now()}
        connection.insert("projects", **project)
        plan = {"plan_id": "p", "project_id": "j", "number": 1, "name": "x", "phase": "x"}
        more = {"state": "x", "attempt": 0, "cursor": "0", "definition_json": "{}"}
        times = {"created_at": ids.now(), "updated_at": ids.now()}
        connection.insert("plans", **plan, **more, **times)
    for row in context.table:
        assert came_back(context.database, row["stored"]) == row["comes back"], row.cells


def came_back(database, written):
    """Stores a time that may be unknown, as the end of an operation is."""
    moment = None if written == "none" else datetime.fromisoformat(written)
    operation = {"operation_id": ids.new_id(), "plan_id": "p", "kind": "x", "status": "x"}
    rest = {"intent_json": "{}", "opened_at": ids.now(), "closed_at": moment}
    count = "SELECT count(*) FROM operations"
    with database.registering() as connection:
        before = connection.value(count)
    try:
        with database.registering() as connection:
            connection.insert("operations", **operation, **rest)
            newest = "SELECT closed_at FROM operations ORDER BY operation_id DESC LIMIT 1"
            found = connection.row(newest)["closed_at"]
    except ValueError as error:
        with database.registering() as connection:
            assert connection.value(count) == before
        return f"refused: {error}"
    return "none" if found is None else found.isoformat()


@then("{count:d} ids that are made {when} ascend")
def check_ascending(context, count, when):
    made = IDS[when](count)
    assert made == sorted(set(made)), made
    assert len(made) == count, made


def after_setting_back(count):
    """In a process that ends with it: this one's ids would be an hour ahead ever after."""
    behind = time.time_ns()
    ahead = behind + 3_600_000_000_000
    clock = iter([ahead])

    with tempfile.NamedTemporaryFile("r+") as file:

        def make():
            ids.time_ns = lambda: next(clock, behind)
            made = [ids.new_id() for _ in range(count)]
            assert ids.made_at(made[0]).timestamp() == ahead // 1_000_000 / 1000, made
            file.write("\n".join(made))
            file.flush()

        assert forked(make) == 0
        file.seek(0)
        return file.read().splitlines()


IDS = {
    "one right after the other": lambda count: [ids.new_id() for _ in range(count)],
    "after the clock was set back by an hour": after_setting_back,
}


@then('"{text}" is {answer} id')
def check_is_id(context, text, answer):
    assert ids.is_id(text) == (answer == "an"), text


@then("the ids of earlier versions tell when they were made")
def check_made_at(context):
    for row in context.table:
        told = ids.made_at(row["id"]).isoformat(timespec="milliseconds")
        assert told == row["made at"], told


@then('"{text}" tells no time: it is no id')
def check_no_time(context, text):
    try:
        ids.made_at(text)
    except ValueError as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"{text} was read")


# --- The disk -------------------------------------------------------------------------------------


@given("{place} cannot be written to")
def close_place(context, place):
    CLOSED[place](context)


def close_data(context):
    path = context.world.data_dir
    path.mkdir()
    if os.geteuid() == 0:  # whom no mode keeps out
        mount(context, path, "ro")
    else:
        path.chmod(0o500)


def close_logs(context):
    (context.world.data_dir / "log").write_text("not a directory")
    temporary_place(context)


def close_all_logs(context):
    close_logs(context)
    place = context.world.home / "temporary" / f"cleveragents-{os.geteuid()}"
    place.symlink_to(context.world.project)  # somebody else's doing


def temporary_place(context):
    place = context.world.home / "temporary"
    place.mkdir()
    context.add_cleanup(setattr, tempfile, "tempdir", tempfile.tempdir)
    tempfile.tempdir = str(place)
    return place


CLOSED = {
    "the data directory": close_data,
    "the directory of logs": close_logs,
    "any directory of logs": close_all_logs,
}


@given("a data directory on a disk of {size}")
def make_small_disk(context, size):
    context.world.data_dir.mkdir()
    mount(context, context.world.data_dir, f"size={size}")


@when("the disk is resized to {size}")
def resize_disk(context, size):
    options = f"remount,size={size}"
    subprocess.run(["mount", "-o", options, str(context.world.data_dir)], check=True)


def mount(context, path, options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True)
    context.world.mounts.append(path)


@then("opening it in the library tells the same")
def check_library(context):
    try:
        context.world.app()
    except Failed as error:
        assert error.message in context.world.done.err, error.message
    else:
        raise AssertionError


@then("what is stored is whole")
def check_whole(context):
    assert context.world.sql("PRAGMA integrity_check") == [("ok",)]
    assert context.world.sql("PRAGMA foreign_key_check") == []
    app = context.world.app()
    plan = app.plans.find("@")
    rows = app.checkpoints.list_checkpoints(plan.plan_id)
    bad = [found for found in app.checkpoints.verify_checkpoints(rows) if not found.is_intact]
    assert not bad, bad
