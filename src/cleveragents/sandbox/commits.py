"""Commits of the user's repository: which of them changed which paths, and to what."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from hashlib import new as new_hash

from cleveragents.records import frozen
from cleveragents.sandbox.git import Git

NAMED = 200  # paths that git is asked about by name; of more, it tells of all
_SHA256 = 64  # digits of a name in a repository that uses it


@frozen
class CommittedPath:
    """A path as a commit left it, where that is not what it was before."""

    commit: str
    mode: str  # as git writes it
    blob: str


@frozen
class CommittedChange:
    """What a commit made of a path; a mode of zeros: there is, or was, nothing."""

    path: bytes
    old_mode: str  # as git writes it
    old_blob: str
    mode: str
    blob: str


def changed_in(repository: Git, commit: str) -> list[CommittedChange]:
    """Returns all that a commit changed; nothing of a merge, which has no single parent."""
    options = ("-r", "--root", "-z", "--no-renames", "--no-abbrev", "--no-commit-id")
    words = iter(repository.run("diff-tree", *options, commit).split(b"\0")[:-1])
    found: list[CommittedChange] = []
    for word in words:
        old_mode, mode, old_blob, blob, _ = word.decode().removeprefix(":").split(" ")
        found.append(CommittedChange(next(words), old_mode, old_blob, mode, blob))
    return found


def committed(
    repository: Git, since: str, until: str, paths: Collection[bytes]
) -> Mapping[bytes, list[CommittedPath]]:
    """Returns what commits made of paths that are reached from one commit and not from another.

    Without a commit to begin with, all count. A merge counts where it made something new.
    """
    if since and repository.commit_of(since) is None:
        return {}  # it is gone, and nobody can tell what came after it
    asked = [until, f"^{since}"] if since else [until]
    commits = repository.run("rev-list", "--parents", *asked)
    parents = {line.split()[0]: max(len(line.split()) - 1, 1) for line in commits.splitlines()}
    few = [os.fsdecode(path) for path in paths] if len(paths) <= NAMED else []
    options = ("--stdin", "-r", "-m", "--root", "-z", "--no-renames", "--no-abbrev", "--")
    told = repository.run("diff-tree", *options, *few, stdin=commits).split(b"\0")
    seen: Counter[tuple[bytes, CommittedPath]] = Counter()
    commit = b""
    words = iter(told[:-1])
    for word in words:
        if not word.startswith(b":"):
            commit = word
            continue
        _, mode, _, blob, _ = word.decode().split(" ")
        seen[next(words), CommittedPath(commit.decode(), mode, blob)] += 1
    found: dict[bytes, list[CommittedPath]] = {}
    for (path, one), count in seen.items():
        if path in paths and count == parents[one.commit.encode()]:
            found.setdefault(path, []).append(one)
    return found


def blob_name(size: int, pieces: Iterable[bytes], like: str) -> str:
    """Returns the name that git gives to bytes, in a repository whose names are like one."""
    algorithm = "sha256" if len(like) == _SHA256 else "sha1"
    made = new_hash(algorithm, b"blob %d\0" % size, usedforsecurity=False)
    for piece in pieces:
        made.update(piece)
    return made.hexdigest()
