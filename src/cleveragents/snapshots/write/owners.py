"""Whom files belong to: no snapshot tells it, so what changes a project remembers it by itself."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from cleveragents.snapshots.tree import beneath, tree_path


class FileOwner(NamedTuple):
    """A user and a group, by number."""

    uid: int
    gid: int


Owners = Mapping[bytes, FileOwner]  # by path


def owners(root: Path, paths: Iterable[bytes]) -> dict[bytes, FileOwner]:
    """Returns whom those of the paths belong to that are there."""
    with beneath.root_directory(root) as fd:
        found = {path: owner_of(fd, path) for path in paths}
    return {path: owner for path, owner in found.items() if owner is not None}


def owner_of(root: int, path: bytes) -> FileOwner | None:
    """Returns whom a path belongs to; None if there is nothing."""
    head, name = tree_path.split(path)
    try:
        with beneath.directory(root, head) as parent:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return FileOwner(found.st_uid, found.st_gid)


def give(parent: int, name: bytes, owner: FileOwner) -> None:
    """Lets what was made belong to an owner, or to its group alone, as far as we may."""
    found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if (found.st_uid, found.st_gid) == owner:
        return
    for uid in (owner.uid, -1):
        with suppress(PermissionError):
            os.chown(name, uid, owner.gid, dir_fd=parent, follow_symlinks=False)
            return


def written(known: Owners) -> dict[str, list[int]]:
    """Writes owners as an intent keeps them."""
    return {os.fsdecode(path): list(owner) for path, owner in known.items()}


def read(kept: Mapping[str, list[int]]) -> dict[bytes, FileOwner]:
    """Reads them back."""
    return {os.fsencode(path): FileOwner(*owner) for path, owner in kept.items()}
