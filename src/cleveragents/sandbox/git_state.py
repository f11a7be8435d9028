"""Where the user's repository stands, read from its files: no git is run and nothing is written."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from cleveragents.records import as_dict, field_names, frozen

# What tells that git has begun something, and its name.
BEGUN: Mapping[str, str] = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
HEADS = "refs/heads/"
_COMMIT = re.compile(rb"[0-9a-f]{40}([0-9a-f]{24})?")
_FILE, _REFERENCE = b"gitdir: ", b"ref: "
_DEPTH = 5  # references that name references, as deep as git follows them
_MOVED = b"checkout: moving from "


@frozen
class GitState:
    """HEAD, what git has begun, and which index there is."""

    head: str  # the commit; empty: there is none yet
    branch: str  # empty: HEAD names a commit and no branch
    operation: str = ""  # what was begun and not ended
    index: str = ""  # what tells it from every other one; empty: there is none

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON keeps it."""
        return as_dict(self)

    @classmethod
    def from_record(cls, record: object) -> "GitState | None":
        """Reads it back; None: nothing was noted, or something else."""
        noted = cast("dict[str, object]", record) if isinstance(record, dict) else {}
        fields = {name: str(noted[name]) for name in field_names(cls) if name in noted}
        return cls(**fields) if fields.keys() >= {"head", "branch"} else None


@frozen
class Repository:
    """The repository that a directory lies in."""

    top: Path
    git_dir: Path  # of this work tree
    common_dir: Path  # of all work trees

    @classmethod
    def around(cls, directory: Path) -> "Repository | None":
        """Finds it; None: the directory is in none."""
        for top in (directory, *directory.parents):
            git_dir = _git_dir(top / ".git")
            if git_dir is not None:
                told = _read(git_dir / "commondir").strip()
                return cls(top, git_dir, git_dir / os.fsdecode(told) if told else git_dir)
        return None

    def state(self) -> GitState:
        """Where it stands."""
        head = _read(self.git_dir / "HEAD").strip()
        name = head.removeprefix(_REFERENCE) if head.startswith(_REFERENCE) else b""
        commit = self._commit(head)
        begun = [told for file, told in BEGUN.items() if os.path.lexists(self.git_dir / file)]
        branch = os.fsdecode(name).removeprefix(HEADS)
        return GitState(commit, branch, begun[0] if begun else "", _identity(self.git_dir))

    def checkouts_since(self, commit: str) -> bool | None:
        """Tells whether HEAD was moved to another commit by a checkout since it was at one.

        None: nobody knows. A branch that is made where HEAD is moves it nowhere.
        """
        found, moved = not commit, False
        for old, new, why in self._log():
            moved = moved or (why.startswith(_MOVED) and old != new)
            if new == commit.encode():
                found, moved = True, False
        return moved if found else None

    def _log(self) -> Iterator[tuple[bytes, bytes, bytes]]:
        """Where HEAD was moved, the oldest first: from where, to where and why."""
        for line in _read(self.git_dir / "logs" / "HEAD").splitlines():
            about, _, why = line.partition(b"\t")
            old, new, *_ = [*about.split(b" "), b"", b""]
            yield old, new, why

    def _commit(self, told: bytes) -> str:
        """Follows references to a commit; none where one leads to nothing."""
        for _ in range(_DEPTH):
            if not told.startswith(_REFERENCE):
                break
            name = told.removeprefix(_REFERENCE).strip()
            told = self._reference(name)
        return told.decode() if _COMMIT.fullmatch(told) else ""

    def _reference(self, name: bytes) -> bytes:
        path = os.fsdecode(name)
        for place in (self.git_dir, self.common_dir):
            if found := _read(place / path).strip():
                return found
        for line in _read(self.common_dir / "packed-refs").splitlines():
            commit, _, packed = line.partition(b" ")
            if packed == name:
                return commit
        return b""


def look(directory: Path) -> GitState | None:
    """Where the repository around a directory stands; None: it is in none."""
    found = Repository.around(directory)
    return None if found is None else found.state()


def _git_dir(path: Path) -> Path | None:
    """The directory that a `.git` is or names, as a work tree or a submodule has it."""
    if path.is_dir():
        return path if (path / "HEAD").exists() else None
    told = _read(path)
    if not told.startswith(_FILE):
        return None
    named = path.parent / os.fsdecode(told.removeprefix(_FILE).rstrip(b"\n"))
    return named if named.is_dir() else None


def _identity(git_dir: Path) -> str:
    try:
        found = os.stat(git_dir / "index")
    except OSError:  # there is none, or none that may be looked at
        return ""
    return f"{found.st_ino}:{found.st_mtime_ns}:{found.st_size}"


def _read(path: Path) -> bytes:
    """The content of a file; nothing where there is none that can be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
