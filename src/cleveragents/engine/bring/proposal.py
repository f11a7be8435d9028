"""The preview of an apply: computed outside the project, shown first, and carried out as shown."""

import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.checkpoints.comparison import FileDiff, diffs, path_told
from cleveragents.checkpoints.shown import digest_of
from cleveragents.engine.bring.obstacles import Obstacle, obstacles, ways_out
from cleveragents.engine.bring.replacing import losses
from cleveragents.errors import InvalidInput
from cleveragents.ids import PlanId, SnapshotId
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen
from cleveragents.sandbox import branch
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.git import merge_text
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.sandbox.users_repository import ignored_in
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.merging import MergeResult, SnapshotReader
from cleveragents.snapshots.seen import LiveSnapshot
from cleveragents.snapshots.tree import beneath, tree_path
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.lookup import Lookup
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.storage.database import Database

CHANGES, BRANCH = "changes", "branch"
TIE = b".git"  # leads from the sandbox to its own git directory; the project has another
# Files that something runs later, by their whole path.
RUN_LATER = re.compile(
    r"(.*/)?(GNUm|M|m)akefile|(.*/)?[Jj]ustfile|(.*/)?Rakefile|(.*/)?CMakeLists\.txt"
    r"|(.*/)?package\.json|(.*/)?\.envrc|(.*/)?conftest\.py|(.*/)?(setup|noxfile|tasks)\.py"
    r"|(.*/)?(pyproject|Cargo)\.toml|(.*/)?(build\.rs|tox\.ini|Dockerfile|Jenkinsfile)"
    r"|\.github/workflows/.*|\.gitlab-ci\.yml|\.circleci/.*|azure-pipelines\.yml"
    r"|\.pre-commit-config\.yaml|\.(husky|githooks|git-hooks|vscode|devcontainer)/.*"
    r"|(.*/)?hooks/.*|\.gitmodules|\.cleveragents/.*"
)


class ApplyMode(StrEnum):
    """How a result reaches the project."""

    CHANGES = CHANGES
    BRANCH = BRANCH


@frozen
class ApplyOptions:
    """How a result is to reach the project."""

    mode: str = CHANGES
    include_ignored: bool = False
    left: tuple[str, ...] = ()  # paths that stay as the project has them, with all in them

    def __post_init__(self) -> None:
        """Refuses a mode that there is none of."""
        if self.mode not in tuple(ApplyMode):
            raise InvalidInput(f"a result is applied as {CHANGES} or {BRANCH}, not {self.mode!r}")

    def command(self, plan_id: PlanId) -> str:
        """Returns the command that applies a plan so."""
        mode = " --as branch" if self.mode == BRANCH else ""
        ignored = " --include-ignored" if self.include_ignored else ""
        return f"agents plan apply {plan_id}{mode}{ignored}"


@frozen
class FilePreview:
    """The change of one file, and the notes to look at before it happens."""

    diff: FileDiff
    notes: tuple[str, ...]

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory, of which git knows nothing."""
        return self.diff.path.endswith("/")


@frozen
class Proposal:
    """Everything about an apply that has not happened yet."""

    project: Project
    sandbox: Sandbox
    options: ApplyOptions
    merge: MergeResult  # from the project's files to what they shall be
    obstacles: Sequence[Obstacle]
    ways_out: Sequence[str]  # of them
    ignored: int  # files that are left out because they are ignored
    files: Sequence[FilePreview]
    subplans: tuple[Plan, ...]  # whose results are part of it

    @property
    def digest(self) -> str:
        """Tells two proposals apart."""
        return digest_of(self.merge.changes, str(self.options.mode))


class Proposals:
    """Computes proposals; whoever only shows one stores nothing for it."""

    def __init__(self, database: Database, sandboxes: Sandboxes) -> None:
        self._database = database
        self._sandboxes = sandboxes

    def keep_result(self, plan: Plan) -> SnapshotId:
        """Stores what the plan made, whole; returns the snapshot id."""
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        with archive.capture(sandbox.roots, Filter(), full=True) as capture:
            return capture.commit({"kind": "result", "plan_id": plan.plan_id})

    def make(self, plan: Plan, options: ApplyOptions, kept: SnapshotId | None = None) -> Proposal:
        """Merges what the plan made with the user's files as they are; changes neither.

        What it made is what was `kept`, for whoever goes on to apply it; else it is only seen.
        """
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        with self._database.reading() as connection:
            project = projects.find(connection, plan.project_id)
            below = [*ChildRepository(connection).below(plan.plan_id)]
            saved = CheckpointRepository(connection).of_plan(plan.plan_id)
        if kept is None:
            seen = archive.see(sandbox.roots, Filter())
        else:
            seen = LiveSnapshot(archive.load(kept), archive)
        base, result, through = archive.load(sandbox.base), seen.snapshot, seen.through
        ignored = [] if options.include_ignored else ignored_in(sandbox.path, project)
        left_alone = _LeftAlone(ignored, archive.lookup(base), options.left)
        is_branch = options.mode == BRANCH
        if is_branch:
            merge = through.merge(base, base, result, merge_text, left_alone)
        else:
            merge = through.merge_into(project.path, base, result, merge_text, left_alone)
        left_out = [
            change
            for change in through.changes(base, result)[MAIN]
            if change.path != TIE and change.after and not change.after.is_dir
            if left_alone.is_ignored(change.path)
        ]
        found = obstacles(project, merge, is_branch=is_branch)
        if is_branch and not found:
            found = _unfit(plan, project, sandbox, versions(through, merge))
        start = str(saved[0].seq) if saved else None
        return Proposal(
            project,
            sandbox,
            options,
            merge,
            found,
            ways_out(found, plan, project.path, sandbox.path, start),
            len(left_out),
            [*_of_branch(merge)] if is_branch else [*_of_changes(merge, project.path)],
            tuple(child for child in below if child.merged_ref is not None),
        )


def versions(through: SnapshotReader, merge: MergeResult) -> branch.Versions:
    """The changes of a merge as a branch has them: git knows nothing of directories."""
    sides = [(change.path, change.after or change.before) for change in merge.changes]
    return branch.Versions(
        [path for path, entry in sides if entry is not None and not entry.is_dir],
        lambda tree: through.export(merge, tree, after=False),
        lambda tree: through.export(merge, tree, after=True),
    )


def _unfit(
    plan: Plan, project: Project, sandbox: Sandbox, changed: branch.Versions
) -> list[Obstacle]:
    """The obstacles to a branch alone."""
    name = branch.name_of(plan.plan_id)
    if branch.tip(project, name) is not None:
        other = f"give it another name, then try again: git branch -m {name} NAME"
        return [Obstacle(name, "there is a branch of this name already", other)]
    refusal = branch.why_not(project, str(sandbox.head), changed)
    if refusal is None:
        return []
    return [Obstacle(path, refusal.message, refusal.hints[0]) for path in refusal.detail]


class _LeftAlone:
    """Says what of a result is not for the project: new and ignored, or kept by its user."""

    def __init__(self, ignored: Sequence[bytes], base: Lookup, left: Sequence[str]) -> None:
        self._ignored = {path.rstrip(b"/") for path in ignored}
        self._base = base
        self._left = {*map(os.fsencode, left)}

    def __call__(self, path: bytes) -> bool:
        """Tells whether a path is left as the project has it."""
        is_left = any(one in self._left for one in tree_path.and_above(path))
        return is_left or path.partition(b"/")[0] == TIE or self.is_ignored(path)

    def is_ignored(self, path: bytes) -> bool:
        """Tells whether a path is new, and such as git ignores."""
        is_ignored = any(one in self._ignored for one in tree_path.and_above(path))
        return is_ignored and path not in self._base


def _of_branch(merge: MergeResult) -> Iterator[FilePreview]:
    return (file for file in _previews(merge, lambda _: ()) if not file.is_directory)


def _of_changes(merge: MergeResult, project: Path) -> Iterator[FilePreview]:
    with beneath.root_directory(project) as root:
        yield from _previews(merge, lambda path: losses(root, path))


def _previews(merge: MergeResult, lost: Callable[[bytes], Iterable[str]]) -> Iterator[FilePreview]:
    """Tells of each file; `lost` says what one loses that is replaced."""
    by_path = {path_told(change): change for change in merge.changes}
    read = merge.objects.read
    for diff in diffs(
        merge.changes, lambda _, entry: read(entry.content), lambda _, entry: read(entry.content)
    ):
        change = by_path[diff.path]
        also = lost(change.path) if _replaces(change) else ()
        yield FilePreview(diff, (*_notes(diff.path, change, merge), *also))


def _replaces(change: Change) -> bool:
    """Whether a file or link takes the place of another."""
    return all(entry is not None and not entry.is_dir for entry in (change.before, change.after))


def _notes(path: str, change: Change, merge: MergeResult) -> Iterator[str]:
    before, after = change.before, change.after
    if after is None:
        return
    if after.is_dir:
        return
    if stat.S_ISLNK(after.mode):
        target = os.fsdecode(merge.objects.read(after.content))
        outside = _leads_out(path, target)
        yield f"link to {target}" + (", outside the project" if outside else "")
    elif after.mode & 0o111 and not (before is not None and before.mode & 0o111):
        yield "executable"
    if RUN_LATER.fullmatch(path):
        yield "runs later"


def _leads_out(path: str, target: str) -> bool:
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return target.startswith("/") or joined == ".." or joined.startswith("../")
