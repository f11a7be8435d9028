"""What an apply would do: computed outside the project, shown first, and carried out as shown."""

import os
import posixpath
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cleveragents.checkpoints.comparison import FileDiff, diffs, path_told
from cleveragents.checkpoints.shown import digest_of
from cleveragents.engine.obstacles import Obstacle, obstacles
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.plan import Plan
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.git import merge_text
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.sandbox.users_repository import ignored_in
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.filter import Filter
from cleveragents.snapshots.lookup import Lookup
from cleveragents.snapshots.manifest import Change
from cleveragents.snapshots.merging import Merge
from cleveragents.snapshots.seen import Seen
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


@dataclass(frozen=True)
class ApplyOptions:
    """How a result is to reach the project."""

    mode: str = CHANGES
    include_ignored: bool = False


@dataclass(frozen=True)
class FilePreview:
    """What happens to one file, and what to look at before it does."""

    diff: FileDiff
    notes: tuple[str, ...]

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory, of which git knows nothing."""
        return self.diff.path.endswith("/")


@dataclass(frozen=True)
class Proposal:
    """Everything about an apply that has not happened yet."""

    project: Project
    sandbox: Sandbox
    options: ApplyOptions
    merge: Merge  # from the project's files to what they shall be
    obstacles: Sequence[Obstacle]
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

    def keep(self, plan: Plan) -> str:
        """Stores what the plan made, whole; returns the snapshot id."""
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        with archive.capture(sandbox.roots, Filter(), full=True) as capture:
            return capture.commit({"kind": "result", "plan_id": plan.plan_id})

    def make(self, plan: Plan, options: ApplyOptions, kept: str | None = None) -> Proposal:
        """Merges what the plan made with the user's files as they are; changes neither.

        What it made is what was `kept`, for whoever goes on to apply it; else it is only seen.
        """
        sandbox = self._sandboxes.require(plan.plan_id)
        archive = self._sandboxes.archive(plan.project_id)
        with self._database.reading() as connection:
            project = projects.find(connection, plan.project_id)
            below = [*ChildRepository(connection).below(plan.plan_id)]
        if kept is None:
            seen = archive.see(sandbox.roots, Filter())
        else:
            seen = Seen(archive.load(kept), archive)
        base, result, through = archive.load(sandbox.base), seen.snapshot, seen.through
        ignored = [] if options.include_ignored else ignored_in(sandbox.path, project)
        left_alone = _LeftAlone(ignored, archive.lookup(base))
        if options.mode == BRANCH:
            merge = through.merge(base, base, result, merge_text, left_alone)
        else:
            merge = through.merge_into(project.path, base, result, merge_text, left_alone)
        left_out = [
            change
            for change in through.changes(base, result)[MAIN]
            if change.path != TIE and change.after and not change.after.is_dir
            if left_alone(change.path)
        ]
        return Proposal(
            project,
            sandbox,
            options,
            merge,
            obstacles(project, merge, is_branch=options.mode == BRANCH),
            len(left_out),
            [file for file in _previews(merge) if options.mode != BRANCH or not file.is_directory],
            tuple(child for child in below if child.merged_ref is not None),
        )


class _LeftAlone:
    """Says what of a result is not for the project: what is ignored and was not there before."""

    def __init__(self, ignored: Sequence[bytes], base: Lookup) -> None:
        self._ignored = {path.rstrip(b"/") for path in ignored}
        self._base = base

    def __call__(self, path: bytes) -> bool:
        """Tells whether a path is left as the project has it."""
        if path.partition(b"/")[0] == TIE:
            return True
        above = path
        while above:
            if above in self._ignored:
                return path not in self._base
            above = above.rpartition(b"/")[0]
        return False


def _previews(merge: Merge) -> Iterator[FilePreview]:
    by_path = {path_told(change): change for change in merge.changes}
    read = merge.objects.read
    for diff in diffs(
        merge.changes, lambda _, entry: read(entry.content), lambda _, entry: read(entry.content)
    ):
        change = by_path[diff.path]
        yield FilePreview(diff, tuple(_notes(diff.path, change, merge)))


def _notes(path: str, change: Change, merge: Merge) -> Iterator[str]:
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
