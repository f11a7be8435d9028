"""The sandbox: its facts, as stored, and where its parts lie."""

import json
import os
import stat
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cleveragents.ids import PlanId, ProjectId, SnapshotId, now
from cleveragents.records import frozen
from cleveragents.sandbox.project import Project, is_gone
from cleveragents.snapshots.tree.record import MAIN
from cleveragents.storage.connection import Connection, Row

if TYPE_CHECKING:
    from cleveragents.snapshots.archive import Archive
    from cleveragents.snapshots.tree.scan import Excluded

CREATING, READY, REMOVED = "creating", "ready", "removed"
GIT = "git"  # the root of its git directory


@frozen
class Sandbox:
    """Where a plan works: a directory of ours, and beside it a git directory if it has one."""

    sandbox_id: str
    plan_id: PlanId
    strategy: str
    path: Path  # the files; everything else of ours lies beside it
    branch: str | None
    status: str
    base_ref: SnapshotId | None  # the snapshot of the project it started from
    notes: tuple[str, ...]  # what could not be taken along
    created_at: datetime
    refreshed_ref: SnapshotId | None  # the snapshot of the project that was last merged in
    head: str | None  # the user's commit it stands on
    project_inode: str | None  # tells another directory of the same path apart

    @property
    def base(self) -> SnapshotId:
        """The snapshot of the project that its files go on from."""
        return self.refreshed_ref or self.started_from

    @property
    def started_from(self) -> SnapshotId:
        """The snapshot of the project, or of another plan, that it was filled with."""
        return SnapshotId(str(self.base_ref))  # a finished sandbox has one

    @property
    def home(self) -> Path:
        """The directory that holds all parts of the sandbox."""
        return self.path.parent

    @property
    def git_dir(self) -> Path:
        """Its own git directory, outside the files."""
        return self.home / "git"

    @property
    def staging(self) -> Path:
        """Where files are built before they are renamed into place."""
        return self.home / "staging"

    @property
    def roots(self) -> Mapping[str, Path]:
        """The directories a checkpoint captures."""
        if self.branch is None:
            return {MAIN: self.path}
        return {MAIN: self.path, GIT: self.git_dir}

    @property
    def has_directories(self) -> bool:
        """Whether all of its directories are there, and no link has taken their place."""
        return all(map(_is_directory, self.roots.values()))

    @property
    def has_files(self) -> bool:
        """Whether the directory of its files is there, whatever became of the others."""
        return _is_directory(self.path)

    @property
    def has_part(self) -> bool:
        """Whether anything lies in one of its directories."""
        return any(path.is_dir() and any(path.iterdir()) for path in self.roots.values())

    @property
    def in_the_way(self) -> Path | None:
        """The links or files that stand where its directories were."""
        strange = (path for path in self.roots.values() if path.is_symlink() or path.exists())
        return next((path for path in strange if path.is_symlink() or not path.is_dir()), None)

    @property
    def exists(self) -> bool:
        """Whether its files are there, all of them: those of a removed one are a leftover."""
        return self.status != REMOVED and self.has_directories

    @property
    def condition(self) -> str:
        """The condition of its files, in a word."""
        return self.status if self.exists or self.status == REMOVED else "missing"


def _is_directory(path: Path) -> bool:
    """Whether a directory is there, and no link to one; each checkpoint asks, in one look."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


@frozen
class SandboxPolicy:
    """The start of a new sandbox."""

    strategy: str = "auto"
    base: str = "worktree"  # worktree | head
    copy_ignored: tuple[str, ...] = ()


@frozen
class FillResult:
    """The work of a strategy on an empty sandbox."""

    base_ref: SnapshotId
    branch: str | None
    files: int
    notes: tuple[str, ...]
    head: str | None = None  # the user's commit at that moment


@frozen
class ProjectState:
    """A snapshot of the project as it is now."""

    reference: SnapshotId
    files: int
    notes: tuple[str, ...]
    head: str | None = None  # the user's commit at that moment


Known = Callable[[bytes], bool]  # whether a path is part of what the sandbox started from


About = Mapping[str, object]  # what the record of a base tells of its plan


class Strategy(Protocol):
    """A way to fill a sandbox from a project, and to look at the project again later."""

    def fill(
        self,
        project: Project,
        sandbox: Sandbox,
        archive: "Archive",
        policy: SandboxPolicy,
        about: About,
    ) -> FillResult: ...

    def capture(
        self, project: Project, archive: "Archive", policy: SandboxPolicy, known: Known
    ) -> ProjectState: ...

    def left_out(self, project: Project, policy: SandboxPolicy, known: Known) -> "Excluded": ...


_OF_PLAN = "SELECT * FROM sandboxes WHERE plan_id = :plan_id"
_ABOUT = "SELECT name, number, definition_json FROM plans WHERE plan_id = :plan_id"
_WAS_PROJECT = """SELECT DISTINCT projects.path FROM projects
    JOIN plans ON plans.project_id = projects.project_id
    JOIN sandboxes ON sandboxes.plan_id = plans.plan_id
    WHERE sandboxes.project_inode = :inode"""
_BASES = """SELECT sandboxes.base_ref, sandboxes.refreshed_ref FROM sandboxes
    JOIN plans ON plans.plan_id = sandboxes.plan_id
    WHERE plans.project_id = :project_id"""
_HEADS = """SELECT sandboxes.head FROM sandboxes
    JOIN plans ON plans.plan_id = sandboxes.plan_id
    WHERE plans.project_id = :project_id AND sandboxes.head IS NOT NULL"""


class SandboxRepository:
    """The rows of sandboxes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_plan(self, plan_id: PlanId) -> Sandbox | None:
        """Returns the sandbox of a plan, if it has one."""
        row = self._connection.row(_OF_PLAN, plan_id=plan_id)
        return None if row is None else _from_row(row)

    def get(self, plan_id: PlanId) -> Sandbox:
        """Returns the sandbox that a plan is known to have."""
        (row,) = self._connection.rows(_OF_PLAN, plan_id=plan_id)
        return _from_row(row)

    def add(
        self,
        sandbox_id: str,
        plan_id: PlanId,
        strategy: str,
        path: Path,
        *,
        base_ref: SnapshotId | None = None,
    ) -> None:
        """Records that a sandbox is about to be made, before anything is on the disk."""
        self._connection.insert(
            "sandboxes",
            sandbox_id=sandbox_id,
            plan_id=plan_id,
            strategy=strategy,
            path=str(path),
            status=CREATING,
            base_ref=base_ref,
            notes_json="[]",
            created_at=now(),
        )

    def ready(self, sandbox_id: str, filled: FillResult, project_inode: str) -> None:
        """Records that the sandbox is complete."""
        self._connection.update(
            "sandboxes",
            {"sandbox_id": sandbox_id},
            status=READY,
            branch=filled.branch,
            base_ref=filled.base_ref,
            notes_json=json.dumps(filled.notes),
            head=filled.head,
            project_inode=project_inode,
        )

    def inherit(self, plan_id: PlanId, *, base: SnapshotId, head: str | None) -> None:
        """Records what of the user's a sandbox that starts from another one's state is based on."""
        self._set(plan_id, refreshed_ref=base, head=head)

    def set_status(self, plan_id: PlanId, status: str) -> None:
        """Records what became of the files of a sandbox."""
        self._set(plan_id, status=status)

    def set_refreshed(self, plan_id: PlanId, snapshot_id: SnapshotId | None) -> None:
        """Records what was last merged into the sandbox of a plan."""
        self._set(plan_id, refreshed_ref=snapshot_id)

    def set_project(self, plan_id: PlanId, head: str | None, project_inode: str) -> None:
        """Records which directory and commit of the user's the sandbox stands on."""
        self._set(plan_id, head=head, project_inode=project_inode)

    def _set(self, plan_id: PlanId, **values: object) -> None:
        self._connection.update("sandboxes", {"plan_id": plan_id}, **values)

    def about(self, sandbox: Sandbox, project: Project) -> About:
        """Returns all that is needed to make the rows of a plan again if the database is lost."""
        (row,) = self._connection.rows(_ABOUT, plan_id=sandbox.plan_id)
        return {
            "kind": "base",
            "plan_id": sandbox.plan_id,
            "project": str(project.path),
            "name": row["name"],
            "number": row["number"],
            "definition": json.loads(row["definition_json"]),
        }

    def gone_project(self, inode: str) -> str | None:
        """Returns the path of a project that is no longer there and was this directory."""
        paths = self._connection.column(_WAS_PROJECT, inode=inode)
        return next((path for path in paths if is_gone(Path(path))), None)

    def base_refs(self, project_id: ProjectId) -> set[SnapshotId]:
        """Returns the snapshots that sandboxes of a project started from, and go on from.

        A fork goes on from what another plan started from, which may be deleted.
        """
        found = self._connection.tuples(_BASES, project_id=project_id)
        return {reference for row in found for reference in row if reference is not None}

    def heads(self, project_id: ProjectId) -> set[str]:
        """Returns the user's commits that sandboxes of a project stand on."""
        return set(self._connection.column(_HEADS, project_id=project_id))


def _from_row(fields: Row) -> Sandbox:
    path, notes = Path(fields.pop("path")), tuple(json.loads(fields.pop("notes_json")))
    return Sandbox(**fields, path=path, notes=notes)
