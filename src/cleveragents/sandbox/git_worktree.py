"""The strategy for repositories: a work tree with its own git directory.

A linked worktree would share refs, config, stash and objects with the user's repository. Here one
mirror per project, in the data directory, holds the history; each sandbox has a git directory
beside its files that borrows the mirror's objects, so no git command in it can reach the user's.
"""

import fnmatch
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from cleveragents.errors import Failed
from cleveragents.records import replace
from cleveragents.sandbox import git
from cleveragents.sandbox.filesystem_copy import Ties, about_project, capture_project, copy_in
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.mirror import Mirror, object_format
from cleveragents.sandbox.pipes import refuse_pipes
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
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.scan import Excluded


class GitWorktree:
    """Fills a sandbox with what the user sees in the repository, and gives it a git of its own."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror

    def fill(
        self,
        project: Project,
        sandbox: Sandbox,
        archive: Archive,
        policy: SandboxPolicy,
        about: About,
    ) -> FillResult:
        """Makes the git directory, then the files it stands beside."""
        refuse_pipes(project.path)
        users = Git(project.path / ".git", project.path)
        branch = _branch(sandbox)
        own = git.create(sandbox.git_dir, object_format=object_format(users), branch=branch)
        own.run("config", "core.bare", "false")
        own.run("config", "core.logAllRefUpdates", "true")
        _give_identity(users, own, project.path / ".git" / "config")
        notes = self._give_history(users, own, branch)
        if policy.base == "head":
            filled = _from_head(own, sandbox, archive, about)
        else:
            left_out = _LeftOut(project.path, users.ignored(), policy.copy_ignored)
            filled = copy_in(project, sandbox, archive, about, left_out)
        tie(sandbox.path, sandbox.git_dir)
        head = users.commit_of("HEAD")
        return replace(filled, branch=branch, notes=(*filled.notes, *notes), head=head)

    def capture(
        self, project: Project, archive: Archive, policy: SandboxPolicy, known: Known
    ) -> ProjectState:
        """Takes a snapshot of what the user sees now; what the sandbox has is never left out."""
        users = Git(project.path / ".git", project.path)
        left_out = self._left_out(project, policy, known)
        state = capture_project(project, archive, about_project(project), left_out)
        return replace(state, head=users.commit_of("HEAD"))

    def left_out(self, project: Project, policy: SandboxPolicy, known: Known) -> Excluded:
        """Says what a look leaves out."""
        left_out, ties = self._left_out(project, policy, known), Ties(project.path)
        return lambda path: left_out(path) or ties.leads_out(path)

    def _left_out(self, project: Project, policy: SandboxPolicy, known: Known) -> Excluded:
        users = Git(project.path / ".git", project.path)
        left_out = _LeftOut(project.path, users.ignored(), policy.copy_ignored)
        return lambda path: left_out(path) and not known(path)

    def _give_history(self, users: Git, own: Git, branch: str) -> Sequence[str]:
        """Puts the sandbox's branch on the user's commit; tells what could not be had."""
        head = users.commit_of("HEAD")
        if head is None:
            return ()
        try:
            self._mirror.bring(users, head)
        except Failed as error:
            return (f"the sandbox has no git history: {error.message}",)
        alternates(own.git_dir).write_text(f"{git.quoted(self._mirror.objects)}\n")
        if self._mirror.shallow.exists():
            (own.git_dir / "shallow").write_bytes(self._mirror.shallow.read_bytes())
        own.run("update-ref", f"refs/heads/{branch}", head)
        own.run("read-tree", head)
        return ()


def _give_identity(users: Git, own: Git, config: Path) -> None:
    """Lets steps commit as whoever commits here, where the repository alone says who that is."""
    if config.is_file() and b"user" not in config.read_bytes().lower():  # as nearly always
        return
    try:
        said = users.run("config", "--local", "-z", "--get-regexp", r"^user\.(name|email)$")
    except Failed:  # nothing of that kind
        return
    for entry in said.decode(errors="surrogateescape").split("\0")[:-1]:
        own.run("config", *entry.split("\n", 1))


def branch_off(sandbox: Sandbox) -> str:
    """Ties files to a git directory that was copied with them, on a branch of their own."""
    branch, own = _branch(sandbox), Git(sandbox.git_dir)
    head = own.commit_of("HEAD")
    if head is not None:
        own.run("update-ref", f"refs/heads/{branch}", head)
    own.run("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    tie(sandbox.path, sandbox.git_dir)
    return branch


def alternates(git_dir: Path) -> Path:
    """Where a git directory tells whose objects it borrows."""
    return git_dir / "objects" / "info" / "alternates"


def _branch(sandbox: Sandbox) -> str:
    return f"cleveragents/plan-{sandbox.plan_id}"


def _from_head(own: Git, sandbox: Sandbox, archive: Archive, about: About) -> FillResult:
    """Writes the committed bytes as they are, whatever the attributes ask for."""
    if own.commit_of("HEAD") is None:
        raise Failed(
            "sandbox.base is head, and there is no commit to start from",
            hints=["commit first, or set sandbox.base to worktree"],
        )
    raw = own.git_dir / "info" / "attributes"
    raw.parent.mkdir(exist_ok=True)
    raw.write_text("* -text -eol -ident -filter -working-tree-encoding\n")
    Git(own.git_dir, sandbox.path).run("checkout-index", "--all", "--force")
    raw.unlink()
    with archive.capture({MAIN: sandbox.path}, Filter()) as capture:
        base_ref = capture.commit(about)
    return FillResult(base_ref, None, capture.files, capture.not_captured)


class _LeftOut:
    """Says what stays behind: the user's git directory, and what git ignores and nobody wants."""

    def __init__(self, top: Path, ignored: Sequence[bytes], copy_ignored: Sequence[str]) -> None:
        self._ignored = {b".git", *(path.rstrip(b"/") for path in ignored)}
        self._wanted = (
            {
                path
                for ignored_path in ignored
                for path in _below(os.fsencode(top), ignored_path.rstrip(b"/"))
                if _matches(path, copy_ignored)
            }
            if copy_ignored
            else set[bytes]()
        )
        self._on_the_way = {above for path in self._wanted for above in tree_path.and_above(path)}

    def __call__(self, path: bytes) -> bool:
        """Tells whether a path stays behind."""
        if self._ignored.isdisjoint(tree_path.and_above(path)):
            return False
        return path not in self._on_the_way and self._wanted.isdisjoint(tree_path.and_above(path))


def _below(top: bytes, path: bytes) -> Iterator[bytes]:
    """Yields a path and, if it is a directory, everything in it."""
    yield path
    for folder, directories, files in os.walk(top + b"/" + path):
        for name in (*directories, *files):
            yield os.path.relpath(folder + b"/" + name, top)


def _matches(path: bytes, patterns: Sequence[str]) -> bool:
    text = os.fsdecode(path)
    return any(
        fnmatch.fnmatch(text, pattern) or fnmatch.fnmatch(text.rpartition("/")[2], pattern)
        for pattern in patterns
    )


def tie(tree: Path, git_dir: Path) -> None:
    """Writes the `.git` file that leads from the files to their git directory."""
    mode = stat.S_IMODE(tree.stat().st_mode)
    tree.chmod(mode | stat.S_IRWXU)
    (tree / ".git").write_text(f"gitdir: {git_dir}\n")
    tree.chmod(mode)
