"""One transaction: everything done through it commits together, or not at all."""

import sqlite3
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import TracebackType

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from cleveragents.errors import Failed

UNREADABLE = ("not a database", "malformed")  # what SQLite says of a file it cannot make out


class UnitOfWork(AbstractContextManager[Connection]):
    """A transaction on the database; repositories work on the connection it yields."""

    def __init__(self, engine: Engine, turn: AbstractContextManager[object]) -> None:
        self._engine = engine
        self._turn = turn  # of one thread at a time
        self._stack = ExitStack()

    def __enter__(self) -> Connection:
        with ExitStack() as stack:  # what fails to begin is told and let go of as well
            stack.enter_context(self._turn)
            stack.enter_context(understood(self._engine))
            connection = stack.enter_context(self._engine.begin())
            self._stack = stack.pop_all()
        return connection

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return self._stack.__exit__(kind, error, trace)


@contextmanager
def understood(engine: Engine) -> Generator[None]:
    """Turns what the database driver says into something a user can act on."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        hints = ["check free space and permissions, or choose another --data-dir"]
        if any(words in str(cause) for words in UNREADABLE):
            hints = ["move it away, then rebuild it from the store: agents doctor --repair"]
        raise Failed(
            f"the database cannot be used: {cause}",
            detail=[f"file: {engine.url.database}"],
            hints=hints,
        ) from error
