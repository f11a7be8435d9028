"""The head: a number that goes up with whoever changes something, in the database and beside it.

A database that was replaced by an older copy, or that was lost and made anew, is behind the number
beside it. To use it would forget what the store still has, and give its numbers again.
"""

import os
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.storage.database import Database
from cleveragents.storage.place import refuse_foreign
from cleveragents.storage.privacy import make_file, make_private
from cleveragents.storage.space import if_there_is_room

_NUMBER = "SELECT number FROM heads"


class Head:
    """The number of a data directory."""

    def __init__(self, database: Database, path: Path) -> None:
        self._database = database
        self._path = path
        self._advanced = False

    @property
    def has_advanced(self) -> bool:
        """Whether this process has said that it changes something."""
        return self._advanced

    @property
    def is_behind(self) -> bool:
        """Whether the database is older than what is beside it."""
        return self._beside() > self._stored()

    def advance(self) -> None:
        """Says once that this process changes something; refuses where that would do harm.

        Reading, and the doctor, always work.
        """
        if self._advanced:
            return
        self.refuse_foreign()
        make_private(self._path.parent)
        if self.is_behind:
            raise Refused(
                "the database is older than what is kept beside it; it can only be read",
                hints=["put the right one back, or rebuild it: agents doctor --repair"],
            )
        self._rise(0)
        self._advanced = True

    def refuse_foreign(self) -> None:
        """Refuses to change what is not ours, or cannot be written to."""
        refuse_foreign(self._path.parent)

    def accept(self) -> None:
        """Accepts the database as it is."""
        self._rise(self._beside())

    def _rise(self, above: int) -> None:
        with self._database.registering() as connection:
            known = connection.value(_NUMBER)
            number = max(known or 0, above) + 1
            if known is None:
                connection.insert("heads", head_id=1, number=number)
            else:
                connection.update("heads", {"head_id": 1}, number=number)
        # Afterwards: if this is lost, an old database is seen a little later, nothing worse. So a
        # disk that is full keeps nobody from what frees it.
        unfinished = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with if_there_is_room():
            try:
                make_file(unfinished)
                unfinished.write_text(str(number))
                unfinished.rename(self._path)
            finally:
                unfinished.unlink(missing_ok=True)

    def _stored(self) -> int:
        with self._database.reading() as connection:
            return connection.value(_NUMBER) or 0

    def _beside(self) -> int:
        try:
            return int(self._path.read_text())
        except (FileNotFoundError, ValueError):  # a power cut may have emptied it
            return 0
