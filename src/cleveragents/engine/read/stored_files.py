"""Single files as a checkpoint has them: bytes, where a link leads, what a directory lists."""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.stored import verified
from cleveragents.errors import NotFound, Refused
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.picking import hints_near, inside_or_top, is_excluded
from cleveragents.snapshots.tree.content import stream, write_file
from cleveragents.snapshots.tree.manifest import Directory, Entry, decode
from cleveragents.snapshots.tree.scan import shown

KINDS: Mapping[int, str] = {
    stat.S_IFREG: "file",
    stat.S_IFLNK: "link",
    stat.S_IFDIR: "directory",
}
SPECIAL = "special file"
MODE = 0o777  # a program that somebody else made runs with nobody's rights but the caller's


@frozen
class StoredFile:
    """A path as a checkpoint has it."""

    checkpoint: Checkpoint
    path: bytes
    entry: Entry
    archive: Archive

    @property
    def kind(self) -> str:
        """The kind of it, in a word."""
        return kind_of(self.entry)

    def pieces(self) -> Iterator[bytes]:
        """Yields its bytes, or where a link leads; each piece is verified before it comes."""
        return stream(self.entry, self.archive.read)

    def listing(self) -> Directory:
        """The entries of a directory."""
        return decode(self.archive.read(self.entry.content))

    def write(self, target: Path) -> None:
        """Makes a file or a link that is not there yet; what cannot be finished goes again."""
        if self.entry.is_dir:
            raise Refused(
                f"{shown(self.path)} is a directory; single files are written",
                hints=[f"all of {self.checkpoint.name}: {self._all_of_it}"],
            )
        try:
            self._make(target)
        except FileExistsError as error:
            raise Refused(
                f"{target} exists already", hints=["name a file that does not exist yet"]
            ) from error

    @property
    def _all_of_it(self) -> str:
        return f"agents plan rollback {self.checkpoint.plan_id} {self.checkpoint.seq} --to DIR"

    def _make(self, target: Path) -> None:
        if stat.S_ISLNK(self.entry.mode):
            os.symlink(b"".join(self.pieces()), os.fsencode(target))
            return
        new = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            write_file(new, self.entry, self.archive.read)
            os.fchmod(new, self.entry.permissions & MODE)
            os.fsync(new)
        except BaseException:
            target.unlink()
            raise
        finally:
            os.close(new)


def kind_of(entry: Entry) -> str:
    """The kind of an entry, in a word."""
    return KINDS.get(entry.kind, SPECIAL)


class StoredFiles:
    """Finds files in checkpoints; changes nothing and needs no lock."""

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes

    def look(self, plan: Plan, checkpoint: Checkpoint, text: str) -> StoredFile:
        """Returns what a checkpoint has at a path; refuses what has no content."""
        path = inside_or_top(text)
        archive = self._sandboxes.archive(plan.project_id)
        snapshot = verified(archive, checkpoint)
        known = archive.lookup(snapshot)
        entry = known.find(path)
        if entry is None:
            why = ", which leaves it out" if is_excluded(snapshot.filter, path) else ""
            unknown = snapshot.why_unknown(path)
            why = f": {unknown}" if unknown else why
            near = hints_near(path, known)
            raise NotFound(f"there is no {shown(path)} in {checkpoint.name}{why}", hints=near)
        if kind_of(entry) == SPECIAL:
            raise Refused(f"{shown(path)} is a pipe or a socket: it has no content")
        return StoredFile(checkpoint, path, entry, archive)
