"""The way to the tables as declared; each file is one step and is never edited afterwards."""

import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool


def upgrade(driver: sqlite3.Connection) -> None:
    """Brings the schema up to date, in one transaction."""
    config = Config()
    # Alembic expands % and { } in option values; a path may hold any of them.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    engine = create_engine("sqlite://", creator=lambda: driver, poolclass=StaticPool)
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except DBAPIError as error:
        raise error.orig or error from error  # the driver's own words
