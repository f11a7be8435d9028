"""One transaction: everything done through it commits together, or not at all."""

import sqlite3
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import TracebackType

from cleveragents.errors import CleverAgentsError, Failed
from cleveragents.storage.connection import Connection
from cleveragents.storage.space import FREE_SOME, told_free
from cleveragents.storage.standstill import busy

PRIMARY = 0xFF  # the part of a code that names the kind of error
FULL = "disk is full"
UNREADABLE = ("not a database", "malformed")  # what SQLite says of a file it cannot make out


class UnitOfWork(AbstractContextManager[Connection]):
    """A transaction on the database; repositories work on the connection it yields."""

    def __init__(self, transaction: AbstractContextManager[Connection], path: Path) -> None:
        self._transaction = transaction
        self._path = path
        self._stack = ExitStack()

    def __enter__(self) -> Connection:
        with ExitStack() as entered:  # what is entered is left again if the next one fails
            entered.enter_context(understood(self._path))
            connection = entered.enter_context(self._transaction)
            self._stack = entered.pop_all()
        return connection

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return self._stack.__exit__(kind, error, trace)


@contextmanager
def understood(path: Path) -> Generator[None]:
    """Turns what the database driver says into something a user can act on."""
    try:
        yield
    except sqlite3.Error as error:
        raise _told(error, path) from error


def _told(error: sqlite3.Error, path: Path) -> CleverAgentsError:
    code = getattr(error, "sqlite_errorcode", 0)  # errors of the driver itself have none
    if code & PRIMARY == sqlite3.SQLITE_BUSY:
        return busy(path)
    said, detail = f"the database cannot be used: {error}", [f"file: {path}"]
    hints = ["check permissions, or choose another --data-dir"]
    if code == sqlite3.SQLITE_READONLY_ROLLBACK:
        said = "a change of the database was interrupted; it can be read when that is taken back"
        detail = [*detail, f"which cannot be done here: {path.parent} cannot be written to"]
        hints = ["let its owner run any command, for example: agents plan list"]
    elif FULL in str(error):
        detail, hints = [*detail, told_free(path.parent)], [FREE_SOME]
    elif any(words in str(error) for words in UNREADABLE):
        mend = "move it away, then rebuild it from the store: agents doctor --repair"
        hints = [mend, "or choose another --data-dir"]
    return Failed(said, detail=detail, hints=hints)
