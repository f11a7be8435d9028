"""Opens the database: its settings, its schema version, and units of work on it."""

import os
import sqlite3
from pathlib import Path
from threading import RLock

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from cleveragents.errors import Failed, Refused
from cleveragents.storage.lock import FileLock
from cleveragents.storage.tables import SCHEMA
from cleveragents.storage.unit_of_work import UnitOfWork, understood

# Older versions can corrupt a WAL database that several processes write to.
WAL_IS_SAFE = sqlite3.sqlite_version_info >= (3, 51, 3)
DURABLE_PRAGMAS = (
    ("journal_mode=WAL", "synchronous=FULL")
    if WAL_IS_SAFE
    else ("journal_mode=PERSIST", "synchronous=EXTRA")
)
PRAGMAS = (*DURABLE_PRAGMAS, "foreign_keys=ON", "busy_timeout=10000")


class Database:
    """The one database of a data directory; opening it brings its schema up to date."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = _engine(path)
        # SQLite waits by sleeping; the threads of this process take their turns here instead.
        self._turn = RLock()
        with understood(self._engine):
            found = self._schema()
        if found != SCHEMA:
            self._upgrade()
        self._file = self._identity()

    def unit_of_work(self) -> UnitOfWork:
        """Begins one transaction; a file that is not the one that was opened takes none.

        SQLite would go on in a file that has lost its name, and what it is told there is lost.
        """
        if self._identity() != self._file:
            raise Failed(f"the database is gone: {self._path}")
        return UnitOfWork(self._engine, self._turn)

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _schema(self) -> str | None:
        with self._engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            return connection.scalar(text("SELECT version_num FROM alembic_version"))

    def _upgrade(self) -> None:
        with FileLock(self._path.with_suffix(".lock"), doing="upgrading the database", wait=True):
            found = self._schema()
            if found is not None and found > SCHEMA:
                raise Refused(
                    f"the database was written by a newer version (schema {found}, "
                    f"this program knows {SCHEMA})",
                    hints=["update cleveragents, or choose another directory with --data-dir"],
                )
            if found != SCHEMA:
                # Alembic is slow to import and needed only when the schema is behind.
                from cleveragents.storage.migrations import upgrade  # noqa: PLC0415

                with UnitOfWork(self._engine, self._turn) as connection:
                    upgrade(connection)


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", poolclass=QueuePool)

    def prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        # The driver's own transactions begin late and lose updates; ours begin at once.
        connection.isolation_level = None
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    def begin(connection: Connection) -> None:
        # Straight to the driver: this stands before every transaction.
        connection.connection.cursor().execute("BEGIN IMMEDIATE")

    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", begin)
    return engine
