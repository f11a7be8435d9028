"""The strategy for any folder: everything in it, as it is."""

import os
from pathlib import Path

from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandbox import (
    About,
    FillResult,
    Known,
    ProjectState,
    Sandbox,
    SandboxPolicy,
)
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.hindrance import Uncapturable
from cleveragents.snapshots.tree.scan import Excluded

TAKE_OUT = "change that, or take it out of the project; files that git ignores are left out"


class FilesystemCopy:
    """Copies the whole folder."""

    def fill(
        self,
        project: Project,
        sandbox: Sandbox,
        archive: Archive,
        policy: SandboxPolicy,
        about: About,
    ) -> FillResult:
        """Takes a snapshot of the folder and restores it in the sandbox; no choice is left."""
        del policy
        return copy_in(project, sandbox, archive, about, lambda _: False)

    def capture(
        self, project: Project, archive: Archive, policy: SandboxPolicy, known: Known
    ) -> ProjectState:
        """Takes a snapshot of the folder as it is now."""
        del policy, known
        return capture_project(project, archive, about_project(project), lambda _: False)

    def left_out(self, project: Project, policy: SandboxPolicy, known: Known) -> Excluded:
        """Says what a look leaves out."""
        del policy, known
        return Ties(project.path).leads_out


def copy_in(
    project: Project, sandbox: Sandbox, archive: Archive, about: About, excluded: Excluded
) -> FillResult:
    """Fills a sandbox with a snapshot of the project, which stays known as its base.

    Filled from a snapshot it is the project at one moment, whatever is written there meanwhile, and
    its first checkpoint finds everything stored.
    """
    state = capture_project(project, archive, about, excluded)
    snapshot = archive.load(state.reference)
    archive.fill(snapshot, {MAIN: sandbox.path}, sandbox.staging, project.path)
    return FillResult(state.reference, None, state.files, state.notes)


def capture_project(
    project: Project, archive: Archive, about: About, excluded: Excluded
) -> ProjectState:
    """Takes a snapshot of the project; the user's permissions are never borrowed."""
    ties = Ties(project.path)
    try:
        with archive.capture_once(
            project.path, lambda path: excluded(path) or ties.leads_out(path)
        ) as capture:
            reference = capture.commit(about)
    except Uncapturable as error:
        # For a single path: what a checkpoint may leave out is part of the project all the same.
        error.hints = (TAKE_OUT,)
        raise
    unexplained = [line for line in capture.not_captured if not line.endswith(": excluded")]
    return ProjectState(reference, capture.files, (*unexplained, *dict.fromkeys(ties.notes)))


def about_project(project: Project) -> About:
    """The facts from the record of a later look at the project."""
    return {"kind": "look", "project": str(project.path)}


class Ties:
    """Finds `.git` files and links: they lead to a git directory of the user's, out of the sandbox.

    Submodules and linked worktrees have them. Left in place they would let a git command in the
    sandbox reach the user's refs, or make it fail.
    """

    def __init__(self, top: Path) -> None:
        self._top = os.fsencode(top)
        self.notes: list[str] = []

    def leads_out(self, path: bytes) -> bool:
        """Tells whether a path is one of them, and notes it."""
        if tree_path.split(path)[1] != b".git":
            return False
        whole = self._top + b"/" + path
        if not (os.path.islink(whole) or os.path.isfile(whole)):
            return False
        self.notes.append(f"{os.fsdecode(path)}: leads to a git directory outside the sandbox")
        return True
