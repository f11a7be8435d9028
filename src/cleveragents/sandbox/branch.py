"""A plan's result as a branch of the user's repository, on the commit the sandbox stands on.

The commit is built in a repository of its own that may read the user's objects; only when it is
whole are its objects handed over. The user's files, index and HEAD play no part.
"""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.ids import PlanId
from cleveragents.records import frozen
from cleveragents.sandbox import git
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.project import Project
from cleveragents.snapshots.tree import tree_path
from cleveragents.storage.scratch import scratch_directory

AUTHOR = ("-c", "user.name=CleverAgents", "-c", "user.email=plan@example.invalid")

Fill = Callable[[Path], None]  # writes one version of the files to an empty directory


@frozen
class Versions:
    """The changes of a plan: the paths, and both versions of their files."""

    paths: Sequence[bytes]
    before: Fill
    after: Fill


def name_of(plan_id: PlanId) -> str:
    """The name of the branch of a plan."""
    return f"cleveragents/plan-{plan_id}"


def build(project: Project, head: str, versions: Versions, message: str) -> str:
    """Commits the changes on top of a commit of the user's; returns the new commit.

    What the plan changed is brought onto the commit even if the user's files differed from it.
    """
    common = _common(project)
    with _own(project) as empty:
        own = Git(empty.git_dir, more_objects=common / "objects")
        merged = _merged(own, head, *_trees(own, head, versions))
        commit = own.line(*AUTHOR, "commit-tree", merged, "-p", head, "-m", message)
        own.send_history(commit, Git(common), [head])
    return commit


def why_not(project: Project, head: str, versions: Versions) -> Refused | None:
    """Tells why the commit cannot be built, on a copy of what the plan changed of the other one.

    With the user's objects at hand git would set the times of those that it makes once more.
    """
    try:
        with _own(project) as own:
            part = _part(own, _users(project), head, versions.paths)
            _merged(own, part, *_trees(own, part, versions))
    except Refused as refusal:
        return refusal
    return None


@contextmanager
def _own(project: Project) -> Generator[Git]:
    """An empty repository that is there within the block, of the same form as the user's."""
    form = _users(project).line("rev-parse", "--show-object-format")
    with scratch_directory() as folder:
        yield git.create(Path(folder, "git"), object_format=form, branch="none")


def _part(own: Git, users: Git, head: str, paths: Sequence[bytes]) -> str:
    """Copies those files of a commit that paths meet, and what says how git treats them."""
    wanted, around = {*paths}, {head for path in paths for head in tree_path.and_above(path)}
    lines = [
        line
        for line in users.run("ls-tree", "-r", "-z", "--full-tree", head).split(b"\0")[:-1]
        for path in [line.partition(b"\t")[2]]
        if path in around
        or tree_path.split(path)[1] == b".gitattributes"
        or not wanted.isdisjoint(tree_path.and_above(path))
    ]
    abouts = [line.partition(b"\t")[0].split(b" ") for line in lines]
    blobs = b"".join(identity + b"\n" for _, kind, identity in abouts if kind == b"blob")
    own.run("unpack-objects", "-q", stdin=users.run("pack-objects", "-q", "--stdout", stdin=blobs))
    own.run("update-index", "-z", "--index-info", stdin=b"".join(line + b"\0" for line in lines))
    tree = own.line("write-tree", "--missing-ok")  # of a submodule nothing is there
    return own.line(*AUTHOR, "commit-tree", tree, "-m", "part")


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


def holding(project: Project, commit: str, branch: str) -> list[str]:
    """Returns the other branches that have a commit; none if there is no such commit any more."""
    users = _users(project)
    if users.commit_of(commit) is None:
        return []
    short = "--format=%(refname:short)"
    listed = users.run("for-each-ref", short, "--contains", commit, "refs/heads")
    return [name for name in os.fsdecode(listed).splitlines() if name != branch]


def checked_out_in(project: Project, branch: str) -> str | None:
    """Returns the work tree of the user's that is on the branch, if one is."""
    listed = _users(project).run("worktree", "list", "--porcelain", "-z")
    for told in os.fsdecode(listed).split("\0\0"):
        first, *lines = told.split("\0")
        if f"branch refs/heads/{branch}" in lines:
            return first.removeprefix("worktree ")
    return None


def _trees(own: Git, head: str, versions: Versions) -> list[str]:
    """Makes the trees of a commit with both versions of the files."""
    trees: list[str] = []
    for name, fill in (("before", versions.before), ("after", versions.after)):
        tree = own.git_dir.with_name(name)
        tree.mkdir()
        fill(tree)
        trees.append(_tree(own, tree, head, versions.paths))
    return trees


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


def _common(project: Project) -> Path:
    return Path(_users(project).line("rev-parse", "--path-format=absolute", "--git-common-dir"))


def _users(project: Project) -> Git:
    return Git(project.path / ".git", project.path)
