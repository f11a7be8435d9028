"""The user's repository, looked at and never changed: what stands in the way of an apply."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.errors import Failed
from cleveragents.records import frozen
from cleveragents.sandbox import git
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.project import Project
from cleveragents.storage.scratch import scratch_directory

UNFINISHED: Mapping[str, str] = {
    "MERGE_HEAD": "a merge is not finished",
    "CHERRY_PICK_HEAD": "a cherry-pick is not finished",
    "REVERT_HEAD": "a revert is not finished",
    "rebase-merge": "a rebase is not finished",
    "rebase-apply": "a rebase or a series of patches is not finished",
    "BISECT_LOG": "a bisection is not finished",
    "index.lock": "another git command is at work (index.lock)",
}
GITLINK = b"160000"
SKIPPED = b"S"  # how git lists what is tracked and not checked out
SPARSE = ("sparseCheckout", "sparseCheckoutCone", "ignoreCase")  # settings that decide


@frozen
class TrackedFiles:
    """The entries of the index for paths that an apply must not touch."""

    submodules: frozenset[bytes]
    not_checked_out: frozenset[bytes]


def unfinished(project: Project) -> list[str]:
    """Tells what git has begun in the project, or in the repository around it."""
    for top in (project.path, *project.path.parents):
        if (top / ".git").exists():
            git_dir = _git_dir(top)
            return [why for name, why in UNFINISHED.items() if os.path.lexists(git_dir / name)]
    return []


def tracked(project: Project) -> TrackedFiles:
    """Reads from the index where submodules are, and what is not checked out."""
    if not project.is_repository:
        return TrackedFiles(frozenset(), frozenset())
    users = Git(project.path / ".git", project.path)
    submodules: set[bytes] = set()
    skipped: set[bytes] = set()
    for line in users.run("ls-files", "-z", "-s", "-t").split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        tag, mode, *_ = about.split(b" ")
        if mode == GITLINK:
            submodules.add(path)
        elif tag == SKIPPED:
            skipped.add(path)
    return TrackedFiles(frozenset(submodules), frozenset(skipped))


def not_checked_out(project: Project, paths: Sequence[bytes]) -> frozenset[bytes]:
    """Returns those of new paths that are outside a sparse checkout, as git itself sees it.

    They are checked out as empty files in a repository of our own that has the user's patterns.
    """
    if not paths or not project.is_repository:
        return frozenset()
    users = Git(project.path / ".git", project.path)
    settings = {name: _setting(users, f"core.{name}") for name in SPARSE}
    asked = ("rev-parse", "--path-format=absolute", "--git-path", "info/sparse-checkout")
    rules = Path(users.line(*asked))
    if settings["sparseCheckout"] != "true" or not rules.is_file():
        return frozenset()
    with scratch_directory() as folder:
        tree = Path(folder, "tree")
        tree.mkdir()
        own = Git(
            git.create(Path(folder, "git"), object_format="sha1", branch="none").git_dir, tree
        )
        for name, value in settings.items():
            own.run("config", f"core.{name}", value)
        (own.git_dir / "info").mkdir(exist_ok=True)
        (own.git_dir / "info" / "sparse-checkout").write_bytes(rules.read_bytes())
        empty = own.line("hash-object", "-w", "--stdin").encode()
        listed = b"".join(b"100644 %s\t%s\0" % (empty, path) for path in paths)
        own.run("update-index", "-z", "--index-info", stdin=listed)
        tree = own.line("write-tree")
        own.run("read-tree", "--empty")
        own.run("read-tree", "-m", "-u", tree)
        told = own.run("ls-files", "-z", "-t").split(b"\0")[:-1]
    return frozenset(line[2:] for line in told if line[:1] == SKIPPED)


def _setting(users: Git, name: str) -> str:
    try:
        return users.line("config", "--type=bool", name)
    except Failed:
        return "false"


def written_for_branch(project: Project) -> list[Path]:
    """Returns the directories of the repository that a new branch is written to."""
    users = Git(project.path / ".git", project.path)
    common = Path(users.line("rev-parse", "--path-format=absolute", "--git-common-dir"))
    refs = common / "refs" / "heads"
    return [path for path in (common / "objects", refs, refs / "cleveragents") if path.is_dir()]


def folds_case(project: Project) -> bool:
    """Tells whether names that differ only in case are one and the same in the project."""
    if project.is_repository:
        users = Git(project.path / ".git", project.path)
        return _setting(users, "core.ignorecase") == "true"
    names = os.listdir(project.path)
    for name in names:
        other = name.swapcase()
        if other not in names and os.path.lexists(project.path / other):
            return True
    return False


def ignored_in(tree: Path, project: Project) -> list[bytes]:
    """Returns what the `.gitignore` files of a tree and the project's own list say to ignore.

    The tree is looked at through an empty repository, so that nothing counts as tracked.
    """
    with scratch_directory() as folder:
        empty = git.create(Path(folder, "git"), object_format="sha1", branch="none")
        if project.is_repository:
            own = _common_dir(project.path) / "info" / "exclude"
            if own.is_file():
                (empty.git_dir / "info").mkdir(exist_ok=True)
                (empty.git_dir / "info" / "exclude").write_bytes(own.read_bytes())
        return Git(empty.git_dir, tree).ignored()


def _git_dir(top: Path) -> Path:
    return Path(Git(top / ".git", top).line("rev-parse", "--absolute-git-dir"))


def _common_dir(top: Path) -> Path:
    users = Git(top / ".git", top)
    return Path(users.line("rev-parse", "--path-format=absolute", "--git-common-dir"))
