"""Steps about what is kept over time: clocks, copies, older versions, what fails to sync."""

import os
import sqlite3

from alembic import command
from alembic.config import Config
from behave import given, then, when
from commands import words
from sqlalchemy import create_engine
from storage import digest

from cleveragents.storage import migrations

INJECTED = {"takes every file system for NFS": "statfs:poke_exit=@arg2=6969000000000000"}


@given("every time that is stored lies an hour ahead")
def move_clock(context):
    """As if the clock had been an hour ahead when everything was recorded."""
    for table in ("plans", "checkpoints", "decisions", "step_runs"):
        columns = context.world.sql(f"SELECT name FROM pragma_table_info('{table}')")
        for (name,) in columns:
            if name.endswith("_at"):
                ahead = f"datetime({name}, '+1 hour')"
                context.world.sql(f"UPDATE {table} SET {name} = {ahead} WHERE {name} NOT NULL")


@then("the latest plan is the second one")
def check_latest_plan(context):
    listed = [plan["plan_id"] for plan in context.world.done.data["plans"]]
    assert listed[:1] == [context.world.plan.plan_id], listed


@when('"agents {line}" runs on a system that {does}')
def run_injected(context, line, does):
    injected = INJECTED.get(does) or f"{does.removeprefix('fails every ')}:error=EIO"
    call = injected.partition(":")[0]
    log = str(context.world.home / "strace.log")
    trace = ["-e", f"trace={call}", "-e", f"inject={injected}"]
    prefix = ["strace", "-f", "-qq", "-o", log, *trace]
    context.world.agents_beside(*words(context, line), prefix=prefix)
    context.world.end_of_child()


# --- Versions -------------------------------------------------------------------------------------


@given("a database of the first version with a project")
def make_first_version(context):
    context.world.data_dir.mkdir(mode=0o700)
    config = Config()
    place = os.path.dirname(migrations.__file__)
    config.set_main_option("script_location", place.replace("%", "%%"))
    engine = create_engine(f"sqlite:///{context.world.data_dir / 'cleveragents.db'}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    project = ("P", str(context.world.project), "2024-01-31")
    context.world.sql("INSERT INTO projects VALUES (?, ?, ?)", *project)
    context.first_version = digest(context.world.data_dir)


@then("the project is still known")
def check_project(context):
    found = context.world.sql("SELECT path FROM projects")
    assert found == [(str(context.world.project),)], found


@then("a copy of the database as it was is kept")
def check_copy(context):
    path = context.world.data_dir / "cleveragents.db.0001"
    copy = sqlite3.connect(path)
    try:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
        assert copy.execute("SELECT path FROM projects").fetchall() == [
            (str(context.world.project),)
        ]
    finally:
        copy.close()


@then('it is of the schema "{version}"')
def check_version(context, version):
    assert context.world.sql("SELECT version_num FROM alembic_version") == [(version,)]


@given("the database is remembered")
def remember_database(context):
    context.before = digest(context.world.data_dir)


# --- Taking back ----------------------------------------------------------------------------------


@then("the plan is as it was before the rollback")
def check_back(context):
    context.execute_steps(
        """
        Then the plan's files are
          | file  | content |
          | a.txt | one     |
          | v     | by hand |
          | w     | last    |
        And the steps that count are
          | step               | attempt |
          | first              | 1       |
          | storage > a > in a | 1       |
          | last               | 1       |
        And the decisions that count are "plan, a"
        And the plan is at step 3
        """
    )
