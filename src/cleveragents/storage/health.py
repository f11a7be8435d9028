"""The health of the database, as it reports it."""

from cleveragents.records import frozen
from cleveragents.storage.connection import Connection


@frozen
class Health:
    """How the database runs, and what is wrong with it."""

    journal_mode: str
    problems: tuple[str, ...]


def health(connection: Connection) -> Health:
    """Lets the database check its file and its references."""
    said = [str(line) for line in connection.column("PRAGMA integrity_check")]
    problems = [line for line in said if line != "ok"]
    problems += [
        f"a row of {row[0]} points at a row of {row[2]} that is not there"
        for row in connection.tuples("PRAGMA foreign_key_check")
    ]
    return Health(str(connection.value("PRAGMA journal_mode")), tuple(problems))
