"""Steps about the database, identifiers, locks and the disk they live on."""

import contextlib
import errno
import hashlib
import os
import sqlite3
import subprocess
from datetime import UTC, datetime, timedelta, timezone

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from behave import given, then, when
from forked import forked
from inside import Inside
from plans import alive
from sqlalchemy import create_engine
from ulid import ULID

from cleveragents import ids
from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.errors import Busy, Failed
from cleveragents.storage.database import SCHEMA, Database
from cleveragents.storage.lock import FileLock, Locks
from cleveragents.storage.migrations import upgrade
from cleveragents.storage.owner import Owner
from cleveragents.storage.space import FREE_SOME
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


@then("a change that is larger than there is room for is refused, and says how much is free")
def check_no_room(context):
    try:
        with context.database.registering() as connection:
            connection.execute("PRAGMA max_page_count=1")  # no page more than there are
            connection.execute("CREATE TABLE large AS SELECT randomblob(1000000)")
    except Failed as error:
        assert "disk is full" in error.message, error.message
        assert f" free in {context.world.data_dir}" in error.detail[-1], error.detail
        assert error.hints == (FREE_SOME,), error.hints
    else:
        raise AssertionError
    assert context.world.sql("SELECT * FROM sqlite_master WHERE name = 'large'") == []


@then("a row that points at nothing is refused")
def check_foreign_keys(context):
    try:
        with context.database.registering() as connection:
            connection.execute(
                "INSERT INTO sandboxes (sandbox_id, plan_id, strategy, path, status, notes_json,"
                " created_at) VALUES ('s', 'nobody', 'x', 'x', 'x', '[]', '2024-01-31')"
            )
    except Failed as error:
        assert "FOREIGN KEY" in error.message, error.message
    else:
        raise AssertionError
    assert context.world.sql("SELECT count(*) FROM sandboxes") == [(0,)]


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


@then("of a transaction that fails half-way nothing is left")
def check_atomic(context):
    app = context.world.app()
    plan = app.plans.find("@")
    with contextlib.suppress(Failed), Inside(context.world).database.registering() as connection:
        connection.execute("UPDATE plans SET name = 'torn'")
        connection.execute("UPDATE plans SET project_id = 'nobody'")
    assert app.plans.find("@").name == plan.name


@given('the metadata of checkpoint {number:d} is "{text}"')
def break_metadata(context, number, text):
    context.world.sql("UPDATE checkpoints SET metadata_json = ? WHERE seq = ?", text, number)


@then("recording checkpoint {number:d} a second time is refused in plain words")
def check_duplicate(context, number):
    app = context.world.app()
    plan = app.plans.find("@")
    row = app.checkpoints.get_checkpoint(plan.plan_id, str(number))
    try:
        with Inside(context.world).database.registering() as connection:
            CheckpointRepository(connection).add(row)
    except Failed as error:
        assert error.message.startswith(f"checkpoint cp{number} cannot be recorded: "), error
        assert "UNIQUE" in error.message, error.message
    else:
        raise AssertionError


@then("deleting its decision leaves checkpoint {number:d} without one")
def check_set_null(context, number):
    ((decision_id,),) = context.world.sql("SELECT decision_id FROM decisions")
    statement = "UPDATE checkpoints SET decision_id = ? WHERE seq = ?"
    context.world.sql(statement, decision_id, number)
    with Inside(context.world).database.registering() as connection:
        connection.execute("DELETE FROM decisions")
    query = "SELECT decision_id FROM checkpoints WHERE seq = ?"
    assert context.world.sql(query, number) == [(None,)]


# --- Times and identifiers ------------------------------------------------------------------------


@when("a project is recorded at noon in Tokyo")
def record_in_tokyo(context):
    tokyo = timezone(timedelta(hours=9))
    record_project(context, datetime(2024, 1, 31, 12, tzinfo=tokyo))


@then("it was recorded at 3 o'clock UTC")
def check_utc(context):
    with context.database.registering() as connection:
        found = connection.row("SELECT created_at FROM projects")["created_at"]
    assert found == datetime(2024, 1, 31, 3, tzinfo=UTC)
    assert found.utcoffset() == timedelta(0), found


@then("a time that is not known yet is recorded as none")
def check_no_time(context):
    with context.database.registering() as connection:
        project_id = connection.value("SELECT project_id FROM projects")
        plan = {"plan_id": "p", "project_id": project_id, "number": 1, "name": "x", "phase": "x"}
        more = {"state": "x", "attempt": 0, "cursor": "0", "definition_json": "{}"}
        times = {"created_at": ids.now(), "updated_at": ids.now()}
        connection.insert("plans", **plan, **more, **times)
        operation = {"operation_id": "o", "plan_id": "p", "kind": "x", "status": "x"}
        rest = {"intent_json": "{}", "opened_at": ids.now(), "closed_at": None}
        connection.insert("operations", **operation, **rest)
        assert connection.row("SELECT closed_at FROM operations") == {"closed_at": None}


@then("a time without a zone is refused")
def check_naive(context):
    try:
        record_project(context, datetime(2024, 1, 31, 12))  # noqa: DTZ001 - the point of it
    except ValueError as error:
        assert "a time without a zone cannot be stored" in str(error), error
    else:
        raise AssertionError
    assert context.world.sql("SELECT count(*) FROM projects") == [(0,)]


def record_project(context, moment):
    with context.database.registering() as connection:
        values = {"project_id": ids.new_id(), "path": "/x", "created_at": moment}
        connection.insert("projects", **values)


@then("a thousand new ids are all different and ascend")
def check_ascending(context):
    made = [ids.new_id() for _ in range(1000)]
    assert made == sorted(set(made))


@then("ids go on ascending after the clock was set back by an hour")
def check_clock(context):
    """In a process that ends with it: this one's ids would be an hour ahead ever after."""
    behind, ahead = ULID(), ULID.from_datetime(datetime.now(UTC) + timedelta(hours=1))

    class SetBack:
        made = iter([ahead])
        from_int = ULID.from_int

        def __new__(cls):
            return next(cls.made, behind)

    def check():
        ids.ULID = SetBack
        made = [ids.new_id() for _ in range(4)]
        assert made[0] == str(ahead), made
        assert made == sorted(set(made)), made

    assert forked(check) == 0


@then('"{text}" is {answer} id')
def check_is_id(context, text, answer):
    assert ids.is_id(text) == (answer == "an"), text


# --- Locks ----------------------------------------------------------------------------------------


@given("a lock that this process holds")
def hold_lock(context):
    context.path = context.world.home / "locks" / "one.lock"
    context.lock = FileLock(context.path, doing="testing locks")
    context.lock.__enter__()


@then("another one that wants it is told who has it")
def check_busy(context):
    error = busy(context.path)
    assert f"process {os.getpid()} is testing locks since 20" in error.message, error.message
    assert error.exit_code == 4, error.exit_code


@then("it is told so even if the file does not say who")
def check_busy_unsigned(context):
    context.path.write_text("not JSON")
    assert busy(context.path).message == "busy: another process owns it"


@then("only a full disk keeps an owner from being named")
def check_unnamed(context):
    owner = Owner.this_process("testing locks")
    with open("/dev/full", "wb") as full:
        owner.sign(full.fileno())
    with open(context.path, "rb") as closed:
        try:
            owner.sign(closed.fileno())
        except OSError as error:
            assert error.errno == errno.EBADF, error
        else:
            raise AssertionError("nobody was told")


def busy(path):
    try:
        with FileLock(path, doing="wanting it"):
            raise AssertionError("it was free")
    except Busy as error:
        return error


@then("after its release it can be had, and the file is still there")
def check_released(context):
    context.lock.__exit__(None, None, None)
    assert context.path.exists()
    with FileLock(context.path, doing="next"):
        assert b"next" in context.path.read_bytes()


@then("several may share a lock, and none may have it for itself meanwhile")
def check_shared(context):
    path = context.world.home / "shared.lock"
    with FileLock(path, doing="one", shared=True), FileLock(path, doing="two", shared=True):
        assert busy(path).code == "busy"
    with FileLock(path, doing="alone"):
        assert not FileLock(path, doing="late", shared=True).try_acquire()


@then("a process that owns a plan may take it again, and is its owner until the end")
def check_plan_lock(context):
    locks = Locks(context.world.home / "locks", "plan")
    others = Locks(context.world.home / "locks", "plan")
    with locks.own("plan", "outer") as first, locks.own("plan", "inner") as second:
        assert (first, second) == (True, False)
        assert locks.is_owned("plan")
        assert others.is_owned("plan")
    assert not locks.is_owned("plan")
    assert not others.is_owned("plan")


@then("the lock of a process that was killed is free")
def check_killed(context):
    path = context.world.home / "killed.lock"
    with subprocess.Popen(
        ["flock", "-x", path, "sh", "-c", "echo held; exec sleep 600"],
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        assert not FileLock(path, doing="waiting").try_acquire()
        os.killpg(holder.pid, 9)
    assert not alive(holder.pid)
    with FileLock(path, doing="after it"):
        assert path.exists()


# --- The disk -------------------------------------------------------------------------------------


@given("a data directory that cannot be written to")
def make_unwritable(context):
    path = context.world.data_dir
    path.mkdir()
    if os.geteuid() == 0:  # whom no mode keeps out
        mount(context, path, "ro")
    else:
        path.chmod(0o500)


@given("a data directory on a disk of {size}")
def make_small_disk(context, size):
    context.world.data_dir.mkdir()
    mount(context, context.world.data_dir, f"size={size}")


@when("the disk grows to {size}")
@when("the disk shrinks to {size}")
def grow_disk(context, size):
    options = f"remount,size={size}"
    subprocess.run(["mount", "-o", options, str(context.world.data_dir)], check=True)


def mount(context, path, options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True)
    context.world.mounts.append(path)


@then("the data directory is for its owner alone")
def check_private(context):
    assert context.world.data_dir.stat().st_mode & 0o777 == 0o700


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
