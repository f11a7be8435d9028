"""A plan's result as a branch of the user's repository, on the commit the sandbox stands on.

The commit is built in a repository of its own that may read the user's objects; only when it is
whole are its objects handed over. The user's files, index and HEAD play no part.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.sandbox import git
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.project import Project

AUTHOR = ("-c", "user.name=CleverAgents", "-c", "user.email=plan@example.invalid")

Fill = Callable[[Path], None]  # writes one version of the files to an empty directory


@dataclass(frozen=True)
class Versions:
    """What a plan changed: the paths, and both versions of their files."""

    paths: Sequence[bytes]
    before: Fill
    after: Fill


def build(project: Project, head: str, versions: Versions, message: str) -> str:
    """Commits the changes on top of a commit of the user's; returns the new commit.

    What the plan changed is brought onto the commit even if the user's files differed from it.
    """
    users = _users(project)
    common = Path(users.line("rev-parse", "--path-format=absolute", "--git-common-dir"))
    with tempfile.TemporaryDirectory() as folder:
        form = users.line("rev-parse", "--show-object-format")
        own = git.create(Path(folder, "git"), object_format=form, branch="none")
        own = Git(own.git_dir, more_objects=common / "objects")
        trees: list[str] = []
        for name, fill in (("before", versions.before), ("after", versions.after)):
            tree = Path(folder, name)
            tree.mkdir()
            fill(tree)
            trees.append(_tree(own, tree, head, versions.paths))
        merged = _merged(own, head, *trees)
        commit = own.line(*AUTHOR, "commit-tree", merged, "-p", head, "-m", message)
        own.send_history(commit, Git(common), [head])
    return commit


def create(project: Project, branch: str, commit: str) -> None:
    """Creates the branch; one that is there already at this commit is as good."""
    if tip(project, branch) != commit:
        users = _users(project)
        users.run("update-ref", f"refs/heads/{branch}", commit, "")  # only if there is none


def remove(project: Project, branch: str, commit: str) -> None:
    """Removes the branch if it is still where it was created; one that is gone is as good."""
    if tip(project, branch) is not None:
        _users(project).run("update-ref", "-d", f"refs/heads/{branch}", commit)


def tip(project: Project, branch: str) -> str | None:
    """Returns the commit of a branch; None if there is no such branch."""
    return _users(project).commit_of(f"refs/heads/{branch}")


def is_checked_out(project: Project, branch: str) -> bool:
    """Tells whether any work tree of the user's is on the branch."""
    listed = _users(project).line("worktree", "list", "--porcelain")
    return f"branch refs/heads/{branch}" in listed.splitlines()


def _tree(repository: Git, tree: Path, head: str, paths: Sequence[bytes]) -> str:
    """Makes the tree of a commit with the paths as they are in a directory."""
    own = Git(repository.git_dir, tree, repository.more_objects)
    own.run("read-tree", head)
    listed = b"".join(path + b"\0" for path in paths)
    filtered = own.run("check-attr", "-z", "--cached", "--stdin", "filter", stdin=listed)
    fields = filtered.split(b"\0")[:-1]
    through = [
        path.decode(errors="replace")
        for path, value in zip(fields[::3], fields[2::3], strict=True)
        if value not in (b"unspecified", b"unset")
    ]
    if through:
        raise Refused(
            "these paths pass a filter of yours when they are committed",
            detail=through,
            hints=["apply them as changes: --as changes"],
        )
    own.run("update-index", "-z", "--force-remove", "--stdin", stdin=listed)
    top = os.fsencode(tree)
    there = [path for path in paths if _is_file(os.path.join(top, path))]
    added = b"".join(path + b"\0" for path in there)
    own.run("update-index", "-z", "--add", "--stdin", stdin=added)
    return own.line("write-tree")


def _is_file(path: bytes) -> bool:
    return os.path.islink(path) or os.path.isfile(path)


def _merged(own: Git, head: str, before: str, after: str) -> str:
    """Brings what changed between two trees onto a commit."""
    if before == own.line("rev-parse", f"{head}^{{tree}}"):
        return after
    common = own.line(*AUTHOR, "commit-tree", before, "-m", "before")
    theirs = own.line(*AUTHOR, "commit-tree", after, "-p", common, "-m", "after")
    tree = own.line("rev-parse", f"{head}^{{tree}}")
    ours = own.line(*AUTHOR, "commit-tree", tree, "-p", common, "-m", "head")
    result, conflicts = own.merge_trees(ours, theirs)
    if conflicts:
        raise Refused(
            "the plan builds on changes that are in no commit, and does not fit without them",
            detail=conflicts,
            hints=["commit them and refresh the plan, or apply it with --as changes"],
        )
    return result


def _users(project: Project) -> Git:
    return Git(project.path / ".git", project.path)
