"""The record of every settings file that was changed, so that all of it can be taken out again.

It tells what was added and where, never what else stands in a file: settings may hold secrets.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from cleveragents.clients.client import HookLevel
from cleveragents.clients.splicing import Span
from cleveragents.errors import Damaged
from cleveragents.records import frozen
from cleveragents.storage.replacing import alone, replace_file

FILE = "installed"  # in the data directory
MODE = 0o600


@frozen
class WrittenFile:
    """A settings file that holds hooks of ours."""

    client: str
    level: HookLevel
    path: Path
    digest: str  # of what was written: if it is still that, what was there before is known exactly
    added: tuple[Span, ...]
    is_new: bool  # there was none before
    directories: tuple[Path, ...] = ()  # that were made for it, the innermost first

    def holds(self, text: str) -> bool:
        """Whether a text is the one that was written."""
        return self.digest == digest_of(text)


def digest_of(text: str) -> str:
    """The digest by which a text is known again."""
    return sha256(text.encode()).hexdigest()


class WrittenFiles:
    """All that were ever written and not taken out yet."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def all(self) -> list[WrittenFile]:
        """Returns all of them, in the order in which they were written."""
        try:
            rows = json.loads(self._path.read_bytes())
            return [_read(row) for row in rows]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError, KeyError) as error:
            raise Damaged(
                f"{self._path} cannot be read: {error}",
                hints=["move it away; `agents unprotect --all` then looks at the usual places"],
            ) from error

    def find(self, path: Path) -> WrittenFile | None:
        """Returns what is known of a file."""
        return next((one for one in self.all() if one.path == path), None)

    def note(self, written: WrittenFile) -> None:
        """Notes a file, in the place of what was known of it."""
        with alone(self._path):
            self._write([*self._others(written.path), written])

    def drop(self, path: Path) -> None:
        """Forgets a file."""
        with alone(self._path):
            self._write(self._others(path))

    def _others(self, path: Path) -> list[WrittenFile]:
        return [one for one in self.all() if one.path != path]

    def _write(self, files: Sequence[WrittenFile]) -> None:
        rows = [_row(one) for one in files]
        if not rows:
            self._path.unlink(missing_ok=True)
            return
        replace_file(self._path, json.dumps(rows, indent=1).encode(), MODE)


def _row(one: WrittenFile) -> dict[str, Any]:
    return {
        "client": one.client,
        "level": one.level.value,
        "path": str(one.path),
        "digest": one.digest,
        "added": [[span.start, span.end] for span in one.added],
        "is_new": one.is_new,
        "directories": [str(path) for path in one.directories],
    }


def _read(row: dict[str, Any]) -> WrittenFile:
    return WrittenFile(
        row["client"],
        HookLevel(row["level"]),
        Path(row["path"]),
        row["digest"],
        tuple(Span(start, end) for start, end in row["added"]),
        row["is_new"],
        tuple(map(Path, row["directories"])),
    )
