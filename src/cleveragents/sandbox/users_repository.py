"""The user's repository, looked at and never changed: what stands in the way of an apply."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cleveragents.errors import Failed
from cleveragents.sandbox import git
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.project import Project

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


@dataclass(frozen=True)
class Tracked:
    """What the index says of paths that an apply must not touch."""

    submodules: frozenset[bytes]
    not_checked_out: frozenset[bytes]


def unfinished(project: Project) -> list[str]:
    """Tells what git has begun in the project, or in the repository around it."""
    for top in (project.path, *project.path.parents):
        if (top / ".git").exists():
            git_dir = _git_dir(top)
            return [why for name, why in UNFINISHED.items() if os.path.lexists(git_dir / name)]
    return []


def tracked(project: Project) -> Tracked:
    """Reads from the index where submodules are, and what is not checked out."""
    if not project.is_repository:
        return Tracked(frozenset(), frozenset())
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
    return Tracked(frozenset(submodules), frozenset(skipped))


def folds_case(project: Project) -> bool:
    """Tells whether names that differ only in case are one and the same in the project."""
    if project.is_repository:
        try:
            users = Git(project.path / ".git", project.path)
            return users.line("config", "--type=bool", "core.ignorecase") == "true"
        except Failed:
            return False
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
    with tempfile.TemporaryDirectory() as folder:
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
