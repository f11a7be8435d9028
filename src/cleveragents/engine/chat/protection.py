"""The directories that are protected: hooks act there, and do nothing elsewhere.

The file has a line of JSON for each; hooks read it themselves, so it is replaced as a whole.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.records import frozen
from cleveragents.sandbox.project import Project
from cleveragents.storage.place import network_of
from cleveragents.storage.replacing import alone, replace_file

FILE = "protected"  # in the data directory
MODE = 0o600


@frozen
class ProtectedRoot:
    """A directory: what counts is the device and the number by which the file system knows it."""

    path: Path
    device: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> "ProtectedRoot":
        """The directory at a path, as it is now."""
        there = path.stat()
        return cls(path, there.st_dev, there.st_ino)

    @property
    def identity(self) -> tuple[int, int]:
        """What tells it apart from others, whatever it is called."""
        return self.device, self.inode


class Protection:
    """The list of protected directories."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def roots(self) -> list[ProtectedRoot]:
        """Returns all of them; a line that is none is left out."""
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []
        return [root for root in map(_read, lines) if root is not None]

    def root_above(self, directory: Path) -> Project | None:
        """Returns the innermost protected directory that a directory is or lies in.

        One that was moved is returned by the path that it has now.
        """
        known = {one.identity: one.path for one in self.roots()}
        there = directory.resolve() if known else None
        for path in (there, *there.parents) if there else ():
            this = ProtectedRoot.of(path).identity
            if (found := known.get(this)) is not None:
                return Project(found if _is_at(found, this) else path)
        return None

    def is_protected(self, project: Project) -> bool:
        """Tells whether a directory is on the list."""
        return ProtectedRoot.of(project.path).identity in [one.identity for one in self.roots()]

    def is_replaced(self, project: Project) -> bool:
        """Tells whether another directory was protected in its place: hooks are silent then."""
        here = ProtectedRoot.of(project.path).identity
        there = [one.identity for one in self.roots() if one.path == project.path]
        return bool(there) and here not in there

    def is_let_go(self, project: Project) -> bool:
        """Tells whether there is a list, and a directory is neither on it nor in one that is."""
        return self._path.exists() and self.root_above(project.path) is None

    def refuse_network(self, project: Project) -> None:
        """Refuses a directory on a file system that is not of this machine."""
        kind = network_of(project.path)
        if kind is not None:
            raise Refused(
                f"{project.path} is on a network file system ({kind}), which is not supported",
                hints=["work on a copy of it on a disk of this machine"],
            )

    def add(self, project: Project) -> None:
        """Puts a directory on the list; one that is there by another path is there once."""
        self.refuse_network(project)
        root = ProtectedRoot.of(project.path)
        with alone(self._path):
            self._write([*self._without(root), root])

    def remove(self, project: Project) -> bool:
        """Takes a directory off the list; tells whether it was there."""
        root = ProtectedRoot.of(project.path)
        with alone(self._path):
            left = self._without(root)
            was_there = len(left) < len(self.roots())
            if was_there:
                self._write(left)
        return was_there

    def clear(self) -> None:
        """Takes all of them off."""
        self._path.unlink(missing_ok=True)

    def _without(self, root: ProtectedRoot) -> list[ProtectedRoot]:
        """The others: neither that directory, nor one that was at its path before."""
        return [
            one for one in self.roots() if one.identity != root.identity and one.path != root.path
        ]

    def _write(self, roots: Sequence[ProtectedRoot]) -> None:
        rows = [{"path": str(one.path), "device": one.device, "inode": one.inode} for one in roots]
        replace_file(self._path, "".join(f"{json.dumps(row)}\n" for row in rows).encode(), MODE)


def _is_at(path: Path, identity: tuple[int, int]) -> bool:
    try:
        return ProtectedRoot.of(path).identity == identity
    except OSError:
        return False


def _read(line: str) -> ProtectedRoot | None:
    try:
        row = json.loads(line)
        return ProtectedRoot(Path(row["path"]), int(row["device"]), int(row["inode"]))
    except (ValueError, TypeError, KeyError):
        return None
