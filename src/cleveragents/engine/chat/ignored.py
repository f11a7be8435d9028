"""Large directories that git ignores, found by asking the repositories that they are in."""

import os
from collections.abc import Iterator
from pathlib import Path

from cleveragents.engine.chat.survey import Counted
from cleveragents.errors import Failed, Refused
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.git_state import Repository
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.tree_path import above


def ignored_directories(root: Path, top: Counted, files: int, size: int) -> list[Counted]:
    """Returns those with more files or bytes than that.

    A repository that has no more cannot have such a directory, and is not asked.
    """
    known = {one.path: one for one in top.all() if one.files > files or one.size > size}
    paths = {path for one in known.values() for path in _ignored_in(root, one)}
    return [one for path, one in known.items() if path in paths and paths.isdisjoint(above(path))]


def _ignored_in(root: Path, one: Counted) -> Iterator[bytes]:
    """Yields the directories that the repository ignores whose top a directory is.

    The root may lie in one whose top is further above.
    """
    directory = root / os.fsdecode(one.path)
    above = Repository.around(root) if not one.path and not one.is_repository else None
    if not one.is_repository and above is None:
        return
    work_tree = directory if above is None else above.top
    inside = b"" if above is None else os.fsencode(root.relative_to(above.top))
    for found in _asked(Git(work_tree / ".git", work_tree), os.fsdecode(inside)):
        if found.endswith(b"/") and tree_path.is_below(found, inside):
            below = found[len(inside) + 1 :] if inside else found
            yield tree_path.joined(one.path, below.rstrip(b"/"))


def _asked(git: Git, inside: str) -> list[bytes]:
    try:
        return git.ignored(inside)
    except (Failed, Refused):  # none is installed, or it is broken: the other limits hold
        return []
