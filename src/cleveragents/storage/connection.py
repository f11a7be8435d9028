"""A connection to the database: plain SQL, values by name, times with their zone.

Statements keep to the SQL that every database understands: of those outside of `storage` none had
to change for PostgreSQL. What else knows SQLite is listed in `docs/architecture.md`.
"""

import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

Row = dict[str, Any]  # by the names of the columns
IntegrityError = sqlite3.IntegrityError  # a row that a constraint forbids

MOMENT = "_at"  # the end of the name of every column that holds a time


class Connection:
    """A connection that repositories work on, for the length of one transaction."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        self._driver = driver

    def execute(self, statement: str, /, **values: object) -> int:
        """Carries out a statement; returns how many rows it changed."""
        return self._driver.execute(statement, _stored(values)).rowcount

    def insert(self, table: str, /, **values: object) -> None:
        """Adds a row."""
        self._driver.execute(_insertion(table, tuple(values)), _stored(values))

    def update(self, table: str, where: Mapping[str, object], /, **values: object) -> int:
        """Changes the rows whose columns have these values; returns how many there were."""
        statement = _change(table, tuple(where), tuple(values))
        wanted = {f"where_{name}": value for name, value in where.items()}
        return self.execute(statement, **wanted, **values)

    def rows(self, query: str, /, **values: object) -> list[Row]:
        """Returns what a query finds."""
        cursor = self._driver.execute(query, values)
        names = [column[0] for column in cursor.description]
        moments = [name for name in names if name.endswith(MOMENT)]
        found = [dict(zip(names, row, strict=True)) for row in cursor]
        for row in found:
            for name in moments:
                row[name] = _moment(row[name])
        return found

    def row(self, query: str, /, **values: object) -> Row | None:
        """Returns the first row that a query finds; None if it finds none."""
        return next(iter(self.rows(query, **values)), None)

    def tuples(self, query: str, /, **values: object) -> list[tuple[Any, ...]]:
        """Returns what a query finds as it is stored, column by column."""
        return self._driver.execute(query, values).fetchall()

    def column(self, query: str, /, **values: object) -> list[Any]:
        """Returns the first column of what a query finds, as it is stored."""
        return [row[0] for row in self.tuples(query, **values)]

    def value(self, query: str, /, **values: object) -> Any:  # noqa: ANN401 - it is what the column holds
        """Returns the first column of the first row, as it is stored; None if there is none."""
        return next(iter(self.column(query, **values)), None)


@cache
def _insertion(table: str, names: tuple[str, ...]) -> str:
    given = ", ".join(f":{name}" for name in names)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({given})"  # noqa: S608 - names are ours


@cache
def _change(table: str, where: tuple[str, ...], names: tuple[str, ...]) -> str:
    given = ", ".join(f"{name} = :{name}" for name in names)
    wanted = " AND ".join(f"{name} = :where_{name}" for name in where)
    return f"UPDATE {table} SET {given} WHERE {wanted}"  # noqa: S608 - names are ours


def _stored(values: Mapping[str, object]) -> dict[str, object]:
    """Writes times the way they are kept: in UTC, as text that sorts like they do."""
    return {
        name: _text(value) if isinstance(value, datetime) else value
        for name, value in values.items()
    }


def _text(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise ValueError("a time without a zone cannot be stored")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)
