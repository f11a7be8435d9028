"""Fills a sandbox with what another one held: its files and its git directory, exactly."""

import stat
from pathlib import Path

from cleveragents.ids import SnapshotId
from cleveragents.sandbox.git_worktree import branch_off
from cleveragents.sandbox.sandbox import GIT, FillResult, Sandbox
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.tree.record import Snapshot


def base_of(state: Snapshot) -> SnapshotId | None:
    """The state of the project that a checkpoint goes on from, if a refresh has brought one."""
    return state.about.get("document", {}).get("base")


def fill_from_snapshot(
    sandbox: Sandbox, snapshot_id: SnapshotId, archive: Archive, project: Path
) -> FillResult:
    """Makes it what the snapshot says; all of that is stored already and is not stored again."""
    snapshot = archive.load(snapshot_id)
    places = {MAIN: sandbox.path, GIT: sandbox.git_dir}
    roots = {name: places[name] for name in snapshot.roots}
    for path in roots.values():
        path.mkdir(mode=stat.S_IRWXU, exist_ok=True)
    files = archive.fill(snapshot, roots, sandbox.staging, project)
    branch = branch_off(sandbox) if GIT in roots else None
    return FillResult(snapshot_id, branch, files, (), sandbox.head)
