"""Opens the database: its settings, its schema version, and units of work on it."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from urllib.parse import quote

from cleveragents.errors import Failed, Refused
from cleveragents.storage.connection import Connection
from cleveragents.storage.durability import sync_directory, sync_file
from cleveragents.storage.held import Held
from cleveragents.storage.lock import FileLock
from cleveragents.storage.place import is_ours
from cleveragents.storage.privacy import make_file
from cleveragents.storage.standstill import end_keeper
from cleveragents.storage.unit_of_work import UnitOfWork, understood

SCHEMA = "0014"  # the newest migration; a database that is ahead of it is refused
SCRIPT = Path(__file__).with_name("schema.sql")  # makes a new one, as the migrations would

# Older versions can corrupt a WAL database that several processes write to.
WAL_IS_SAFE = sqlite3.sqlite_version_info >= (3, 51, 3)
DURABLE_PRAGMAS = (
    ("journal_mode=WAL", "synchronous=FULL")
    if WAL_IS_SAFE
    else ("journal_mode=PERSIST", "synchronous=EXTRA")
)
PATIENCE = 10.0  # seconds to wait for a transaction of somebody else
READING_PRAGMAS = ("foreign_keys=ON",)
PRAGMAS = (*DURABLE_PRAGMAS, *READING_PRAGMAS)
WAL_FORMAT = b"\2\2"  # in the file itself: how it is to be written and read


class Database:
    """The one database of a data directory; opening it brings its schema up to date."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # SQLite waits by sleeping; the threads of this process take their turns here instead.
        self._turn = RLock()
        self._idle: list[sqlite3.Connection] = []
        self._is_ours = is_ours(path.parent)  # if not, it is read and nothing is left beside it
        with understood(path):
            found = _schema(path)  # before a setting is changed: it may be a newer program's
        _refuse_newer(found)
        if found != SCHEMA:
            _refuse_older(found, path)
            self._upgrade()
        self._file = self._identity()

    def writing(self, held: Held) -> UnitOfWork:
        """Begins a transaction that changes a plan, by whoever holds it."""
        held.check()
        held.has_changed = True
        return self._begin()

    def registering(self) -> UnitOfWork:
        """Begins a transaction that adds what nobody can hold yet: a project, a plan, the head."""
        return self._begin()

    def noting(self) -> UnitOfWork:
        """Begins a transaction that notes what was done to a store: that is nobody's plan."""
        return self._begin()

    def close(self) -> None:
        """Closes the connections that nobody uses; who comes next opens one again."""
        with self._turn:
            while self._idle:
                self._idle.pop().close()

    def _begin(self) -> UnitOfWork:
        """Begins one transaction; a file that is not the one that was opened takes none.

        SQLite would go on in a file that has lost its name, and what it is told there is lost.
        """
        if self._identity() != self._file:
            raise Failed(
                f"the database is gone: {self._path}",
                hints=["put it back, or make its rows again: agents doctor --repair"],
            )
        begin = "BEGIN IMMEDIATE" if self._is_ours else "BEGIN"
        return UnitOfWork(self._transaction(begin), self._path)

    def stamp(self) -> object:
        """Tells what is written now from what was: another stamp, and something was."""
        files = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        found = [os.stat(file) for file in files if file.exists()]
        return [(one.st_mtime_ns, one.st_size) for one in found]

    def reading(self) -> UnitOfWork:
        """Begins a transaction that only reads, and so need not wait for one that writes."""
        return UnitOfWork(self._transaction("BEGIN"), self._path)

    @contextmanager
    def _transaction(self, begin: str) -> Generator[Connection]:
        with self._turn:
            driver = self._idle.pop() if self._idle else _connected(self._path)
            try:
                driver.execute(begin)
                yield Connection(driver)
                driver.execute("COMMIT")
            except BaseException:
                driver.close()  # which takes back whatever was begun
                raise
            self._idle.append(driver)

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _upgrade(self) -> None:
        with FileLock(self._path.with_suffix(".lock"), doing="upgrading the database", wait=True):
            found = _schema(self._path)
            _refuse_newer(found)
            if found == SCHEMA:
                return
            if found is not None:
                end_keeper(self._path.parent)
                _back_up(self._path, self._path.with_name(f"{self._path.name}.{found}"))
            with understood(self._path), closing(_connected(self._path)) as driver:
                if driver.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                    driver.executescript(SCRIPT.read_text(encoding="utf-8"))
                    return
                # Alembic is slow to import and needed only when the schema is behind.
                from cleveragents.storage.migrations import upgrade  # noqa: PLC0415

                # A table that is made anew is dropped in between: whoever names its rows must not
                # be told that they are gone. It can be said outside of transactions alone.
                driver.execute("PRAGMA foreign_keys=OFF")
                upgrade(driver)


def _schema(path: Path) -> str | None:
    """Returns the schema version of a database file; None if it has none yet."""
    if not path.exists():
        return None
    address = _address(path, "rw") if is_ours(path.parent) else _read_only(path)
    with closing(sqlite3.connect(address, uri=True, timeout=PATIENCE)) as connection:
        tables = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
        if connection.execute(tables).fetchone() == (0,):
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return None if row is None else str(row[0])


def _refuse_newer(found: str | None) -> None:
    if found is not None and found > SCHEMA:
        raise Refused(
            f"the database was written by a newer version (schema {found}, "
            f"this program knows {SCHEMA})",
            hints=["update cleveragents, or choose another directory with --data-dir"],
        )


def _refuse_older(found: str | None, path: Path) -> None:
    """Refuses what would have to be brought up to date where nothing may be written."""
    if not is_ours(path.parent):
        raise Refused(
            f"the database is of an older version (schema {found}, this program knows {SCHEMA}), "
            f"and {path.parent} cannot be written to",
            hints=["let its owner use it once with this version"],
        )


def _back_up(path: Path, target: Path) -> None:
    """Keeps a copy of the database as it is before it is changed for good."""
    unfinished = target.with_name(f"{target.name}.writing")
    unfinished.unlink(missing_ok=True)
    make_file(unfinished)
    with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(unfinished)) as new:
        old.backup(new)
    sync_file(unfinished)
    unfinished.rename(target)
    sync_directory(target.parent)


def _connected(path: Path) -> sqlite3.Connection:
    """Opens the database; one that is not ours only to be read, with nothing left beside it."""
    ours = is_ours(path.parent)
    if ours:
        make_file(path)  # what SQLite puts beside it gets the same mode
    # Threads take turns. The driver's own transactions begin late and lose updates; ours do not.
    driver = sqlite3.connect(
        _address(path, "rw") if ours else _read_only(path),
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
    )
    for pragma in PRAGMAS if ours else READING_PRAGMAS:
        driver.execute(f"PRAGMA {pragma}")
    return driver


def _address(path: Path, mode: str) -> str:
    return f"file:{quote(str(path))}?mode={mode}"


def _read_only(path: Path) -> str:
    """Where to read a database that is not ours.

    In WAL mode SQLite would make files beside it, unless it is told that nobody writes; and so it
    is while there is no log.
    """
    log = path.with_name(f"{path.name}-wal")
    with path.open("rb") as file:
        is_wal = file.read(20)[18:] == WAL_FORMAT
    at_rest = is_wal and not (log.exists() and log.stat().st_size)
    return _address(path, "ro") + ("&immutable=1" if at_rest else "")
