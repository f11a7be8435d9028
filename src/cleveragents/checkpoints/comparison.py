"""Compares states of a plan: what it started from, its checkpoints, and the files as they are."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.file_change import FileChange, described, has_other_mode, telling
from cleveragents.checkpoints.stored import verified
from cleveragents.ids import SnapshotId
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.tree.content import CHUNK
from cleveragents.snapshots.tree.manifest import Change, Entry
from cleveragents.snapshots.tree.scan import shown

NO_NEWLINE = "\\ No newline at end of file"

Content = Callable[[bytes, Entry], bytes]


@frozen
class FileDiff:
    """How one path differs."""

    path: str  # that of a directory ends with /
    status: str  # added | modified | deleted
    insertions: int
    deletions: int
    patch: tuple[str, ...]  # empty where no line differs
    remark: str = ""  # what differs where no line does


class Comparisons:
    """Compares states of a plan without changing anything."""

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes

    def since_start(self, plan: Plan) -> list[FileDiff]:
        """Tells what the plan has changed so far."""
        sandbox = self._sandboxes.require(plan.plan_id)
        return self._until_now(plan, sandbox.base)

    def count_since_start(self, plan: Plan) -> int:
        """Tells how many paths the plan has changed so far; none of them is read."""
        sandbox = self._sandboxes.require(plan.plan_id)
        return sum(1 for _ in _told(self._changes(plan, sandbox, sandbox.base)))

    def has_work(self, plan: Plan, sandbox: Sandbox, states: Iterable[SnapshotId]) -> bool:
        """Tells whether the files, or a snapshot of them, hold what an apply would bring.

        That is more than other times, and not what ties a sandbox to its own git directory.
        """
        archive = self._sandboxes.archive(plan.project_id)
        base = archive.load(sandbox.base)
        ways = [archive.changes(base, archive.load(state))[MAIN] for state in states]
        if sandbox.exists:
            ways.append([*self._changes(plan, sandbox, sandbox.base)])
        return any(_is_more_than_time(change) for way in ways for change in _told(way))

    def since(self, plan: Plan, before: Checkpoint) -> list[FileDiff]:
        """Tells what has changed since a checkpoint."""
        return self._until_now(plan, before.sandbox_ref)

    def beside(self, plan: Plan, other: Checkpoint) -> list[FileDiff]:
        """Tells how the files differ from those of another way; their times are no difference."""
        return self._until_now(plan, other.sandbox_ref, _is_more_than_time)

    def back_to(self, plan: Plan, target: Checkpoint) -> list[FileDiff]:
        """Tells what going back to a checkpoint would make of the files."""
        return self._until_now(plan, target.sandbox_ref, back=True)

    def way_back(self, plan: Plan, target: Checkpoint) -> tuple[FileChange, ...] | None:
        """Names what going back to a checkpoint would change; None if there is no sandbox."""
        sandbox = self._sandboxes.find(plan.plan_id)
        if sandbox is None or not sandbox.exists:
            return None
        archive = self._sandboxes.archive(plan.project_id)
        return described(archive.changes_from_now(verified(archive, target), sandbox.roots))

    def between(self, plan: Plan, before: Checkpoint, after: Checkpoint) -> list[FileDiff]:
        """Tells what changed from one checkpoint to another."""
        return self.between_snapshots(plan, before.sandbox_ref, after.sandbox_ref)

    def between_snapshots(
        self, plan: Plan, before: SnapshotId, after: SnapshotId
    ) -> list[FileDiff]:
        """Tells what changed from one snapshot to another."""
        archive = self._sandboxes.archive(plan.project_id)
        changes = archive.changes(archive.load(before), archive.load(after))

        def stored(_: bytes, entry: Entry) -> bytes:
            return archive.read_file(entry)

        return list(diffs(changes[MAIN], stored, stored))

    def _until_now(
        self,
        plan: Plan,
        snapshot_id: SnapshotId,
        counts: Callable[[Change], bool] = lambda _: True,
        *,
        back: bool = False,  # the same the other way round
    ) -> list[FileDiff]:
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        changes = self._changes(plan, sandbox, snapshot_id)

        def present(path: bytes, _: Entry) -> bytes:
            return beneath.read(sandbox.path, path)

        def stored(_: bytes, entry: Entry) -> bytes:
            return archive.read_file(entry)

        if back:
            return list(diffs(filter(counts, changes), present, stored))
        forward = [Change(one.path, one.after, one.before) for one in changes if counts(one)]
        return list(diffs(forward, stored, present))

    def _changes(self, plan: Plan, sandbox: Sandbox, snapshot_id: SnapshotId) -> Sequence[Change]:
        archive = self._sandboxes.archive(plan.project_id)
        return archive.changes_from_now(archive.load(snapshot_id), {MAIN: sandbox.path})[MAIN]


def _is_more_than_time(change: Change) -> bool:
    before, after = change.before, change.after
    if before is None or after is None:
        return True
    return before._replace(mtime_ns=after.mtime_ns) != after


def diffs(changes: Iterable[Change], old: Content, new: Content) -> Iterator[FileDiff]:
    """Yields how each path differs."""
    for change in _told(changes):
        before, after = (
            _lines(change.path, change.before, old),
            _lines(change.path, change.after, new),
        )
        yield _diff(change, before, after)


def _told(changes: Iterable[Change]) -> Iterator[Change]:
    """Leaves out what ties a sandbox to its own git directory; the project has another."""
    return (change for change in telling(changes) if change.path != b".git")


def path_told(change: Change) -> str:
    """A path as people read it; that of a directory ends with /."""
    entry = change.after or change.before
    return shown(change.path) + ("/" if entry is not None and entry.is_dir else "")


def _diff(change: Change, before: list[str] | None, after: list[str] | None) -> FileDiff:
    path = path_told(change)
    status = (
        "modified" if change.before and change.after else "added" if change.after else "deleted"
    )
    if before is None or after is None or before == after:
        return FileDiff(path, status, 0, 0, (), _remark(change, before, after))
    import difflib  # noqa: PLC0415 - slow to import, and only who shows lines needs it

    names = (
        f"a/{path}" if change.before else os.devnull,
        f"b/{path}" if change.after else os.devnull,
    )
    patch = tuple(difflib.unified_diff(before, after, *names, lineterm=""))
    plus = sum(line.startswith("+") for line in patch[2:])
    minus = sum(line.startswith("-") for line in patch[2:])
    # A line end in the first two is part of a name.
    body = [line for entry in patch[2:] for line in entry.split("\n")]
    return FileDiff(path, status, plus, minus, (*patch[:2], *body, *_mode_lines(change)))


def _remark(change: Change, before: list[str] | None, after: list[str] | None) -> str:
    """Says what differs where no line does."""
    old, new = change.before, change.after
    if old is None or new is None:
        entry = old or new
        is_dir = entry is not None and entry.is_dir
        what = "directory" if is_dir else "file"
        return f"an empty {what}" if is_dir or before == after else "not shown as text"
    is_same = (old.is_dir and new.is_dir) or old.content == new.content
    told = [] if is_same else ["not shown as text"]
    return ", ".join([*told, *_mode_lines(change)]) or "its time or attributes"


def _mode_lines(change: Change) -> tuple[str, ...]:
    before, after = change.before, change.after
    if before is None or after is None or not has_other_mode(change):
        return ()
    return (f"mode {before.mode:o} -> {after.mode:o}",)


def _lines(path: bytes, entry: Entry | None, content: Content) -> list[str] | None:
    """Returns the lines of a text; None for what is binary, large or neither file nor link."""
    if entry is None:
        return []
    if entry.is_dir or entry.size > CHUNK or not entry.has_content:
        return None
    data = content(path, entry)
    if b"\0" in data:
        return None
    *lines, last = data.decode(errors="replace").split("\n")
    return [*lines, f"{last}\n{NO_NEWLINE}"] if last else lines
