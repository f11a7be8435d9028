"""Where a path changed: the checkpoints of plans compared along their lines.

Equal directories are known by their id and never opened, and no content is read.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import cast

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, lineage
from cleveragents.checkpoints.file_change import telling
from cleveragents.errors import Damaged
from cleveragents.ids import CheckpointId, SnapshotId
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.picking import inside, is_excluded
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.diff import alike
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.manifest import Change, Entry
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.storage.database import Database

SIGNS = b"*?["  # of a glob


@frozen
class PathPattern:
    """Which paths are meant: one and what lies in it, a name anywhere, or a glob."""

    path: bytes
    glob: Filter
    head: bytes  # the directory, or the path itself, that all of them lie in

    @classmethod
    def of(cls, text: str) -> "PathPattern":
        """Reads it as users write it: without a slash it is a name, wherever it stands."""
        path = inside(text)
        if "/" not in text.rstrip("/"):
            return cls(path, Filter.of([text]), b"")
        plain = list(takewhile(_is_plain, tree_path.names(path)))
        is_glob = len(plain) < len(tree_path.names(path))
        glob = Filter.of([os.fsdecode(path)]) if is_glob else Filter()
        return cls(path, glob, b"/".join(plain))

    def matches(self, path: bytes) -> bool:
        """Whether a path is meant, or lies in a directory that is."""
        is_it = path == self.path or tree_path.is_below(path, self.path)
        return is_it or is_excluded(self.glob, path)


def _is_plain(name: bytes) -> bool:
    return not any(sign in name for sign in SIGNS)


@frozen
class PathChange:
    """How a checkpoint differs at a path from the one that it went on from."""

    plan: Plan
    checkpoint: Checkpoint
    is_left_behind: bool
    path: bytes
    before: Entry | None
    after: Entry | None
    is_covered: bool  # whether the checkpoint knows what stands there, be it nothing

    @property
    def entry(self) -> Entry:
        """The entry that is there, or was."""
        return cast("Entry", self.after or self.before)

    @property
    def status(self) -> str:
        """In a word."""
        if not self.is_covered:
            return "not covered"
        if self.before is None:
            return "added"
        return "deleted" if self.after is None else "modified"


@frozen
class PathStory:
    """Where paths changed."""

    changes: tuple[PathChange, ...]  # the newest plan first, in it the newest checkpoint
    unreadable: tuple[str, ...]  # checkpoints of which nothing can be told, and why
    unchanged_in: Plan | None = None  # where nothing changed: the newest plan that has such a path


class PathHistory:
    """Tells where paths changed; changes nothing and needs no lock."""

    def __init__(self, database: Database, sandboxes: Sandboxes) -> None:
        self._database = database
        self._sandboxes = sandboxes

    def find(self, plans: Sequence[Plan], text: str) -> PathStory:
        """Looks through the checkpoints of plans for what a text means."""
        pattern = PathPattern.of(text)
        changes: list[PathChange] = []
        unreadable: list[str] = []
        newest_first = sorted(plans, key=lambda plan: plan.number, reverse=True)
        lines = [self._line(plan, unreadable.append) for plan in newest_first]
        for line in lines:
            with line.archive.reading_once():
                changes += reversed(list(line.changes(pattern)))
        holding = (line.plan for line in lines if not changes and line.holds(pattern))
        return PathStory(tuple(changes), tuple(unreadable), next(holding, None))

    def _line(self, plan: Plan, tell: Callable[[str], None]) -> "_Line":
        archive = self._sandboxes.archive(plan.project_id)
        return _Line(plan, self._rows(plan), self._start(plan), archive, tell)

    def _rows(self, plan: Plan) -> Sequence[Checkpoint]:
        with self._database.reading() as connection:
            return CheckpointRepository(connection).of_plan(plan.plan_id)

    def _start(self, plan: Plan) -> SnapshotId | None:
        sandbox = self._sandboxes.find(plan.plan_id)
        return None if sandbox is None else sandbox.base_ref


class _Line:
    """The checkpoints of one plan."""

    def __init__(
        self,
        plan: Plan,
        rows: Sequence[Checkpoint],
        start: SnapshotId | None,
        archive: Archive,
        tell: Callable[[str], None],
    ) -> None:
        self.plan = plan
        self._rows = rows
        self._start = start
        self.archive = archive
        self._tell = tell
        self._current = lineage(rows)
        self._refs: Mapping[CheckpointId | None, SnapshotId | None] = {
            row.checkpoint_id: row.sandbox_ref for row in rows
        }

    def changes(self, pattern: PathPattern) -> Iterator[PathChange]:
        """Yields what each checkpoint changed of the one it went on from."""
        for row in self._rows:
            before = self._refs.get(row.parent_id, self._start)
            if before is None or before == row.sandbox_ref:
                continue
            try:
                old, new = map(self.archive.load, (before, row.sandbox_ref))
                found = self.archive.changes_at(pattern.head, old, new)
                changes = [change for change in found if pattern.matches(change.path)]
                yield from self._told(row, new, changes)
            except Damaged as error:
                self._tell(f"{row.name} of {self.plan.name} cannot be read: {error.message}")

    def holds(self, pattern: PathPattern) -> bool:
        """Whether the newest state has such a path."""
        newest = self._rows[-1].sandbox_ref if self._rows else None
        if newest is None:
            return False
        with suppress(Damaged):
            found = self.archive.changes_at(pattern.head, None, self.archive.load(newest))
            return any(pattern.matches(change.path) for change in found)
        return False

    def _told(
        self, row: Checkpoint, new: Snapshot, changes: Sequence[Change]
    ) -> Iterator[PathChange]:
        for change in telling(changes):
            if not alike(change.before, change.after):
                yield PathChange(
                    self.plan,
                    row,
                    row.checkpoint_id not in self._current,
                    change.path,
                    change.before,
                    change.after,
                    new.covers(change.path),
                )
